import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { demoEndpoints } from '../../src/cli/demo/demo-endpoints.ts';
import { expectGain } from '../../src/materialization/gain-advice.ts';
import { describeAccess } from '../rest/support/access.ts';
import type { TestApp } from '../support/test-app.ts';
import {
  openMaterializedApp,
  patch,
  run,
  save,
  statusOf,
  storedTables,
  sync,
} from './support/materialized.ts';

/** With the planner of the service: an aggregate with an equality and a range variable. */
const totals =
  'SELECT country, sum(amount) AS total, count() AS n FROM sales WHERE country = {country:String} AND day >= {from:Date} AND day < {to:Date} GROUP BY country';
let test: TestApp;

beforeAll(async () => {
  test = await openMaterializedApp();
  await save(test, 'totals', { query: totals });
  await save(test, 'random', { query: 'SELECT rand() AS r' });
});
afterAll(() => test.close());

const preview = (path: string, body?: object) =>
  test.rest('POST', `/endpoints/${path}`, body === undefined ? {} : { body });

describe('a preview', () => {
  it('shows what would be stored, how it would be read and how large it would be', async () => {
    const { status, body } = await preview('totals/materialization_preview');
    expect(status).toBe(200);
    expect(body).toMatchObject({
      name: 'totals',
      version: 1,
      can_materialize: true,
      reason: null,
      stored_query: expect.stringContaining('sales'),
      read_query: expect.stringContaining('{country:String}'),
      expected: { rows: expect.any(Number), exact: true },
    });
    expect(body.stored_query).not.toContain('{');
    expect(
      (body.variables as { variable: string; operator: string }[]).map((v) => v.variable),
    ).toEqual(expect.arrayContaining(['country', 'from', 'to']));
    const { rows } = body.expected as { rows: number };
    expect(rows).toBeGreaterThanOrEqual(6);
    expect(rows).toBeLessThanOrEqual(7);
  });

  it('gives the reason against it, with 200', async () => {
    const { status, body } = await preview('random/materialization_preview', { version: 1 });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      can_materialize: false,
      reason: expect.stringMatching(/rand/),
      stored_query: null,
      read_query: null,
      expected: null,
    });
  });

  it('changes nothing and gives GraphQL the same facts', async () => {
    const before = await statusOf(test, 'totals');
    const rest = (await preview('totals/materialization_preview')).body;
    const { body } = await test.graphql(
      '{ preview: materializationPreview(projectId: "@current", name: "totals") { storedQuery readQuery canMaterialize expected { rows bytes exact } sortingKey } }',
    );
    expect(body.data?.preview).toEqual({
      storedQuery: rest.stored_query,
      readQuery: rest.read_query,
      canMaterialize: true,
      expected: rest.expected,
      sortingKey: rest.sorting_key,
    });
    expect(await statusOf(test, 'totals')).toEqual(before);
    expect(await storedTables(test)).toEqual([]);
  });

  it('says what it would gain, and which coarser comparison would store less', async () => {
    await test.sql(
      "CREATE TABLE ticks (ts DateTime('UTC'), kind UInt8) ENGINE = MergeTree ORDER BY kind",
    );
    await test.sql(
      "INSERT INTO ticks SELECT toDateTime('2026-01-01 00:00:00', 'UTC') + number * 20, number % 3 FROM numbers(12000)",
    );
    const grouped = (compared: string, type: string) =>
      `SELECT kind, count() AS n FROM ticks WHERE ${compared} >= {from:${type}} AND ${compared} < {to:${type}} GROUP BY kind ORDER BY kind`;
    await save(test, 'by_second', { query: grouped('ts', 'DateTime') });
    await save(test, 'by_day', { query: grouped('toDate(ts)', 'Date') });
    const { body } = await preview('by_second/materialization_preview');
    expect(body.expected).toMatchObject({ rows: 12_000, exact: true });
    expect(body.gain).toMatchObject({
      source_rows: 12_000,
      inline_ms: expect.any(Number),
      expected_read_ms: expect.any(Number),
      expected_gain: expect.any(Number),
      advice: expect.stringMatching(
        /^Stores 12,000 of 12,000 rows, and a run is expected to be [\d.]+ times as fast as inline/,
      ),
      alternative: {
        expression: 'toDate(ts)',
        instead_of: 'ts',
        rows: 9,
        expected_gain: expect.any(Number),
      },
    });
    const coarser = (await preview('by_day/materialization_preview')).body;
    expect(coarser).toMatchObject({ expected: { rows: 9 }, gain: { alternative: null } });
    const twin = await test.graphql(
      '{ preview: materializationPreview(projectId: "@current", name: "by_second") { gain { sourceRows advice alternative { expression insteadOf rows } } } }',
    );
    expect(twin.body.data?.preview).toMatchObject({
      gain: {
        sourceRows: 12_000,
        advice: expect.stringMatching(/^Stores 12,000 of 12,000 rows/),
        alternative: { expression: 'toDate(ts)', insteadOf: 'ts', rows: 9 },
      },
    });
    expect((await preview('random/materialization_preview')).body).toMatchObject({ gain: null });
    expect(await storedTables(test)).toEqual([]);
  });

  it('advises by what was measured', () => {
    const days = { expression: 'toDate(EventTime)', insteadOf: 'EventTime', rows: 4000 };
    const measured = {
      rows: 2_700_000,
      sourceRows: 3_000_000,
      inlineMs: 41,
      inlineRows: 3_000_000,
      storedRows: 2_700_000,
    };
    expect(expectGain(measured, days)).toEqual({
      sourceRows: 3_000_000,
      inlineMs: 41,
      expectedReadMs: 37,
      expectedGain: 1.1,
      alternative: { ...days, expectedGain: 39 },
      advice:
        'Stores 2,700,000 of 3,000,000 rows, and a run is expected to be 1.1 times as fast as inline. Where whole days are enough, compare toDate(EventTime) instead of EventTime: 4,000 rows, 39 times as fast.',
    });
    const few = { ...measured, rows: 100, storedRows: 20 };
    expect(expectGain(few, null)).toMatchObject({ expectedGain: 41, advice: null });
    expect(expectGain({ ...measured, inlineMs: 1.2 }, null).advice).toContain(
      'the query takes 1.2 ms on the source data',
    );
    expect(expectGain(measured, null).advice).toContain('leave it inline');
    const slow = { ...measured, inlineMs: 0.25 };
    expect(expectGain(slow, null)).toMatchObject({
      expectedGain: 0.25,
      advice: expect.stringMatching(/a run is expected to be about 4 times slower than inline: /),
    });
    expect(expectGain({ ...slow, inlineMs: 0.995 }, null).advice).toContain(
      'a run is expected to be about as fast as inline: ',
    );
    const coarse = { ...measured, inlineMs: 0.5, storedRows: 9_000_000 };
    expect(expectGain(coarse, days).advice).not.toMatch(/0\.\d+ times/);
    const one = { ...measured, rows: 1, sourceRows: null, storedRows: 1, inlineMs: 1 };
    expect(expectGain(one, null).advice).toMatch(/^Stores 1 row, and/);
    const joined = { ...measured, rows: 4_000_000 };
    expect(expectGain(joined, null).advice).toMatch(
      /^Stores 4,000,000 rows made of 3,000,000 rows,/,
    );
  });

  it.each([
    ['missing/materialization_preview', undefined, 404, 'not_found'],
    ['totals/materialization_preview', { version: 9 }, 404, 'version_not_found'],
    ['totals/materialization_preview', { versoin: 1 }, 400, 'invalid_input'],
    ['totals/materialization_preview', { version: 'one' }, 400, 'invalid_input'],
  ])('refuses %s with %j', async (path, body, status, code) => {
    const response = await preview(path, body);
    expect(response.status).toBe(status);
    expect(response.body).toMatchObject({ code });
  });
});

