import { afterAll, beforeAll, expect, it } from 'vitest';
import { openTestApp, type TestApp } from '../support/test-app.ts';

let test: TestApp;

beforeAll(async () => {
  test = await openTestApp();
  for (const name of ['a', 'b', 'c']) {
    test.clock.advance(1000);
    await test.rest('POST', '/endpoints', { body: { name, query: 'SELECT 1 AS n' } });
    await test.rest('PATCH', `/endpoints/${name}`, { body: { query: 'SELECT 2 AS n' } });
  }
});
afterAll(() => test.close());

it.each([
  ['after: "R1BDOk46NQ=="', 'after'],
  ['after: "R1BDOlM6eA=="', 'after'],
  ['before: "garbage"', 'before'],
  ['first: -1', 'first'],
  ['first: 1, last: 1', 'last'],
  ['last: 1, offset: 1', 'offset'],
  ['first: 1, offset: -1', 'offset'],
])('a page of %s is refused by name', async (args, attr) => {
  const { body } = await test.graphql(
    `{ endpoints(projectId: "@current", ${args}) { edges { cursor } } }`,
  );
  expect(body.errors?.[0]?.extensions).toMatchObject({ code: 'invalid_input', attr });
});

it('pages of endpoints and versions follow their cursors', async () => {
  const first = await test.graphql(
    '{ endpoints(projectId: "@current", first: 2) { edges { cursor node { name } } } }',
  );
  const { edges } = (first.body.data?.endpoints ?? { edges: [] }) as {
    edges: { cursor: string; node: { name: string } }[];
  };
  const next = await test.graphql(
    'query ($after: String) { endpoints(projectId: "@current", after: $after) { edges { node { name } } } }',
    { after: edges[1]?.cursor },
  );
  expect([...edges.map(({ node }) => node.name)]).toEqual(['c', 'b']);
  expect(next.body.data).toEqual({ endpoints: { edges: [{ node: { name: 'a' } }] } });
});

it('whole numbers in GraphQL variables keep every digit', async () => {
  await test.rest('POST', '/endpoints', {
    body: { name: 'echo', query: 'SELECT {n:Int64} AS n, {j:JSON} AS j' },
  });
  const response = await test.app.fetch(
    new Request('http://querydock.test/graphql', {
      method: 'POST',
      headers: {
        authorization: `Bearer ${test.project.readKey}`,
        'content-type': 'application/json',
      },
      body: `{"query":"query($v:JSON){runEndpoint(projectId:\\"@current\\",name:\\"echo\\",input:{variables:$v}){results}}","variables":{"v":{"n":9007199254740993,"j":{"a":12345678901234567}}}}`,
    }),
  );
  expect(await response.text()).toContain('[[9007199254740993, {"a":12345678901234567}]]');
});
