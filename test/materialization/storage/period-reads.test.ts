/** Reads of tables that store whole periods: of the rows of single times, only the index granules at the ends of a range are read. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openPlanner } from '../../../src/materialization/open-planner.ts';
import type { TestApp } from '../../support/test-app.ts';
import { byPeriods } from '../support/chosen-storage.ts';
import { materialized, measured, openMaterializedApp, run } from '../support/materialized.ts';

let test: TestApp;
let count = 0;
const byDay = 2;
const rows = 100_000;

beforeAll(async () => {
  test = await openMaterializedApp({
    planMaterialization: (request) =>
      byPeriods(openPlanner(test.app.core.engine), () => byDay)(request),
  });
  // One row each five minutes, for 348 days.
  await test.sql(
    `CREATE TABLE hits (at DateTime('UTC'), seen Nullable(DateTime('UTC')), at_ms DateTime64(3, 'UTC'))
      ENGINE = MergeTree ORDER BY at`,
  );
  await test.sql(
    `INSERT INTO hits SELECT toDateTime('2024-01-01 00:00:00', 'UTC') + 300 * number AS t, t, t FROM numbers(${rows})`,
  );
});
afterAll(() => test.close());

const times = { from: '2024-03-03 10:20:00', to: '2024-10-10 05:00:00' };
const days = { from: '2024-03-03', to: '2024-10-10' };
const older = (type: string) => ({
  from: { code_name: 'from', type, value: '2024-03-03' },
  to: { code_name: 'to', type, value: '2024-10-10' },
});

it.each<{ query: string; values: object; variables?: object }>([
  {
    query: 'SELECT count() AS n FROM hits WHERE at >= {from:DateTime} AND at < {to:DateTime}',
    values: times,
  },
  {
    query: 'SELECT count() AS n FROM hits WHERE at >= {from:Date} AND at < {to:Date}',
    values: days,
  },
  {
    query: 'SELECT count() AS n FROM hits WHERE seen BETWEEN {from:Date32} AND {to:DateTime64(3)}',
    values: { ...times, from: days.from },
  },
  {
    query:
      'SELECT count() AS n FROM hits WHERE ({from:Nullable(Date)} IS NULL OR at_ms >= {from:Nullable(Date)}) AND at_ms < {to:DateTime}',
    values: { ...times, from: days.from },
  },
  {
    query: 'SELECT count() AS n FROM hits WHERE at >= {variables.from} AND at < {variables.to}',
    values: days,
    variables: older('Date'),
  },
  {
    query: 'SELECT countIf(at >= {from:Date}) AS n, count() AS all FROM hits',
    values: { from: days.from },
  },
  {
    query: 'SELECT countIf(at < {to:Nullable(DateTime)}) AS n FROM hits WHERE at >= {from:Date}',
    values: { ...times, from: days.from },
  },
  {
    query: 'SELECT countIf(seen >= {from:DateTime}) AS n, count() AS all FROM hits',
    values: { from: times.from },
  },
  {
    query:
      'SELECT n / (SELECT count() AS all FROM hits WHERE at < {to:Date}) AS share FROM (SELECT count() AS n FROM hits WHERE at >= {from:Date} AND at < {to:Date})',
    values: days,
  },
])('$query', async ({ query, values, variables = {} }) => {
  const name = `reads${++count}`;
  await materialized(test, name, { query: { kind: 'SQLQuery', query, variables } });
  await measured(test, name);
  const inline = await run(test, name, { variables: values, refresh: 'direct' });
  const stored = await run(test, name, {
    variables: values,
    refresh: 'force',
    client_query_id: name,
  });
  expect(stored).toMatchObject({ results: inline.results, served_from: 'materialized' });
  const { body } = await test.graphql(
    `{ queryStatus(projectId: "@current", id: "${name}") { queryProgress { rowsRead } } }`,
  );
  const isFew = (rowsRead: unknown) => Number(rowsRead) > 0 && Number(rowsRead) < rows / 12;
  expect(body.data).toMatchObject({
    queryStatus: { queryProgress: { rowsRead: expect.toSatisfy(isFew) } },
  });
});
