/** ClickBench, with what a dashboard asks for as variables. */
import { expect, it } from 'vitest';
import { clickbench } from '../../../bench/suites/clickbench/clickbench.ts';
import { examine, expectExact } from './examined.ts';

it('gives exact answers from stored tables for every query', {
  timeout: 600_000,
}, async () => {
  const found = await examine(clickbench);
  expectExact(found);
  expect(found.refusals).toEqual({});
  expect(found.planned).toEqual({ constants: 43, variables: 43 });
});
