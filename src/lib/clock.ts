/** Where every decision takes the time from, so that a test can set it. */
export interface Clock {
  now(): Date;
}

let latest = new Date();

/** One object for each millisecond: making one costs several times as much as reading the time. */
export const systemClock: Clock = {
  now() {
    const ms = Date.now();
    if (ms !== latest.getTime()) latest = new Date(ms);
    return latest;
  },
};

/** For how long something takes: milliseconds that only grow, also when the clock is set. */
export const monotonicMs = (): number => performance.now();
