import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Service } from './trial.ts';
import { openService, runTrials, type Tally } from './trials.ts';

/** Set to repeat a failure. Many more: `node test/materialization/generated/long-run.ts QUERIES [seed]`. */
const seed = Number(process.env.TEST_SEED ?? 12);
const queries = 50;

let service: Service & { close(): Promise<void> };
let tally: Tally;
beforeAll(async () => {
  service = await openService(seed);
  tally = await runTrials(service, { seed, from: 0, queries });
});
afterAll(() => service?.close());

it('serves from stored tables what the queries of dashboards give, or refuses them', () => {
  expect(tally.findings).toEqual([]);
  // The comparison means something: queries are accepted, and rows come back.
  expect(tally.accepted).toBeGreaterThan(queries / 5);
  expect(tally.withRows).toBeGreaterThan(tally.compared / 3);
});

it('generates queries that the engine takes', () => {
  const invalid = [...tally.invalid.values()].reduce((sum, count) => sum + count, 0);
  expect(invalid).toBeLessThan(queries / 8);
});
