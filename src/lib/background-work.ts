/** Work that nobody waits for. */
export interface BackgroundWork {
  /**
   * Starts the work unless one of this key is under way. Its errors are its own.
   *
   * @param group what the bound on work at once counts by.
   * @returns false when it was not started for want of a place.
   */
  start(
    job: { readonly key: string; readonly group: string },
    work: (signal: AbortSignal) => Promise<void>,
  ): boolean;
  /** How many pieces of work are under way. */
  size(): number;
  /** Aborts what is under way, waits for its end and starts no more. */
  stop(): Promise<void>;
}

/** @param maxPerGroup pieces of work of one group at once. */
export function openBackgroundWork(maxPerGroup: number): BackgroundWork {
  const running = new Map<string, Promise<void>>();
  const groups = new Map<string, number>();
  const stopping = new AbortController();

  function count(group: string, by: number): void {
    const left = (groups.get(group) ?? 0) + by;
    if (left === 0) groups.delete(group);
    else groups.set(group, left);
  }

  return {
    start({ key, group }, work) {
      if (running.has(key)) return true;
      if (stopping.signal.aborted || (groups.get(group) ?? 0) >= maxPerGroup) return false;
      count(group, 1);
      const done = work(stopping.signal)
        .catch(() => undefined)
        .finally(() => {
          running.delete(key);
          count(group, -1);
        });
      running.set(key, done);
      return true;
    },
    size: () => running.size,
    async stop() {
      stopping.abort(new DOMException('The service stops.', 'AbortError'));
      await Promise.all(running.values());
    },
  };
}
