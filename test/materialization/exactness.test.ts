import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { type Laboratory, openLaboratory } from './support/laboratory.ts';
import { createTables } from './support/tables.ts';
import { runTrials } from './support/trials.ts';

let laboratory: Laboratory;

beforeAll(async () => {
  laboratory = await openLaboratory(inject('engine'), 592);
  await createTables(laboratory);
});

afterAll(() => laboratory?.close());

/** Set to repeat a failure. A longer run: `node test/materialization/long-run.ts N`. */
const seed = Number(process.env.TEST_SEED ?? 20_240_131);

it('gives the rows of the inline run for generated queries, data and values', {
  timeout: 600_000,
}, async () => {
  const tally = await runTrials(laboratory, { seed, queries: 480 });
  console.info(`seed ${seed}: ${tally.compared} reads of ${tally.planned} plans`);
  expect(tally.compared).toBeGreaterThanOrEqual(2000);
  // The comparison means something: rows came back, and the planner did not just refuse.
  expect(tally.withRows).toBeGreaterThan(tally.compared / 3);
  expect(tally.planned).toBeGreaterThan(tally.queries * 0.95);
});
