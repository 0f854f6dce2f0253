/** A member called `__proto__` would be lost when it is stored; a variable may have the name all the same. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openTestApp, type TestApp } from '../support/test-app.ts';

let test: TestApp;

beforeAll(async () => {
  test = await openTestApp();
  await test.rest('POST', '/endpoints', { body: { name: 'kept', query: queryOf('x') } });
});
afterAll(() => test.close());

const sql = 'SELECT {__proto__:Int32} AS n';

/** By JSON.parse, which makes a member of `__proto__`, as an object literal does not. */
function queryOf(key: string, definition = '{"code_name": "__proto__", "value": 7}'): unknown {
  return JSON.parse(
    `{"kind": "SQLQuery", "query": "${sql}", "variables": {"${key}": ${definition}}}`,
  );
}

const inKey = () => queryOf('__proto__', '{"value": 7}');
const inDefault = () => queryOf('x', '{"code_name": "__proto__", "value": [{"__proto__": 1}]}');

const create =
  'mutation ($input: CreateEndpointInput!) { createEndpoint(projectId: "@current", input: $input) { id } }';
const literal = `mutation { createEndpoint(projectId: "@current", input: { name: "lost", query: { kind: "SQLQuery", query: "${sql}", variables: { __proto__: { value: 7 } } } }) { id } }`;

it.each([
  ['the key of a definition', inKey],
  ['in a default', inDefault],
])('is refused by both interfaces: %s', async (_where, query) => {
  const body = { name: 'lost', query: query() };
  const made = await test.rest('POST', '/endpoints', { body });
  expect([made.status, made.body.code, made.body.attr]).toEqual([400, 'invalid_input', 'query']);
  expect(made.body.detail).toContain('"code_name": "__proto__"');
  const changed = await test.rest('PATCH', '/endpoints/kept', { body: { query: query() } });
  expect([changed.status, changed.body.detail]).toEqual([400, made.body.detail]);
  for (const twin of [await test.graphql(create, { input: body }), await test.graphql(literal)]) {
    expect(twin.body.errors).toMatchObject([
      { message: made.body.detail, extensions: { code: 'invalid_input', attr: 'query' } },
    ]);
  }
  expect((await test.rest('GET', '/endpoints/lost')).status).toBe(404);
});

it('is refused in the default of a saved variable', async () => {
  const body = JSON.parse(
    '{"name": "saved", "type": "List", "default_value": ["a"], "values": [{"__proto__": 1}]}',
  ) as object;
  expect((await test.rest('POST', '/insight_variables', { body })).status).toBe(400);
});

it('is the name of a variable that another member defines, and of a value', async () => {
  const { body } = await test.rest('GET', '/endpoints/kept');
  expect(body).toMatchObject({ current_version: 1, query: queryOf('x') });
  expect((await test.rest('GET', '/endpoints/kept/run')).body.results).toEqual([[7]]);
  const given = await test.rest('GET', '/endpoints/kept/run?variables[__proto__]=9');
  expect(given.body.results).toEqual([[9]]);
});
