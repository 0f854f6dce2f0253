import { addToCount } from './add-to-count.ts';

/** Runs work in the background. */
export interface BackgroundWork {
  /**
   * Starts the work unless work with the same key is in progress. Its errors are ignored.
   *
   * @param job.max concurrent jobs of the group.
   * @returns false when the group is full.
   */
  start(
    job: { readonly key: string; readonly group: string; readonly max: number },
    work: (signal: AbortSignal) => Promise<void>,
  ): boolean;
  /** Number of jobs in progress. */
  size(): number;
  /** Aborts all jobs, waits for their end and starts no more. */
  stop(): Promise<void>;
}

export function openBackgroundWork(): BackgroundWork {
  const running = new Map<string, Promise<void>>();
  const groups = new Map<string, number>();
  const stopping = new AbortController();

  return {
    start({ key, group, max }, work) {
      if (running.has(key)) return true;
      if (stopping.signal.aborted || (groups.get(group) ?? 0) >= max) return false;
      addToCount(groups, group, 1);
      const done = work(stopping.signal)
        .catch(() => undefined)
        .finally(() => {
          running.delete(key);
          addToCount(groups, group, -1);
        });
      running.set(key, done);
      return true;
    },
    size: () => running.size,
    async stop() {
      stopping.abort(new DOMException('The service is stopping.', 'AbortError'));
      await Promise.all(running.values());
    },
  };
}
