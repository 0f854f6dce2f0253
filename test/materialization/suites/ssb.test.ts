/** The Star Schema Benchmark, with what its flights vary as variables. */
import { expect, it } from 'vitest';
import { ssb } from '../../../bench/suites/ssb/ssb.ts';
import { examine, expectExact } from './examined.ts';

it('gives exact answers from stored tables, and refuses none of the queries', {
  timeout: 600_000,
}, async () => {
  const found = await examine(ssb);
  expectExact(found);
  expect(found.refusals).toEqual({});
  expect(found.planned).toEqual({ constants: 13, variables: 13 });
});
