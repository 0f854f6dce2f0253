import { expect, it } from 'vitest';
import { openBackgroundWork } from '../../src/lib/background-work.ts';
import { eventually } from '../support/eventually.ts';

/** Work that ends when the test says so. */
function pendingWork() {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  return { run: () => promise, finish: resolve, fail: reject };
}

const job = (key: string, group = 'project 1') => ({ key, group, max: 2 });

it('starts work once per key while it runs, and again when it has ended', async () => {
  const background = openBackgroundWork();
  const first = pendingWork();
  let starts = 0;
  const start = () =>
    background.start(job('a'), () => {
      starts += 1;
      return first.run();
    });
  expect([start(), start()]).toEqual([true, true]);
  expect([starts, background.size()]).toEqual([1, 1]);
  first.finish();
  await eventually('it has ended', () => background.size() === 0);
  start();
  expect(starts).toBe(2);
});

it('bounds the work of one group and leaves other groups alone', async () => {
  const background = openBackgroundWork();
  const work = pendingWork();
  expect(background.start(job('a'), work.run)).toBe(true);
  expect(background.start(job('b'), work.run)).toBe(true);
  expect(background.start(job('c'), work.run)).toBe(false);
  expect(background.start(job('c', 'project 2'), work.run)).toBe(true);
  work.finish();
  await eventually('it has ended', () => background.size() === 0);
  expect(background.start(job('c'), work.run)).toBe(true);
});

it('survives work that fails, and frees its slot', async () => {
  const background = openBackgroundWork();
  const work = pendingWork();
  background.start(job('a'), work.run);
  work.fail(new Error('the engine is away'));
  await eventually('it has ended', () => background.size() === 0);
  expect(background.start(job('a'), async () => undefined)).toBe(true);
});

it('aborts and awaits running work when it stops, and starts no more', async () => {
  const background = openBackgroundWork();
  let cleanedUp = false;
  background.start(job('a'), async (signal) => {
    await new Promise((resolve) => signal.addEventListener('abort', resolve));
    cleanedUp = true;
  });
  await background.stop();
  expect(cleanedUp).toBe(true);
  expect(background.start(job('b'), async () => undefined)).toBe(false);
});
