/** Writes data collected in memory: at an interval, on demand, and at the end. */
export interface Flushes {
  /** Writes everything collected so far, after pending writes. */
  flush(): Promise<void>;
  /** Writes the rest and stops. */
  close(): Promise<void>;
}

/** @param write never rejects. Writes run one after another. */
export function openFlushes(write: () => Promise<void>, everyMs: number): Flushes {
  let last: Promise<void> = Promise.resolve();
  function flush(): Promise<void> {
    last = last.then(write);
    return last;
  }
  // Does not keep the process alive.
  const timer = setInterval(() => void flush(), everyMs).unref();
  return {
    flush,
    async close() {
      clearInterval(timer);
      await flush();
    },
  };
}