describe('the planner’s own plan', () => {
  it('is built, proved and read: the same as inline for every range', async () => {
    await patch(test, 'totals', { is_materialized: true, sync_frequency: '1hour' });
    expect(await sync(test)).toEqual(['completed']);
    const days = [
      '2025-12-31',
      '2026-01-01',
      '2026-01-02',
      '2026-01-03',
      '2026-02-03',
      '2026-02-04',
    ];
    for (const country of ['de', 'at', 'nowhere']) {
      for (const from of days) {
        for (const to of days) {
          const variables = { country, from, to };
          const stored = await run(test, 'totals', { variables, refresh: 'force' });
          const inline = await run(test, 'totals', { variables, refresh: 'direct' });
          expect(stored).toMatchObject({
            served_from: 'materialized',
            results: inline.results,
            columns: inline.columns,
            types: inline.types,
          });
        }
      }
    }
  });

  it('takes relative dates along: each sync stores the days of its time', async () => {
    await test.sql("INSERT INTO sales SELECT 'rel', 1, today() - number FROM numbers(10)");
    const query =
      'SELECT day, amount FROM sales WHERE country = {country:String} AND day >= today() - 3 ORDER BY day';
    const response = await test.rest('POST', '/endpoints', {
      body: { name: 'recent', query, is_materialized: true },
    });
    if (response.status === 400)
      return expect(response.body).toMatchObject({ code: 'cannot_materialize' });
    expect(await sync(test)).toEqual(['completed']);
    const body = await run(test, 'recent', { variables: { country: 'rel' }, refresh: 'force' });
    expect(body).toMatchObject({ served_from: 'materialized' });
    expect(body.results).toHaveLength(4);
    return undefined;
  });
});

describeAccess(() => test, {
  method: 'POST',
  scope: 'endpoint:read',
  status: 200,
  call: async () => ({ path: '/endpoints/totals/materialization_preview' }),
});

describe('the demo', () => {
  it('has two endpoints that are materialized, one with a range variable', async () => {
    await test.sql(
      "CREATE TABLE flights (date DateTime('UTC'), delay Int16, distance UInt16, origin LowCardinality(String), destination LowCardinality(String)) ENGINE = MergeTree ORDER BY (origin, date)",
    );
    await test.sql(
      "INSERT INTO flights SELECT toDateTime('2001-04-20 00:00:00', 'UTC') + number * 3600, number % 90 - 20, number % 2000, ['SFO', 'ORD', 'JFK'][number % 3 + 1], ['ANC', 'LAX'][number % 2 + 1] FROM numbers(1500)",
    );
    const on = demoEndpoints.filter(({ isMaterialized }) => isMaterialized === true);
    expect(on.map(({ name }) => name)).toEqual(['flights_per_day', 'busiest_routes']);
    const variables = { date_from: '2001-05-01', date_to: '2001-05-31' };
    for (const { name, query } of on) {
      await save(test, name, { query, is_materialized: true });
      expect(await sync(test)).toEqual(['completed']);
      const body = name === 'flights_per_day' ? { variables } : {};
      const stored = await run(test, name, { ...body, refresh: 'force' });
      const inline = await run(test, name, { ...body, refresh: 'direct' });
      expect(stored).toMatchObject({ served_from: 'materialized', results: inline.results });
    }
  });
});
