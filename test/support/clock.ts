import type { Clock } from '../../src/lib/clock.ts';

export interface TestClock extends Clock {
  set(time: string): void;
  advance(ms: number): void;
}

/** Stands still until a test moves it. */
export function testClock(start = '2026-03-01T12:00:00.000Z'): TestClock {
  let ms = Date.parse(start);
  return {
    now: () => new Date(ms),
    set(time) {
      ms = Date.parse(time);
    },
    advance(by) {
      ms += by;
    },
  };
}
