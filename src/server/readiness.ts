/**
 * Whether the process takes requests, and the state of what it depends on. A dependency that is away does not make the
 * process unready: it is away for the others as well, and many requests can be answered without it.
 */

/** The problem of each dependency; null: it responds. */
export type Dependencies = Readonly<Record<string, string | null>>;

export interface Readiness {
  /** The last check while checks are repeated, so that nobody waits for a dependency; else a new one. */
  dependencies(): Promise<Dependencies>;
  /** The last check; empty before there was one. */
  lastCheck(): Dependencies;
  /** From here on the process is not ready. */
  drain(): void;
  isDraining(): boolean;
  /** Repeats the checks. */
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

  /** One check at a time, the next one some time after it: a check of what does not answer takes its time. */
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
