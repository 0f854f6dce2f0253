/** TPC-H, with the substitution parameters of its specification as variables. */
import { expect, it } from 'vitest';
import { tpch } from '../../../bench/suites/tpch/tpch.ts';
import { examine, expectExact } from './examined.ts';

it('gives exact answers from stored tables, as they are and with variables', {
  timeout: 600_000,
}, async () => {
  const found = await examine(tpch);
  expectExact(found);
  expect(found.refusals).toEqual({});
  expect(found.planned).toEqual({ constants: 22, variables: 22 });
});
