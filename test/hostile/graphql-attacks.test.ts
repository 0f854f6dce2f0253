/** Attacks on GraphQL: documents that cost much, another project's nodes, requests that a web page could send. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { openTestApp, type TestApp } from '../support/test-app.ts';
import { type Canaries, openGuardedApp } from './support/canaries.ts';

const times = (count: number, piece: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => piece(index)).join(' ');

/** Nested that deep, through fields that lead back to themselves. */
function nested(levels: number): string {
  let inner = 'id';
  for (let i = 0; i < levels; i += 1) inner = `endpoint { version(version: 1) { ${inner} } }`;
  return inner;
}

const bombs: readonly (readonly [string, string])[] = [
  ['10,000 aliases', `{ ${times(10_000, (i) => `a${i}: __typename`)} }`],
  ['100 aliases of one field', `{ ${times(100, (i) => `a${i}: project(id: "@current") { id }`)} }`],
  [
    '200 runs',
    `{ ${times(200, (i) => `r${i}: runEndpoint(projectId: "@current", name: "shown") { isCached }`)} }`,
  ],
  [
    'mutations by the hundred',
    `mutation { ${times(100, (i) => `d${i}: deleteEndpoint(projectId: "@current", name: "shown")`)} }`,
  ],
  ['depth', `{ endpoint(projectId: "@current", name: "shown") { ${nested(40)} } }`],
  ['braces without end', '{ a '.repeat(5000)],
  ['lists in lists', `{ a(b: ${'['.repeat(5000)} }`],
  ['objects in objects', `{ a(b: ${'{c:'.repeat(3000)} }`],
  [
    'a list times a list',
    '{ endpoints(projectId: "@current", first: 1000) { edges { node { versions(first: 1000) { edges { node { id query } } } } } } }',
  ],
  [
    'the same in fragments',
    '{ endpoints(projectId: "@current", first: 1000) { edges { node { ...A } } } } fragment A on Endpoint { versions(first: 1000) { edges { node { ...B } } } } fragment B on EndpointVersion { id query }',
  ],
  ['a fragment in itself', '{ project(id: "@current") { ...A } } fragment A on Project { ...A }'],
  [
    'fragments in a circle',
    '{ project(id: "@current") { ...A } } fragment A on Project { ...B } fragment B on Project { ...A }',
  ],
  [
    'fragments that double',
    `{ project(id: "@current") { ...F0 } } ${times(30, (i) => `fragment F${i} on Project { ...F${i + 1} ...F${i + 1} }`)} fragment F30 on Project { id }`,
  ],
  ['directives by the thousand', `{ __typename ${times(3000, () => '@include(if: true)')} }`],
  ['repeated arguments', `{ project(${times(2000, () => 'id: "1"')}) { id } }`],
  ['variables by the thousand', `query (${times(3000, (i) => `$v${i}: Int`)}) { __typename }`],
  ['fields by the thousand', `{ ${times(5000, () => '__typename')} }`],
  [
    'introspection in introspection',
    `{ __schema { types { ${'fields { type { '.repeat(12)} name ${'} } '.repeat(12)} } } }`,
  ],
];

/** What a page of another origin can send without asking first. */
const simple: readonly (readonly [string, string])[] = [
  ['application/x-www-form-urlencoded', 'query=MUTATION'],
  ['application/x-www-form-urlencoded; charset=utf-8', 'query=MUTATION'],
  ['text/plain', '{"query":"MUTATION"}'],
  ['text/plain;charset=application/json', '{"query":"MUTATION"}'],
  [
    'multipart/form-data; boundary=x',
    '--x\r\ncontent-disposition: form-data; name="operations"\r\n\r\n{"query":"MUTATION"}\r\n--x--',
  ],
  ['application/graphql', 'MUTATION'],
  ['text/plain, application/json', '{"query":"MUTATION"}'],
  ['x/y; a=application/json', '{"query":"MUTATION"}'],
  ['', '{"query":"MUTATION"}'],
];

const mutation = 'mutation { deleteEndpoint(projectId: \\"@current\\", name: \\"shown\\") }';

