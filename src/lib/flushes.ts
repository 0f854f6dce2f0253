/** Writing what has been collected in memory: at an interval, on demand, and at the end. */
export interface Flushes {
  /** Writes everything collected so far, after the writes under way. */
  flush(): Promise<void>;
  /** Writes the rest and stops. */
  close(): Promise<void>;
}

/** @param write never rejects. One write follows the other. */
export function openFlushes(write: () => Promise<void>, everyMs: number): Flushes {
  let last: Promise<void> = Promise.resolve();
  function flush(): Promise<void> {
    last = last.then(write);
    return last;
  }
  // Not a reason for the process to stay.
  const timer = setInterval(() => void flush(), everyMs).unref();
  return {
    flush,
    async close() {
      clearInterval(timer);
      await flush();
    },
  };
}
