/** Pages whose cursor's row is deleted, changed or of another list before the next page is read. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTestApp, type TestApp } from '../support/test-app.ts';

let test: TestApp;

beforeAll(async () => {
  test = await openTestApp();
});
afterAll(() => test.close());

interface Connection {
  readonly edges: readonly { readonly cursor: string; readonly node: Record<string, unknown> }[];
  readonly pageInfo: { readonly hasNextPage: boolean; readonly hasPreviousPage: boolean };
}

const page = '{ edges { cursor node { id FIELDS } } pageInfo { hasNextPage hasPreviousPage } }';

const lists = {
  endpoints: `query ($after: String, $before: String, $first: Int, $last: Int, $filter: EndpointFilter) {
    list: endpoints(projectId: "@current", after: $after, before: $before, first: $first, last: $last, filter: $filter) ${page.replace('FIELDS', 'name')} }`,
  savedVariables: `query ($after: String, $before: String, $first: Int, $last: Int) {
    list: savedVariables(projectId: "@current", after: $after, before: $before, first: $first, last: $last) ${page.replace('FIELDS', 'name')} }`,
  endpointVersions: `query ($name: String = "kept", $after: String, $before: String, $first: Int, $last: Int, $filter: VersionFilter) {
    list: endpointVersions(projectId: "@current", name: $name, after: $after, before: $before, first: $first, last: $last, filter: $filter) ${page.replace('FIELDS', 'version')} }`,
  auditLog: `query ($after: String, $before: String, $first: Int, $last: Int, $filter: AuditFilter) {
    list: auditLog(projectId: "@current", after: $after, before: $before, first: $first, last: $last, filter: $filter) ${page.replace('FIELDS', 'action')} }`,
  apiKeys: `query ($after: String, $before: String, $first: Int, $last: Int) {
    list: apiKeys(after: $after, before: $before, first: $first, last: $last) ${page.replace('FIELDS', 'label')} }`,
} as const;

async function list(name: keyof typeof lists, variables: Record<string, unknown>) {
  const key = name === 'apiKeys' ? test.adminKey : test.project.writeKey;
  const { body } = await test.graphql(lists[name], variables, { key });
  expect(body.errors).toBeUndefined();
  return body.data?.list as Connection;
}

const cursorOf = (id: string) => Buffer.from(`GPC:S:${id}`).toString('base64');
const namesOf = ({ edges }: Connection) => edges.map(({ node }) => String(node.name));
const last = ({ edges }: Connection) => edges.at(-1)?.cursor;

async function saveEndpoints(...names: string[]): Promise<void> {
  for (const name of names) {
    await test.rest('POST', '/endpoints', { body: { name, query: 'SELECT 1 AS n' } });
  }
}

describe('pages continue at the position of a cursor', () => {
  it('whose endpoint is deleted, so that a script deletes all that it reads', async () => {
    await saveEndpoints('d1', 'd2', 'd3', 'd4', 'd5', 'd6', 'd7');
    const seen: unknown[] = [];
    let after: string | undefined;
    for (let more = true; more; ) {
      const read = await list('endpoints', { first: 2, after, filter: { search: 'd' } });
      for (const name of namesOf(read)) {
        seen.push(name);
        await test.rest('DELETE', `/endpoints/${name}`);
      }
      after = last(read);
      more = read.pageInfo.hasNextPage;
    }
    expect(seen).toEqual(['d7', 'd6', 'd5', 'd4', 'd3', 'd2', 'd1']);
  });

  it('in both directions, also of rows of one millisecond', async () => {
    await saveEndpoints('b1', 'b2', 'b3', 'b4', 'b5');
    const filter = { search: 'b' };
    const all = await list('endpoints', { filter });
    expect(namesOf(all)).toEqual(['b5', 'b4', 'b3', 'b2', 'b1']);
    const middle = all.edges[2]?.cursor;
    await test.rest('DELETE', '/endpoints/b3');
    expect(namesOf(await list('endpoints', { after: middle, filter }))).toEqual(['b2', 'b1']);
    const before = await list('endpoints', { before: middle, last: 1, filter });
    expect(namesOf(before)).toEqual(['b4']);
    expect(before.pageInfo).toMatchObject({ hasPreviousPage: true });
    for (const name of ['b1', 'b2', 'b4', 'b5']) await test.rest('DELETE', `/endpoints/${name}`);
  });

  it('whose endpoint no longer matches the filter', async () => {
    await saveEndpoints('f1', 'f2', 'f3', 'f4');
    const filter = { isActive: true, search: 'f' };
    const first = await list('endpoints', { first: 2, filter });
    for (const name of namesOf(first)) {
      await test.rest('PATCH', `/endpoints/${name}`, { body: { is_active: false } });
    }
    const next = await list('endpoints', { first: 2, after: last(first), filter });
    expect([...namesOf(first), ...namesOf(next)]).toEqual(['f4', 'f3', 'f2', 'f1']);
  });

  it('whose version no longer matches the filter', async () => {
    await saveEndpoints('kept');
    for (const n of [2, 3, 4]) {
      await test.rest('PATCH', '/endpoints/kept', { body: { query: `SELECT ${n} AS n` } });
    }
    const filter = { isActive: true };
    const first = await list('endpointVersions', { first: 2, filter });
    await test.rest('PATCH', '/endpoints/kept', { body: { version: 3, is_active: false } });
    const next = await list('endpointVersions', { after: last(first), filter });
    expect(next.edges.map(({ node }) => node.version)).toEqual([2, 1]);
  });

  it('whose variable is deleted', async () => {
    for (const name of ['v1', 'v2', 'v3']) {
      await test.rest('POST', '/insight_variables', { body: { name, type: 'Number' } });
    }
    const first = await list('savedVariables', { first: 1 });
    expect(namesOf(first)).toEqual(['v3']);
    await test.rest('DELETE', `/insight_variables/${String(first.edges[0]?.node.id)}`);
    expect(namesOf(await list('savedVariables', { after: last(first) }))).toEqual(['v2', 'v1']);
  });

  it('of the audit log and of keys', async () => {
    for (const name of ['auditLog', 'apiKeys'] as const) {
      const all = (await list(name, { first: 3 })).edges;
      const next = await list(name, { first: 2, after: all[0]?.cursor });
      expect(next.edges).toEqual(all.slice(1));
      expect((await list(name, { last: 1, before: all[1]?.cursor })).edges).toEqual([all[0]]);
    }
  });
});

describe('a cursor that tells no position in the list is refused', () => {
  const unknown = cursorOf('0197aaaa-0000-7000-8000-000000000000');
  const random = cursorOf('6b1f5a0e-8f0e-4f0e-9d7a-2f3c9d1b7a10');
  const afterAllTime = cursorOf('ffffffff-ffff-7000-8000-000000000000');

  it.each([
    ['endpoints', 'after', random],
    ['endpoints', 'before', afterAllTime],
    ['savedVariables', 'after', random],
    ['apiKeys', 'after', random],
    ['endpointVersions', 'after', unknown],
    ['endpointVersions', 'before', unknown],
    ['auditLog', 'after', unknown],
  ] as const)('by %s, in %s', async (name, attr, cursor) => {
    const key = name === 'apiKeys' ? test.adminKey : test.project.writeKey;
    const { body } = await test.graphql(lists[name], { [attr]: cursor }, { key });
    expect(body.errors).toMatchObject([
      {
        message: `${attr} must be a cursor returned by a list of this kind.`,
        extensions: { code: 'invalid_input', attr },
      },
    ]);
  });

  it("by the versions of an endpoint, for a cursor of another endpoint's", async () => {
    await saveEndpoints('other');
    const { edges } = await list('endpointVersions', { name: 'kept', first: 1 });
    const after = edges[0]?.cursor;
    const nested =
      'query ($name: String!, $after: String) { endpoint(projectId: "@current", name: $name) { versions(after: $after) { edges { node { version } } } } }';
    for (const document of [nested, lists.endpointVersions]) {
      const { body } = await test.graphql(document, { name: 'other', after });
      expect(body.errors?.[0]?.extensions).toMatchObject({ code: 'invalid_input', attr: 'after' });
    }
    const { body } = await test.graphql(nested, { name: 'kept', after });
    expect(body).toEqual({
      data: {
        endpoint: { versions: { edges: [3, 2, 1].map((version) => ({ node: { version } })) } },
      },
    });
  });

  it("by the audit log of a project, for a cursor of another project's", async () => {
    await test.rest('POST', '/endpoints', {
      body: { name: 'theirs', query: 'SELECT 1 AS n' },
      key: test.other.writeKey,
      project: test.other,
    });
    const theirs = await test.graphql(lists.auditLog, { first: 1 }, { key: test.other.writeKey });
    const after = last(theirs.body.data?.list as Connection);
    const { body } = await test.graphql(lists.auditLog, { after });
    expect(body.errors?.[0]?.extensions).toMatchObject({ code: 'invalid_input', attr: 'after' });
  });
});
