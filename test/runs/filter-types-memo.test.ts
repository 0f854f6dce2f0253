/** Types of filtered columns that are forgotten while they are read. */
import { expect, it } from 'vitest';
import { type FilterTypes, noFilterTypes } from '../../src/query/filters/filter-types.ts';
import { openFilterTypesMemo } from '../../src/runs/filter-types-memo.ts';

const typesOf = (): FilterTypes => ({ ...noFilterTypes, isComplete: true });

it('a read that began before types were forgotten is neither kept nor joined', async () => {
  const memo = openFilterTypesMemo({ nowMs: () => 0 });
  const early = Promise.withResolvers<FilterTypes>();
  const late = Promise.withResolvers<FilterTypes>();
  const ask = (projectId: number, read: () => Promise<FilterTypes>) =>
    memo.read({ projectId, marked: 'SELECT 1', group: 'any', read, signal: undefined });
  const [before, after, others] = [typesOf(), typesOf(), typesOf()];
  await ask(2, () => Promise.resolve(others));
  const first = ask(1, () => early.promise);
  memo.forget(1);
  const second = ask(1, () => late.promise);
  const third = ask(1, () => Promise.reject(new Error('it joins the second')));
  early.resolve(before);
  expect(await first).toBe(before);
  expect(memo.find(1, 'SELECT 1')).toBeNull();
  late.resolve(after);
  expect(await second).toBe(after);
  expect(await third).toBe(after);
  expect(memo.find(1, 'SELECT 1')?.types).toBe(after);
  expect(memo.find(2, 'SELECT 1')?.types).toBe(others);
});

it('those of all projects are forgotten where it is not known which tables have changed', async () => {
  const memo = openFilterTypesMemo({ nowMs: () => 0 });
  for (const projectId of [1, 2]) {
    const read = () => Promise.resolve(typesOf());
    await memo.read({ projectId, marked: 'SELECT 1', group: 'any', read, signal: undefined });
  }
  memo.forget(null);
  expect([memo.find(1, 'SELECT 1'), memo.find(2, 'SELECT 1')]).toEqual([null, null]);
});
