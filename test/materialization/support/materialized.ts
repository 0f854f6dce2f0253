/** A service with a table of sales whose syncs happen when a test starts them. */
import { expect } from 'vitest';
import type { AppOptions } from '../../../src/app.ts';
import type { Config } from '../../../src/config/config.ts';
import { openLog } from '../../../src/config/open-log.ts';
import {
  type MaterializationPlan,
  nameOfTable,
  tablesOf,
} from '../../../src/model/materialization-plan.ts';
import {
  openTestApp,
  type TestApp,
  type TestProject,
  type TestResponse,
} from '../../support/test-app.ts';

export const byCountry =
  'SELECT country, sum(amount) AS total FROM sales GROUP BY country ORDER BY country';
export const ofCountry =
  'SELECT day, amount FROM sales WHERE country = {country:String} ORDER BY day, amount';

type Options = Pick<AppOptions, 'planMaterialization' | 'workerTimes' | 'measuredMs'>;
export type Body = TestResponse['body'];

/** Every sync comes right at the end of its cadence but for 2 percent. */
export const evenly = { random: () => 0 } as const;

export async function openMaterializedApp(
  options: Options = {},
  settings: Partial<Config> = {},
): Promise<TestApp> {
  const test = await openTestApp(settings, openLog('silent'), {
    ...options,
    workerTimes: { ...evenly, ...options.workerTimes },
  });
  for (const project of [test.project, test.other]) await fillSales(test, project);
  return test;
}

/** The same with a materialization that no test changes, and that must work whatever a test does. */
export async function openWithBystander(): Promise<TestApp> {
  const test = await openMaterializedApp();
  await save(test, 'bystander', { is_materialized: true });
  await sync(test);
  return test;
}

/** It still works, and nothing is left behind. */
export async function expectBystander(test: TestApp): Promise<void> {
  await patch(test, 'bystander', { sync_frequency: '30day' });
  expect(await run(test, 'bystander', { refresh: 'force' })).toMatchObject({
    served_from: 'materialized',
  });
  await expectNoOrphans(test);
}

async function fillSales(test: TestApp, project: TestProject): Promise<void> {
  await test.sql(
    'CREATE TABLE sales (country String, amount UInt32, day Date) ENGINE = MergeTree ORDER BY day',
    project,
  );
  await test.sql(
    "INSERT INTO sales VALUES ('at', 1, '2026-01-01'), ('de', 2, '2026-01-02'), ('de', 3, '2026-02-03'), ('fr', 4, '2026-01-02'), ('it', 5, '2026-01-02'), ('pl', 6, '2026-01-02'), ('pt', 7, '2026-01-09')",
    project,
  );
}

export async function save(test: TestApp, name: string, more: Body = {}): Promise<Body> {
  const body = { name, query: byCountry, ...more };
  const response = await test.rest('POST', '/endpoints', { body });
  expect(response.body).not.toHaveProperty('code');
  expect(response.status).toBe(201);
  return response.body;
}

export async function patch(test: TestApp, path: string, body: Body): Promise<Body> {
  const response = await test.rest('PATCH', `/endpoints/${path}`, { body });
  expect(response.body).not.toHaveProperty('code');
  expect(response.status).toBe(200);
  return response.body;
}

export async function run(test: TestApp, name: string, body: Body = {}): Promise<Body> {
  const response = await test.rest('POST', `/endpoints/${name}/run`, { body });
  expect(response.body).toMatchObject({ name });
  expect(response.status).toBe(200);
  return response.body;
}

export async function statusOf(test: TestApp, path: string): Promise<Body> {
  const [name = '', query = ''] = path.split('?');
  const response = await test.rest(
    'GET',
    `/endpoints/${name}/materialization_status${query === '' ? '' : `?${query}`}`,
  );
  expect(response.status).toBe(200);
  return response.body;
}

/** What the worker did with everything that was due. */
export async function sync(test: TestApp): Promise<readonly string[]> {
  return (await test.app.materialization.runOnce()).syncs;
}

let measurements = 0;

/** As if runs of the table and of the query took that long; by default so that the table serves runs, however few rows it has. */
export async function measured(
  test: TestApp,
  name: string,
  figures: { readonly readMs: number; readonly inlineMs: number } = { readMs: 1, inlineMs: 1 },
): Promise<void> {
  await test.backends.metadata.prisma.materializationStatus.updateMany({
    where: { version: { endpoint: { name } } },
    data: figures,
  });
  // Makes every process look the endpoint up again.
  await patch(test, name, { description: `${JSON.stringify(figures)} ${++measurements}` });
}

/** Rows that the engine read for a run with `debug`. */
export function rowsRead(body: Body): number {
  return (body.query_progress as { readonly rows_read: number }).rows_read;
}

export async function materialized(test: TestApp, name: string, more: Body = {}): Promise<void> {
  await save(test, name, { is_materialized: true, ...more });
  expect(await sync(test)).toEqual(['completed']);
}

/** The rows of a run of the stored table, which are those of the same run of the source. */
export async function servedRows(
  test: TestApp,
  name: string,
  variables: Body = {},
): Promise<unknown> {
  const stored = await run(test, name, { variables, refresh: 'force' });
  const { results } = await run(test, name, { variables, refresh: 'direct' });
  expect(stored).toMatchObject({ served_from: 'materialized', results });
  return results;
}

/** Tables that syncs have made, as the engine has them. */
export function storedTables(test: TestApp, project = test.project): Promise<readonly string[]> {
  return test.app.core.engine.listStoredTables(project.id);
}

/** The tables that serve runs, according to the metadata database. */
export async function servedTables(test: TestApp): Promise<readonly string[]> {
  const rows = await test.backends.metadata.prisma.materializationStatus.findMany({
    where: { tableName: { not: null } },
    orderBy: { tableName: 'asc' },
  });
  return rows.flatMap(({ tableName, plan }) => {
    const tables = tablesOf(plan as unknown as MaterializationPlan);
    return tables.map((_table, at) => nameOfTable(tableName ?? '', at));
  });
}

/** No table is there that nothing serves, once those that were replaced have had their time. */
export async function expectNoOrphans(test: TestApp): Promise<void> {
  test.clock.advance(60_000);
  await test.app.materialization.sweep();
  const both = [...(await storedTables(test)), ...(await storedTables(test, test.other))];
  expect(both.sort()).toEqual(await servedTables(test));
}

const graphql = {
  sync: 'mutation ($name: String!, $version: Int) { done: syncMaterialization(projectId: "@current", name: $name, version: $version) { status nextSyncAt } }',
  cancel:
    'mutation ($name: String!, $version: Int) { done: cancelSync(projectId: "@current", name: $name, version: $version) { status nextSyncAt } }',
} as const;

export async function ask(
  test: TestApp,
  what: keyof typeof graphql,
  variables: { readonly name: string; readonly version?: number },
) {
  return (await test.graphql(graphql[what], variables)).body;
}
