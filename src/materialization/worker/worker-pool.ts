/** Some of what is due at once: where there is something, there may be more, so each find opens the next lane. */
export interface WorkerPool {
  /** Begins to work unless as many work already. */
  open(): void;
  /** When no lane works any more. */
  settled(): Promise<void>;
}

/**
 * @param next does the next that is due; calls `onFound` before it begins, and answers false when nothing is due.
 * Its rejection ends the lane and goes to `onError`.
 */
export function openWorkerPool(options: {
  readonly max: number;
  readonly next: (onFound: () => void) => Promise<boolean>;
  readonly onDone: () => void;
  readonly onError: (error: unknown) => void;
}): WorkerPool {
  const lanes = new Set<Promise<void>>();
  async function work(): Promise<void> {
    while (await options.next(open)) options.onDone();
  }
  function open(): void {
    if (lanes.size >= options.max) return;
    const lane = work()
      .catch(options.onError)
      .finally(() => lanes.delete(lane));
    lanes.add(lane);
  }
  return {
    open,
    async settled() {
      await Promise.all(lanes);
    },
  };
}
