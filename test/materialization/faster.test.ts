/** Runs are served by what the sync measured to be faster. The figures are set by the tests, so that none depends on time. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { isInlineFaster } from '../../src/model/materialization-state.ts';
import type { TestApp } from '../support/test-app.ts';
import {
  byCountry,
  expectNoOrphans,
  materialized,
  measured,
  ofCountry,
  openMaterializedApp,
  patch,
  run,
  statusOf,
  sync,
} from './support/materialized.ts';

let test: TestApp;
beforeAll(async () => {
  test = await openMaterializedApp({ measuredMs: (engineMs) => engineMs });
  for (const name of ['slow', 'bystander']) {
    await materialized(test, name, { query: ofCountry, sync_frequency: '1hour' });
    await measured(test, name, { readMs: 1, inlineMs: 1 });
  }
});
afterAll(async () => {
  await expectNoOrphans(test);
  await test.close();
});

const de = { variables: { country: 'de' } };
const force = (name: string, more: object = {}) =>
  run(test, name, { ...de, refresh: 'force', ...more });

it('is measured by its sync and shown by both interfaces', async () => {
  await test.sql('CREATE TABLE many (n UInt64) ENGINE = MergeTree ORDER BY n');
  await test.sql('INSERT INTO many SELECT cityHash64(number) FROM numbers(300000)');
  const query = 'SELECT n % 7 AS k, uniqExact(n) AS u FROM many GROUP BY k ORDER BY k';
  await materialized(test, 'fresh', { query });
  expect(await statusOf(test, 'fresh')).toMatchObject({
    read_ms: expect.any(Number),
    inline_ms: expect.any(Number),
    served_from: expect.stringMatching(/^(materialized|inline)$/),
  });
  const { body } = await test.graphql(
    '{ endpoint(projectId: "@current", name: "bystander") { materialization { readMs inlineMs servedFrom ready } } }',
  );
  expect(body.data?.endpoint).toEqual({
    materialization: { readMs: 1, inlineMs: 1, servedFrom: 'materialized', ready: true },
  });
});

it.each([
  { readMs: 5, inlineMs: 2, rounds: 40 },
  { readMs: 800, inlineMs: 400, rounds: 3 },
  { readMs: 9000, inlineMs: 4000, rounds: 2 },
  { readMs: 9000, inlineMs: 8900, rounds: 3 },
  { readMs: 400, inlineMs: 900, rounds: 1 },
])('is measured until it is certain: %o', async ({ readMs, inlineMs, rounds }) => {
  let runs = 0;
  const measuring = await openMaterializedApp({
    measuredMs: (_engineMs, of) => {
      runs += 1;
      return of === 'read' ? readMs : inlineMs;
    },
  });
  await materialized(measuring, 'one', { query: byCountry });
  expect(await statusOf(measuring, 'one')).toMatchObject({ read_ms: readMs, inline_ms: inlineMs });
  expect(runs).toBe(2 * rounds);
  await measuring.close();
});

it('is measured on the source again only where its table is no longer clearly faster', async () => {
  let runs = 0;
  let [readMs, inlineMs] = [10, 900];
  const measuring = await openMaterializedApp({
    measuredMs: (_engineMs, of) => {
      runs += 1;
      return of === 'read' ? readMs : inlineMs;
    },
  });
  const syncAgain = async () => {
    runs = 0;
    measuring.clock.advance(3_600_000);
    expect(await sync(measuring)).toEqual(['completed']);
    const { read_ms, inline_ms } = await statusOf(measuring, 'one');
    return { read_ms, inline_ms, runs };
  };
  await materialized(measuring, 'one', { query: byCountry, sync_frequency: '1hour' });
  expect(runs).toBe(2);
  [readMs, inlineMs] = [20, 500];
  expect(await syncAgain()).toEqual({ read_ms: 20, inline_ms: 900, runs: 1 });
  [readMs, inlineMs] = [230, 600];
  expect(await syncAgain()).toEqual({ read_ms: 230, inline_ms: 600, runs: 2 });
  [readMs, inlineMs] = [10, 700];
  expect(await syncAgain()).toEqual({ read_ms: 10, inline_ms: 600, runs: 1 });
  await measuring.sql('TRUNCATE TABLE sales');
  expect(await syncAgain()).toEqual({ read_ms: 10, inline_ms: 700, runs: 2 });
  await measuring.close();
});

it('is the source data where that is clearly faster, and no other endpoint’s', async () => {
  const stored = await force('slow');
  expect(stored).toMatchObject({ served_from: 'materialized', inline_reason: null });
  await measured(test, 'slow', { readMs: 10, inlineMs: 5 });
  await test.sql("INSERT INTO sales VALUES ('de', 9, '2026-03-01')");
  const inline = await force('slow');
  expect(inline).toMatchObject({
    served_from: 'inline',
    inline_reason: 'faster',
    endpoint_materialized: false,
    endpoint_materialized_at: null,
  });
  // At least as fresh as the table.
  expect(inline.results).toEqual([...(stored.results as unknown[]), ['2026-03-01', 9]]);
  expect(await statusOf(test, 'slow')).toMatchObject({
    status: 'Completed',
    ready: true,
    read_ms: 10,
    inline_ms: 5,
    served_from: 'inline',
  });
  expect(await force('bystander')).toMatchObject({
    served_from: 'materialized',
    results: stored.results,
  });
});

it('is cached and requested as any other inline run', async () => {
  expect(await run(test, 'slow', de)).toMatchObject({ is_cached: true, inline_reason: 'faster' });
  expect(await force('slow', { refresh: 'direct' })).toMatchObject({ inline_reason: 'direct' });
  test.clock.advance(120_000);
  expect(await force('slow', { max_age_seconds: 60 })).toMatchObject({ inline_reason: 'max_age' });
  // No stale read of the slower table instead of a fresh run.
  const asked = { ...de, stale_while_revalidate_seconds: 600, variables: { country: 'fr' } };
  expect(await run(test, 'slow', asked)).toMatchObject({
    inline_reason: 'faster',
    is_stale: false,
    is_cached: false,
  });
  const { body } = await test.graphql(
    'query ($input: RunInput!) { run: runEndpoint(projectId: "@current", name: "slow", input: $input) { servedFrom inlineReason endpointMaterialized } }',
    { input: { ...de, refresh: 'force' } },
  );
  expect(body.data?.run).toEqual({
    servedFrom: 'inline',
    inlineReason: 'faster',
    endpointMaterialized: false,
  });
});

it('is the table again once it is as fast, and nothing while it is turned off', async () => {
  await measured(test, 'slow', { readMs: 6, inlineMs: 5 });
  expect(await force('slow')).toMatchObject({ served_from: 'materialized' });
  await measured(test, 'slow', { readMs: 10, inlineMs: 5 });
  await patch(test, 'slow', { is_materialized: false });
  expect(await statusOf(test, 'slow')).not.toHaveProperty('read_ms');
  await patch(test, 'slow', { is_materialized: true });
  expect(await force('slow')).toMatchObject({ inline_reason: 'not_ready' });
  expect(await sync(test)).toEqual(['completed']);
});

it.each([
  [{ readMs: null, inlineMs: null }, false],
  [{ readMs: 5, inlineMs: null }, false],
  [{ readMs: 2.9, inlineMs: 1 }, false],
  [{ readMs: 3.1, inlineMs: 1 }, true],
  [{ readMs: 119, inlineMs: 100 }, false],
  [{ readMs: 121, inlineMs: 100 }, true],
  [{ readMs: 1, inlineMs: 100 }, false],
])('takes more than noise: %j', (figures, isFaster) => {
  expect(isInlineFaster(figures)).toBe(isFaster);
});

it('one large state is read without those around it', async () => {
  await test.sql(
    "CREATE TABLE visits ENGINE = MergeTree ORDER BY day AS SELECT toDate('2024-01-01') + number % 100 AS day, number AS visitor FROM numbers(400000)",
  );
  const query =
    'SELECT quantileExact(visitor) AS median FROM visits WHERE day >= {from:Date} AND day <= {to:Date}';
  await materialized(test, 'visitors', { query });
  expect(await statusOf(test, 'visitors')).toMatchObject({ rows: 100 });
  const given = { variables: { from: '2024-03-03', to: '2024-03-03' } };
  const { results, query_progress } = await force('visitors', { ...given, debug: true });
  expect(results).toEqual([[200062]]);
  const { rows_read } = query_progress as { readonly rows_read: number };
  expect(rows_read).toBeLessThan(20);
});
