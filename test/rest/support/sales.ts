/** A service with a small table of sales in both of its projects, and ways to save and to look around. */
import { expect } from 'vitest';
import type { Config } from '../../../src/config/config.ts';
import { commandLineActor } from '../../../src/model/actor.ts';
import { everything } from '../../support/stored-endpoints.ts';
import {
  openTestApp,
  type TestApp,
  type TestProject,
  type TestResponse,
} from '../../support/test-app.ts';

export const byCountry =
  'SELECT country, sum(amount) AS total FROM sales GROUP BY country ORDER BY country';
export const ofCountry =
  'SELECT day, amount FROM sales WHERE country = {country:String} ORDER BY day';

const columns = 'country String, amount UInt32, day Date, note Nullable(String)';

/** Three sales in the first project, one in the other. */
export async function openSalesApp(settings: Partial<Config> = {}): Promise<TestApp> {
  const test = await openTestApp(settings);
  for (const project of [test.project, test.other]) {
    await test.sql(`CREATE TABLE sales (${columns}) ENGINE = MergeTree ORDER BY day`, project);
  }
  await test.sql(
    "INSERT INTO sales VALUES ('at', 1, '2026-01-01', NULL), ('de', 2, '2026-01-02', 'two'), ('de', 3, '2026-02-03', 'three')",
  );
  await test.sql("INSERT INTO sales VALUES ('fr', 9, '2026-01-01', NULL)", test.other);
  return test;
}

/** One more sale in the first project, which the service is told of as of a load. */
export async function addSale(test: TestApp): Promise<void> {
  await test.sql("INSERT INTO sales VALUES ('ch', 1, '2026-03-01', NULL)");
  await test.app.core.projects.recordDataChange({
    projectId: test.project.id,
    table: 'sales',
    by: commandLineActor,
    action: 'data.loaded',
  });
}

/** Saves an endpoint of this name. Returns its body. */
export async function save(
  test: TestApp,
  name: string,
  more: Readonly<Record<string, unknown>> = {},
  project: TestProject = test.project,
): Promise<TestResponse['body']> {
  const body = { name, query: byCountry, ...more };
  const response = await test.rest('POST', '/endpoints', { body, project });
  expect(response.body).toMatchObject({ name });
  expect(response.status).toBe(201);
  return response.body;
}

/** The same name in both projects: the other's must stay as it is, whatever happens to the first. */
export async function saveInBoth(
  test: TestApp,
  name: string,
  more: Readonly<Record<string, unknown>> = {},
): Promise<void> {
  await save(test, name, more);
  await save(test, name, more, test.other);
}

export async function change(
  test: TestApp,
  name: string,
  body: Readonly<Record<string, unknown>>,
): Promise<TestResponse['body']> {
  const response = await test.rest('PATCH', `/endpoints/${name}`, { body });
  expect(response.body).not.toHaveProperty('code');
  expect(response.status).toBe(200);
  return response.body;
}

export async function retrieve(test: TestApp, name: string, version?: number) {
  const query = version === undefined ? '' : `?version=${version}`;
  const response = await test.rest('GET', `/endpoints/${name}${query}`);
  expect(response.body).toMatchObject({ name });
  return response.body;
}

export async function run(
  test: TestApp,
  name: string,
  body: Readonly<Record<string, unknown>> = {},
): Promise<TestResponse['body']> {
  const response = await test.rest('POST', `/endpoints/${name}/run`, { body });
  expect(response.body).toMatchObject({ name });
  expect(response.status).toBe(200);
  return response.body;
}

/** Saves the query under a name of its own and runs it. */
export async function runQuery(
  test: TestApp,
  query: unknown,
  body: Readonly<Record<string, unknown>> = {},
): Promise<TestResponse> {
  const name = await saveQuery(test, query);
  return test.rest('POST', `/endpoints/${name}/run`, { body });
}

let saved = 0;

/** The name that the query was saved under. */
export async function saveQuery(test: TestApp, query: unknown): Promise<string> {
  saved += 1;
  const name = `query_${saved}`;
  await save(test, name, { query });
  return name;
}

/** Everything that is saved in both projects, but for the endpoints named and for when they ran. */
export async function bystanders(test: TestApp, except: readonly string[] = []): Promise<unknown> {
  const { endpoints, versions, materializations } = await everything(test.backends.metadata.prisma);
  const left = new Set(
    endpoints
      .filter(({ projectId, name }) => projectId === test.project.id && except.includes(name))
      .map(({ id }) => id),
  );
  const kept = versions.filter(({ endpointId }) => !left.has(endpointId));
  const keptIds = new Set(kept.map(({ id }) => id));
  return {
    endpoints: endpoints
      .filter(({ id }) => !left.has(id))
      .map((endpoint) => ({ ...endpoint, lastExecutedAt: null })),
    versions: kept,
    materializations: materializations.filter(({ versionId }) => keptIds.has(versionId)),
  };
}

/** How many executions an endpoint of the project has. */
export async function executions(test: TestApp, endpointName: string): Promise<number> {
  await test.app.core.recorder.flush();
  const projectId = test.project.id;
  return test.backends.metadata.prisma.queryStatus.count({ where: { projectId, endpointName } });
}
