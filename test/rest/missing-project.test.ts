/** Lists of a project that does not exist, for a key that may see every project. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { statementsOf } from '../support/statements.ts';
import { openTestApp, type TestApp } from '../support/test-app.ts';

let test: TestApp;

beforeAll(async () => {
  test = await openTestApp();
  await test.rest('POST', '/endpoints', { body: { name: 'sales', query: 'SELECT 1 AS n' } });
});
afterAll(() => test.close());

const missing = '2000000000';
const notFound = {
  type: 'invalid_request',
  code: 'not_found',
  detail: `There is no project ${missing}.`,
  attr: 'project_id',
};

const names = { names: ['sales'] };

it.each([
  ['GET', '/endpoints', undefined],
  ['GET', '/insight_variables', undefined],
  ['POST', '/endpoints/last_execution_times', names],
  ['POST', '/endpoints/last_execution_times', { names: [] }],
  ['GET', '/usage', undefined],
  ['GET', '/logs', undefined],
])('%s %s is not found', async (method, path, body) => {
  const call = { key: test.adminKey, ...(body === undefined ? {} : { body }) };
  const refused = await test.rest(method, path, { ...call, project: missing });
  expect([refused.status, refused.body]).toEqual([404, notFound]);
  const own = await test.rest(method, path, { ...call, project: String(test.project.id) });
  expect(own.status).toBe(200);
});

it.each([
  ['endpoints { totalCount }', 'endpoints(projectId: $id) { edges { cursor } }'],
  ['endpoints', 'endpoints(projectId: $id) { totalCount }'],
  ['savedVariables', 'savedVariables(projectId: $id) { totalCount edges { cursor } }'],
  ['lastExecutionTimes', 'lastExecutionTimes(projectId: $id, names: ["sales"]) { name }'],
  ['auditLog', 'auditLog(projectId: $id) { totalCount edges { cursor } }'],
  ['executions', 'executions(projectId: $id) { totalCount }'],
])('%s by GraphQL is not found', async (_name, field) => {
  const { body } = await test.graphql(
    `query ($id: ID!) { ${field} }`,
    { id: missing },
    { key: test.adminKey },
  );
  const { detail, ...extensions } = notFound;
  expect(body.errors).toMatchObject([{ message: detail, extensions }]);
  const own = await test.graphql(
    `query ($id: ID!) { ${field} }`,
    { id: String(test.project.id) },
    { key: test.adminKey },
  );
  expect(own.body.errors).toBeUndefined();
});

it('takes no statement where the key has the project: a list is its rows and their number', async () => {
  const list = () => test.rest('GET', '/insight_variables', { key: test.project.readKey });
  await list();
  expect(await statementsOf(test, list)).toHaveLength(2);
});
