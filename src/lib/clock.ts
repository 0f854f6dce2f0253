/** Where every decision takes the time from, so that a test can set it. */
export interface Clock {
  now(): Date;
}

export const systemClock: Clock = { now: () => new Date() };

/** For how long something takes: milliseconds that only grow, also when the clock is set. */
export const monotonicMs = (): number => performance.now();
