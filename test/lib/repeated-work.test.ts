import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { openRepeatedWork } from '../../src/lib/repeated-work.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it('does its work at once and at the interval, after a failure as well, and leaves out a turn while one is under way', async () => {
  const ends: ((error?: Error) => void)[] = [];
  const failures: unknown[] = [];
  const work = openRepeatedWork({
    everyMs: 1000,
    turn: () =>
      new Promise<void>((done, fail) => {
        ends.push((error) => (error === undefined ? done() : fail(error)));
      }),
    onFailure: (error) => failures.push(error),
  });
  work.start();
  await vi.advanceTimersByTimeAsync(3500);
  expect(ends).toHaveLength(1);
  ends[0]?.(new Error('the first'));
  await vi.advanceTimersByTimeAsync(1000);
  expect(failures).toEqual([new Error('the first')]);
  expect(ends).toHaveLength(2);

  let isStopped = false;
  const stopped = work.stop().then(() => {
    isStopped = true;
  });
  await vi.advanceTimersByTimeAsync(5000);
  expect([ends.length, isStopped]).toEqual([2, false]);
  ends[1]?.();
  await stopped;
});
