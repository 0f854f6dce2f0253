/** The source of time for all decisions, so that a test can set it. */
export interface Clock {
  now(): Date;
}

let latest = new Date();

/** Reuses one Date per millisecond: creating one costs several times as much as reading the time. */
export const systemClock: Clock = {
  now() {
    const ms = Date.now();
    if (ms !== latest.getTime()) latest = new Date(ms);
    return latest;
  },
};

/** Monotonic milliseconds for durations, unaffected by clock changes. */
export const monotonicMs = (): number => performance.now();
