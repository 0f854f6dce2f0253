/** Work that is done at once, and again at an interval. */
export interface RepeatedWork {
  start(): void;
  /** Resolves once the turn under way has ended. */
  stop(): Promise<void>;
}

/**
 * A turn that is due while one is under way is left out. The next turn follows a failed one.
 *
 * @param work.onFailure is told why a turn failed.
 */
export function openRepeatedWork(work: {
  readonly everyMs: number;
  readonly turn: () => Promise<unknown>;
  readonly onFailure: (error: unknown) => void;
}): RepeatedWork {
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | null = null;
  function begin(): void {
    running ??= work
      .turn()
      .then(() => undefined, work.onFailure)
      .finally(() => {
        running = null;
      });
  }
  return {
    start() {
      begin();
      // Not a reason for the process to stay.
      timer = setInterval(begin, work.everyMs).unref();
    },
    async stop() {
      clearInterval(timer);
      await running;
    },
  };
}
