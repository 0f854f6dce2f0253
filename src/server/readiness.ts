/**
 * Whether the process accepts requests, and the state of its dependencies. An unreachable dependency does not make the
 * process unready: other processes lack it too, and many requests can be answered without it.
 */

/** The problem of each dependency; null when it responds. */
export type Dependencies = Readonly<Record<string, string | null>>;

export interface Readiness {
  /**
   * The last result while checks run periodically, so that callers do not wait for a dependency; otherwise a new check.
   */
  dependencies(): Promise<Dependencies>;
  /** The last check; empty before the first one. */
  lastCheck(): Dependencies;
  /** From here on the process is not ready. */
  drain(): void;
  isDraining(): boolean;
  /** Starts repeating the checks. */
  start(): void;
  stop(): void;
}

const checkEveryMs = 1000;

export function openReadiness(check: () => Promise<Dependencies>): Readiness {
  let isDraining = false;
  let last: Dependencies = {};
  let repeated: Promise<Dependencies> | null = null;
  let timer: NodeJS.Timeout | null = null;

  async function checkNow(): Promise<Dependencies> {
    last = await check();
    return last;
  }

  /** Checks run one at a time with a pause in between, because a check of an unresponsive dependency is slow. */
  function repeat(): void {
    const checked = checkNow();
    repeated ??= checked;
    void checked.then((found) => {
      if (repeated === null) return;
      repeated = Promise.resolve(found);
      timer = setTimeout(repeat, checkEveryMs).unref();
    });
  }

  return {
    dependencies: () => repeated ?? checkNow(),
    lastCheck: () => last,
    drain() {
      isDraining = true;
    },
    isDraining: () => isDraining,
    start: repeat,
    stop() {
      repeated = null;
      if (timer !== null) clearTimeout(timer);
    },
  };
}
