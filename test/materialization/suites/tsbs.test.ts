/** The queries that the Time Series Benchmark Suite asks about hosts, with its hosts and times as variables. */
import { expect, it } from 'vitest';
import { tsbs } from '../../../bench/suites/tsbs/tsbs.ts';
import { examine, expectExact } from './examined.ts';

it('gives exact answers from stored tables for every query', {
  timeout: 600_000,
}, async () => {
  const found = await examine(tsbs);
  expectExact(found);
  expect(found.refusals).toEqual({});
  expect(found.planned).toEqual({ constants: 15, variables: 15 });
});
