import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import type { Laboratory } from '../support/laboratory.ts';
import { openLaboratories, runTrials } from '../support/trials.ts';

let laboratories: readonly Laboratory[];

/** Set to repeat a failure. A longer run: `node test/materialization/long-run.ts N`. */
const seed = Number(process.env.TEST_SEED ?? 20_240_131);

beforeAll(async () => {
  laboratories = await openLaboratories(inject('engine'), seed);
});

afterAll(() => {
  for (const laboratory of laboratories) laboratory.close();
});

it('gives the rows of the inline run for generated queries, data and values', {
  timeout: 600_000,
}, async () => {
  const tally = await runTrials(laboratories, { seed, queries: 240 });
  console.info(`seed ${seed}: ${tally.compared} cases of ${tally.planned} plans`);
  expect(tally.compared).toBeGreaterThanOrEqual(1000);
  // The comparison means something: rows came back, and the planner did not just refuse.
  expect(tally.withRows).toBeGreaterThan(tally.compared / 3);
  expect(tally.planned).toBeGreaterThan(tally.queries * 0.95);
});
