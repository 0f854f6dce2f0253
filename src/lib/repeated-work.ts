/** Work that runs immediately, and then at an interval. */
export interface RepeatedWork {
  start(): void;
  /** Resolves once the current run has ended. */
  stop(): Promise<void>;
}

/**
 * Skips a run that is due while another is in progress. A failure does not stop later runs.
 *
 * @param work.onFailure called with the error of a failed run.
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
      // Does not keep the process alive.
      timer = setInterval(begin, work.everyMs).unref();
    },
    async stop() {
      clearInterval(timer);
      await running;
    },
  };
}
