/** Runs due jobs concurrently: each job found starts another worker, since there may be more. */
interface WorkerPool {
  /** Starts a worker unless the maximum is running. */
  start(): void;
  /** Resolves when no worker is running. */
  settled(): Promise<void>;
}

/**
 * @param options.next does the next due job; calls `onFound` before it starts, resolves to false if nothing is due. A
 * rejection ends the worker and is passed to `onError`.
 */
export function openWorkerPool(options: {
  readonly max: number;
  readonly next: (onFound: () => void) => Promise<boolean>;
  readonly onDone: () => void;
  readonly onError: (error: unknown) => void;
}): WorkerPool {
  const workers = new Set<Promise<void>>();
  async function work(): Promise<void> {
    while (await options.next(start)) options.onDone();
  }
  function start(): void {
    if (workers.size >= options.max) return;
    const worker = work()
      .catch(options.onError)
      .finally(() => workers.delete(worker));
    workers.add(worker);
  }
  return {
    start,
    async settled() {
      await Promise.all(workers);
    },
  };
}
