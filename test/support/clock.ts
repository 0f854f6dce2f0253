import type { Clock } from '../../src/lib/clock.ts';

export interface TestClock extends Clock {
  set(time: string): void;
  advance(ms: number): void;
  /** As a monotonic clock: it goes on when the time is set back. */
  monotonicMs(): number;
}

/** Stands still until a test moves it. */
export function testClock(start = '2026-03-01T12:00:00.000Z'): TestClock {
  let ms = Date.parse(start);
  /** By how much it was set back in all. */
  let back = 0;
  const setTo = (time: number): void => {
    back += Math.max(0, ms - time);
    ms = time;
  };
  return {
    now: () => new Date(ms),
    set(time) {
      setTo(Date.parse(time));
    },
    advance(by) {
      setTo(ms + by);
    },
    monotonicMs: () => ms + back,
  };
}
