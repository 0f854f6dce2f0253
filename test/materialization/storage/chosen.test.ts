/** By the data a sync decides whether periods are stored, distinct values are counted, and the greatest groups set apart. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestApp } from '../../support/test-app.ts';
import {
  expectNoOrphans,
  materialized,
  openMaterializedApp,
  patch,
  rowsRead,
  run,
  statusOf,
  sync,
} from '../support/materialized.ts';

let test: TestApp;
const minutes = 400_000;
const added = 5000;

beforeAll(async () => {
  test = await openMaterializedApp();
  await test.sql(
    "CREATE TABLE readings (at DateTime('UTC'), sensor LowCardinality(String), value Int32, user UInt32) ENGINE = MergeTree ORDER BY sensor",
  );
  await test.sql(
    `INSERT INTO readings SELECT toDateTime('2025-01-01 00:00:00', 'UTC') + 60 * number, ['a', 'b'][1 + number % 2], cityHash64(number) % 1000, cityHash64(number, 1) % 40 FROM numbers(${minutes})`,
  );
});
afterAll(async () => {
  await expectNoOrphans(test);
  await test.close();
});

const range = 'at >= {from:DateTime} AND at < {to:DateTime}';
const bySensor = `SELECT sensor, count() AS n, sum(value) AS total, uniqExact(user) AS users FROM readings WHERE ${range} GROUP BY sensor ORDER BY sensor`;
const year = { from: '2025-01-03 10:20:30', to: '2025-09-28 21:00:00' };
const levels = '__querydock_level';

const preview = async (name: string) =>
  (await test.rest('POST', `/endpoints/${name}/materialization_preview`)).body;

async function rowsOfYear(name: string): Promise<number> {
  const stored = await run(test, name, { variables: year, refresh: 'force', debug: true });
  const inline = await run(test, name, { variables: year, refresh: 'direct' });
  expect(stored).toMatchObject({ results: inline.results, served_from: 'materialized' });
  return rowsRead(stored);
}

it('stores periods where a run would merge very many rows, and a run reads few', async () => {
  await materialized(test, 'periods', { query: bySensor, sync_frequency: '1hour' });
  const shown = await preview('periods');
  expect(shown.sorting_key).toEqual([levels, '__v0']);
  const { rows } = await statusOf(test, 'periods');
  expect(shown.expected).toMatchObject({ rows });
  expect(Number(rows)).toBeGreaterThan(minutes);
  expect(await rowsOfYear('periods')).toBeLessThan(minutes / 20);
});

it('stores them again at the next sync, without another proof', async () => {
  const { plan, provedAt } = await record('periods');
  expect(plan).toMatchObject({ rolledUp: [{ column: '__v0', period: 'day' }] });
  await test.sql(
    `INSERT INTO readings SELECT toDateTime('2025-10-20 00:00:00', 'UTC') + 60 * number, 'b', 1, 1 FROM numbers(${added})`,
  );
  test.clock.advance(3_600_000);
  expect(await sync(test)).toContain('completed');
  const again = await record('periods');
  expect(again).toEqual({ plan: expect.objectContaining({ rolledUp: plan.rolledUp }), provedAt });
  expect(await rowsOfYear('periods')).toBeLessThan(minutes / 20);
});

it('stores none where a run merges few rows, or where merging saves nothing', async () => {
  const byDay = bySensor.replaceAll('at >=', 'toDate(at) >=').replaceAll('at <', 'toDate(at) <');
  await materialized(test, 'days', { query: byDay });
  // Each group has one row, whatever the period.
  const ofEach = `SELECT toUnixTimestamp(at) AS second, count() AS n FROM readings WHERE ${range} GROUP BY second ORDER BY second LIMIT 5`;
  await materialized(test, 'seconds', { query: ofEach });
  // A state holds every value of its rows.
  const ofSets = `SELECT sensor, uniqExactArray(arrayMap(k -> cityHash64(at, k), range(9))) AS n FROM readings WHERE ${range} GROUP BY sensor ORDER BY sensor`;
  await materialized(test, 'sets', { query: ofSets });
  for (const name of ['days', 'seconds', 'sets']) {
    expect((await preview(name)).sorting_key).not.toContain(levels);
    expect((await record(name)).plan).toMatchObject({ rolledUp: null });
  }
});

it('stores none where these rows would pass the limit', async () => {
  const { rows } = await statusOf(test, 'periods');
  const alone = minutes + added;
  expect(Number(rows)).toBeGreaterThan(alone);
  await materialized(test, 'limited', { query: bySensor, max_stored_rows: alone });
  expect((await record('limited')).plan).toMatchObject({ rolledUp: null });
  expect(await statusOf(test, 'limited')).toMatchObject({ rows: alone });
  await patch(test, 'limited', { is_materialized: false });
});

describe('partial results within a larger query', () => {
  const total = `SELECT sensor, sum(value) AS total FROM readings WHERE ${range} GROUP BY sensor`;
  const before = `SELECT sensor, count() AS n FROM readings WHERE at < {from:DateTime} GROUP BY sensor`;
  const compared = `SELECT a.sensor, a.total, b.n, (SELECT max(value) FROM readings) AS most FROM (${total}) AS a LEFT JOIN (${before}) AS b ON a.sensor = b.sensor ORDER BY a.sensor`;

  it('have periods too, which later syncs store again', async () => {
    await materialized(test, 'compared', { query: compared, sync_frequency: '1hour' });
    const { plan, provedAt } = await record('compared');
    expect(plan).toMatchObject({ rolledUp: [{ column: '__v1000', period: 'day' }] });
    expect(String((await preview('compared')).read_query).split(levels)).toHaveLength(5);
    expect(await rowsOfYear('compared')).toBeLessThan(minutes / 20);
    test.clock.advance(3_600_000);
    expect(await sync(test)).toContain('completed');
    expect(await record('compared')).toEqual({
      plan: expect.objectContaining({ rolledUp: plan.rolledUp }),
      provedAt,
    });
    expect(await rowsOfYear('compared')).toBeLessThan(minutes / 20);
  });

  it('have none where the rows of all tables would pass the limit', async () => {
    const { rows } = await statusOf(test, 'compared');
    await materialized(test, 'compared_less', { query: compared, max_stored_rows: Number(rows) });
    expect((await record('compared_less')).plan).toMatchObject({ rolledUp: null });
    expect(await rowsOfYear('compared_less')).toBeGreaterThan(minutes / 2);
  });
});

describe('distinct values', () => {
  const users = 600_000;
  const visitsOf = (table: string) =>
    test.sql(
      `INSERT INTO ${table} SELECT number, toDate('2025-01-01') + number % 20, cityHash64(number) % 300000 FROM numbers(${users})`,
    );
  const counted = (table: string) =>
    `SELECT count(DISTINCT user) AS users FROM ${table} WHERE day >= {from:Date} AND day <= {to:Date}`;
  const week = { from: '2025-01-04', to: '2025-01-10' };

  it('are counted where sets of them would be large, in as many rows', async () => {
    await test.sql(
      'CREATE TABLE visits (id UInt32, day Date, user UInt32) ENGINE = MergeTree ORDER BY day',
    );
    await visitsOf('visits');
    await materialized(test, 'visits', { query: counted('visits'), sync_frequency: '1hour' });
    const { plan, provedAt } = await record('visits');
    expect(plan).toMatchObject({ countsDistinct: true });
    expect(await statusOf(test, 'visits')).toMatchObject({ status: 'Completed', rows: 20 });
    expect((await preview('visits')).aggregates).toEqual([
      { expression: 'countDistinct(user)', stored: 'count() by day and the one before' },
    ]);
    const inline = await run(test, 'visits', { variables: week, refresh: 'direct' });
    const stored = await run(test, 'visits', { variables: week, refresh: 'force', debug: true });
    expect(stored).toMatchObject({ results: inline.results, served_from: 'materialized' });
    test.clock.advance(3_600_000);
    expect(await sync(test)).toContain('completed');
    expect(await record('visits')).toMatchObject({ plan: { countsDistinct: true }, provedAt });
  });

  it('are stored as sets where the source cannot be copied, so that two reads of it might differ', async () => {
    await test.sql(
      'CREATE TABLE live_visits (id UInt32, day Date, user UInt32) ENGINE = Join(ANY, LEFT, id)',
    );
    await visitsOf('live_visits');
    await materialized(test, 'live_visits', { query: counted('live_visits') });
    expect((await record('live_visits')).plan).toMatchObject({ countsDistinct: false });
    const inline = await run(test, 'live_visits', { variables: week, refresh: 'direct' });
    const stored = await run(test, 'live_visits', { variables: week, refresh: 'force' });
    expect(stored.results).toEqual(inline.results);
  });
});

describe('the greatest groups', () => {
  const top = '__querydock_top';
  const popular = (by: string, limit = 'LIMIT 10') =>
    `SELECT ${by} AS page, count() AS n FROM hits WHERE day >= {from:Date} AND day <= {to:Date} GROUP BY page ORDER BY n DESC, page ${limit}`;

  beforeAll(async () => {
    await test.sql(
      'CREATE TABLE hits (page UInt32, alike UInt32, day Date) ENGINE = MergeTree ORDER BY day',
    );
    await test.sql(
      `INSERT INTO hits SELECT toUInt32(exp(log(100000) * (cityHash64(number) % 1000000) / 1000000)), cityHash64(number, 1) % 100000, toDate('2025-01-01') + cityHash64(number, 2) % 30 FROM numbers(500000)`,
    );
  });

  it('are set apart where a few have most of the rows, and a run reads few', async () => {
    await materialized(test, 'popular', { query: popular('page'), sync_frequency: '1hour' });
    const shown = await preview('popular');
    expect(shown.sorting_key).toEqual([top, '__v0']);
    const { plan, provedAt } = await record('popular');
    expect(plan).toMatchObject({ topThreshold: expect.stringMatching(/^\d+$/) });
    const rows = Number((await statusOf(test, 'popular')).rows);
    for (const [from, to, isTop] of [
      ['2025-01-01', '2025-01-30', true],
      ['2025-01-05', '2025-01-20', true],
      ['2025-01-05', '2025-01-05', false],
      ['2024-01-05', '2024-01-05', false],
    ] as const) {
      const variables = { from, to };
      const stored = await run(test, 'popular', { variables, refresh: 'force', debug: true });
      const inline = await run(test, 'popular', { variables, refresh: 'direct' });
      expect(stored).toMatchObject({ results: inline.results, served_from: 'materialized' });
      if (isTop) expect(rowsRead(stored)).toBeLessThan(rows / 4);
    }
    test.clock.advance(3_600_000);
    expect(await sync(test)).toContain('completed');
    const again = await record('popular');
    expect(again).toEqual({
      plan: expect.objectContaining({ topThreshold: plan.topThreshold }),
      provedAt,
    });
  });

  it('are stored with the others where all groups are alike, or a run returns many', async () => {
    await materialized(test, 'alike', { query: popular('alike') });
    await materialized(test, 'most', { query: popular('page', 'LIMIT 9000') });
    for (const name of ['alike', 'most']) {
      expect((await preview(name)).sorting_key).toEqual(['__v0']);
      expect((await record(name)).plan).toMatchObject({ topThreshold: null });
    }
  });
});

async function record(name: string) {
  const found = await test.backends.metadata.prisma.materializationStatus.findFirstOrThrow({
    where: { version: { endpoint: { name } } },
  });
  return {
    plan: found.plan as {
      readonly rolledUp?: unknown;
      readonly countsDistinct?: unknown;
      readonly topThreshold?: unknown;
    },
    provedAt: found.provedAt,
  };
}