describe('an attack on GraphQL', () => {
  let tested: TestApp;
  let canaries: Canaries;

  beforeAll(async () => {
    ({ tested, canaries } = await openGuardedApp());
  });
  afterEach(async () => {
    expect(await canaries.touched()).toEqual([]);
  });
  afterAll(async () => {
    await canaries?.close();
    await tested?.close();
  });

  const send = (init: RequestInit, search = '') =>
    tested.app.fetch(
      new Request(`http://querydock.test/graphql${search}`, { method: 'POST', ...init }),
    );
  const intact = async () => {
    expect((await tested.rest('GET', '/endpoints/shown')).status).toBe(200);
    const options = { project: tested.other };
    expect((await tested.rest('GET', '/endpoints/hidden', options)).status).toBe(200);
  };

  it.each(bombs)('%s is refused before it runs', async (_what, query) => {
    const statements = tested.takeStatements;
    statements();
    const { status, body } = await tested.graphql(query);
    expect(status).toBeLessThan(500);
    expect(body.data ?? null).toBeNull();
    expect(body.errors?.length).toBeGreaterThan(0);
    expect(JSON.stringify(body)).not.toContain('CANARY');
    expect(JSON.stringify(body).length).toBeLessThan(100_000);
    expect(statements().filter((sql) => /endpoint_version|DELETE/i.test(sql))).toEqual([]);
    await intact();
  });

  it.each(simple)('a post of %j does nothing', async (type, text) => {
    const response = await send({
      headers: {
        ...(type === '' ? {} : { 'content-type': type }),
        authorization: `Bearer ${tested.project.writeKey}`,
        origin: 'http://evil.test',
      },
      body: new TextEncoder().encode(text.replace('MUTATION', mutation)),
    });
    expect(response.status).toBe(415);
    expect(await response.json()).toMatchObject({
      errors: [{ extensions: { code: 'unsupported_media_type' } }],
    });
    expect(response.headers.get('access-control-allow-origin')).toBeNull();
    await intact();
  });

  it.each([
    ['an array', `[{"query":"${mutation}"},{"query":"${mutation}"}]`],
    ['an array of one', `[{"query":"${mutation}"}]`],
    ['an empty array', '[]'],
    ['two objects', `{"query":"${mutation}"}{"query":"${mutation}"}`],
    ['lines', `{"query":"${mutation}"}\n{"query":"${mutation}"}`],
    ['a text', `"${mutation}"`],
    ['a query that is a list', `{"query":["${mutation}"]}`],
  ])('a batch as %s does nothing', async (_what, body) => {
    const response = await send({
      headers: {
        'content-type': 'application/json',
        authorization: `Bearer ${tested.project.writeKey}`,
      },
      body,
    });
    expect(response.status).toBe(400);
    await intact();
  });

  it.each(['GET', 'HEAD'])('a mutation by %s does nothing', async (method) => {
    const query = encodeURIComponent(mutation.replaceAll('\\"', '"'));
    const response = await send(
      { method, headers: { authorization: `Bearer ${tested.project.writeKey}` } },
      `?query=${query}`,
    );
    expect(response.status).toBe(405);
    await intact();
  });

  it('a preflight of another origin is not allowed', async () => {
    const response = await send({
      method: 'OPTIONS',
      headers: {
        origin: 'http://evil.test',
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'authorization,content-type',
      },
    });
    expect(response.headers.get('access-control-allow-origin')).toBeNull();
  });

  const readers = [
    'project(id: "OTHER") { id name }',
    'endpoint(projectId: "OTHER", name: "hidden") { id query }',
    'endpoints(projectId: "OTHER") { edges { node { id query } } }',
    'runEndpoint(projectId: "OTHER", name: "hidden") { results }',
    'materializationStatus(projectId: "OTHER", name: "hidden") { status }',
    'lastExecutionTimes(projectId: "OTHER", names: ["hidden"]) { name }',
    'queryStatus(projectId: "OTHER", id: "00000000-0000-0000-0000-000000000000") { id }',
  ];

  it.each(readers)('%s shows nothing of another project', async (field) => {
    const { body, text } = await tested.graphql(
      `{ ${field.replace('OTHER', String(tested.other.id))} }`,
    );
    expect(body.errors?.[0]?.extensions.code).toBe('permission_denied');
    expect(text).not.toContain('CANARY');
  });

  it.each([
    'createEndpoint(projectId: "OTHER", input: { name: "made", query: "SELECT 1" }) { id }',
    'updateEndpoint(projectId: "OTHER", name: "hidden", input: { isActive: false }) { id }',
    'deleteEndpoint(projectId: "OTHER", name: "hidden")',
    'cancelQuery(projectId: "OTHER", id: "x") { id }',
  ])('%s changes nothing of another project', async (field) => {
    const query = `mutation { ${field.replace('OTHER', String(tested.other.id))} }`;
    const { body, text } = await tested.graphql(query);
    expect(body.errors?.[0]?.extensions.code).toBe('permission_denied');
    expect(text).not.toContain('CANARY');
    await intact();
  });

  it.each([
    'endpoint(projectId: "@current", name: "FILE") { id }',
    'endpoint(projectId: "@current", name: "http://127.0.0.1:PORT/") { id }',
    'endpoint(projectId: "file://FILE", name: "shown") { id }',
    'runEndpoint(projectId: "http://127.0.0.1:PORT/", name: "shown") { results }',
    'runEndpoint(projectId: "@current", name: "shown", input: { variables: { v: "FILE" } }) { results }',
    'runEndpoint(projectId: "@current", name: "shown", input: { format: "FILE" }) { results }',
    'queryStatus(projectId: "@current", id: "../../FILE") { id }',
    'lastExecutionTimes(projectId: "@current", names: ["http://127.0.0.1:PORT/"]) { name }',
    '...A } fragment A on Query @load(from: "http://127.0.0.1:PORT/") { __typename',
  ])('%s reaches for a file or a port, and gets neither', async (field) => {
    const { status, body, text } = await tested.graphql(`{ ${canaries.fill(field)} }`);
    expect(status).toBeLessThan(500);
    expect(Object.values(body.data ?? {}).every((value) => value === null)).toBe(true);
    expect(text).not.toContain('CANARY');
  });

  it.each([
    { persistedQuery: { version: 1, sha256Hash: 'FILE' } },
    { persistedQuery: { version: 1, sha256Hash: 'http://127.0.0.1:PORT/' } },
    { documentId: 'FILE', url: 'http://127.0.0.1:PORT/' },
  ])('a document named as %j is not fetched', async (extensions) => {
    const response = await send({
      headers: {
        'content-type': 'application/json',
        authorization: `Bearer ${tested.project.writeKey}`,
      },
      body: canaries.fill(JSON.stringify({ extensions })),
    });
    expect(response.status).toBeLessThan(500);
    expect(await response.text()).toMatch(/^(?!.*CANARY).*"errors"/);
  });

  it.each([
    'mutation { createApiKey(input: { label: "x", scopes: ["admin"], projectIds: [] }) { key } }',
    '{ apiKeys { id hash } }',
  ])('%s is for no author', async (query) => {
    const { body, text } = await tested.graphql(query);
    expect(body.data ?? null).toBeNull();
    expect(text).not.toMatch(/qdk_[A-Za-z0-9]{20}/);
  });

  describe('with introspection turned off', () => {
    let closed: TestApp;
    beforeAll(async () => {
      closed = await openTestApp({ introspection: false });
    });
    afterAll(async () => closed?.close());

    it.each([
      '{ __schema { types { name } } }',
      '{ __type(name: "Query") { fields { name } } }',
      '{ a: __schema { queryType { name } } }',
      '{ ...A } fragment A on Query { __schema { types { name } } }',
      '{ ... on Query { __type(name: "Endpoint") { name } } }',
      'query { __schema { directives { name } } }',
      'mutation { __schema { types { name } } }',
      '{ __typename @include(if: true) __schema { types { name } } }',
    ])('%s tells nothing of the schema', async (query) => {
      const { body } = await closed.graphql(query);
      expect(body.data ?? null).toBeNull();
      expect(body.errors?.map((error) => error.message).join()).toMatch(
        /introspection|Cannot query/i,
      );
    });

    it.each([
      '{ endpointz { id } }',
      '{ project(id: "1") { nam } }',
      '{ project(idd: "1") { id } }',
    ])('%s is answered without a suggestion of what there is', async (query) => {
      const { body } = await closed.graphql(query);
      expect(body.errors?.length).toBeGreaterThan(0);
      expect(JSON.stringify(body.errors)).not.toMatch(/Did you mean/);
    });

    it('variables of an input get no suggestion, too', async () => {
      const query =
        'mutation ($input: CreateEndpointInput!) { createEndpoint(projectId: "@current", input: $input) { id } }';
      const { body } = await closed.graphql(query, { input: { nam: 'x' } });
      expect(body.errors?.length).toBeGreaterThan(0);
      expect(JSON.stringify(body.errors)).not.toMatch(/Did you mean|"name"/);
    });

    it('serves ordinary documents', async () => {
      const { body } = await closed.graphql('{ project(id: "@current") { __typename name } }');
      expect(body).toEqual({ data: { project: { __typename: 'Project', name: 'flights' } } });
    });
  });
});
