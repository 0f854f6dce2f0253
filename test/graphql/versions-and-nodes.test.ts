/** One id names one object for ever: what a normalizing cache stores of an endpoint or a version is never another's. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTestApp, type TestApp } from '../support/test-app.ts';

let test: TestApp;
let endpointId = '';
let versionIds: readonly string[] = [];

const first = { kind: 'SQLQuery', query: 'SELECT 1 AS n', variables: {} };
const second = { kind: 'SQLQuery', query: 'SELECT 2 AS n', variables: {} };

beforeAll(async () => {
  test = await openTestApp();
  await test.rest('POST', '/endpoints', { body: { name: 'a', query: first } });
  await test.rest('PATCH', '/endpoints/a', { body: { query: second, description: 'two' } });
  const { body } = await test.rest('GET', '/endpoints/a/versions');
  const rows = body.results as readonly { readonly id: string; readonly version_id: string }[];
  endpointId = rows[0]?.id ?? '';
  versionIds = rows.map((row) => row.version_id).toReversed();
});
afterAll(() => test.close());

async function data(query: string, variables: object = {}, key?: string) {
  const { body } = await test.graphql(query, variables, key === undefined ? {} : { key });
  expect(body.errors).toBeUndefined();
  return body.data;
}

const at = 'projectId: "@current", name: "a"';
const head = 'id query description currentVersion currentVersionId isMaterialized';
const current = () => ({
  id: endpointId,
  query: second,
  description: 'two',
  currentVersion: 2,
  currentVersionId: versionIds[1],
  isMaterialized: false,
});

describe('an Endpoint', () => {
  it.each(['', ', version: 1', ', version: 2'])(
    'is its current version: endpoint(…%s)',
    async (v) => {
      expect(await data(`{ endpoint(${at}${v}) { ${head} } }`)).toEqual({ endpoint: current() });
    },
  );

  it('is its current version when another one is changed', async () => {
    const document = `mutation { updateEndpoint(${at}, version: 1, input: { description: "one" }) { ${head} version(version: 1) { id version description } } }`;
    expect(await data(document)).toEqual({
      updateEndpoint: {
        ...current(),
        version: { id: versionIds[0], version: 1, description: 'one' },
      },
    });
  });

  it('is its current version beside the one that it is reached from', async () => {
    expect(
      await data(`{ endpointVersion(${at}, version: 1) { id query endpoint { ${head} } } }`),
    ).toEqual({ endpointVersion: { id: versionIds[0], query: first, endpoint: current() } });
  });

  it('refuses a version that it does not have', async () => {
    for (const document of [
      `{ endpoint(${at}, version: 3) { id } }`,
      `{ endpoint(${at}) { version(version: 3) { id } } }`,
      `{ endpointVersion(${at}, version: 3) { id } }`,
    ]) {
      const { body } = await test.graphql(document);
      expect(body.errors).toMatchObject([
        {
          message: "Version 3 not found for endpoint 'a'. The current version is 2.",
          extensions: { code: 'version_not_found', attr: 'version', current_version: 2 },
        },
      ]);
    }
  });
});

describe('an EndpointVersion', () => {
  it('has an id of its own, whatever way it is reached', async () => {
    const seen = 'id versionId endpointId version';
    const [one, two] = versionIds.map((id, i) => ({
      id,
      versionId: id,
      endpointId,
      version: i + 1,
    }));
    expect(
      await data(`{
        endpoint(${at}) { current: version { ${seen} } one: version(version: 1) { ${seen} } versions { edges { node { ${seen} } } } }
        latest: endpointVersion(${at}) { ${seen} }
        endpointVersions(${at}) { edges { node { ${seen} } } }
      }`),
    ).toEqual({
      endpoint: { current: two, one, versions: { edges: [{ node: two }, { node: one }] } },
      latest: two,
      endpointVersions: { edges: [{ node: two }, { node: one }] },
    });
  });
});

describe('node and nodes', () => {
  const fields = `__typename id ... on Endpoint { name description materialization { enabled } } ... on EndpointVersion { version name endpoint { id } }`;
  const nodes = 'query ($ids: [ID!]!) { nodes(ids: $ids) { id } }';

  it('find endpoints and versions by their ids alone, in the order of the ids', async () => {
    const ids = [versionIds[0], endpointId, 'nothing', versionIds[1]];
    expect(
      await data(
        `query ($ids: [ID!]!, $id: ID!) { nodes(ids: $ids) { ${fields} } node(id: $id) { ${fields} } }`,
        {
          ids,
          id: endpointId,
        },
      ),
    ).toEqual({
      nodes: [
        {
          __typename: 'EndpointVersion',
          id: versionIds[0],
          version: 1,
          name: 'a',
          endpoint: { id: endpointId },
        },
        expect.objectContaining({ __typename: 'Endpoint', name: 'a', description: 'two' }),
        null,
        expect.objectContaining({ __typename: 'EndpointVersion', version: 2 }),
      ],
      node: {
        __typename: 'Endpoint',
        id: endpointId,
        name: 'a',
        description: 'two',
        materialization: { enabled: false },
      },
    });
  });

  it('find nothing of another project, as if it did not exist', async () => {
    const ids = [endpointId, ...versionIds];
    expect(await data(nodes, { ids }, test.other.readKey)).toEqual({ nodes: [null, null, null] });
    expect(await data(nodes, { ids }, test.adminKey)).toEqual({ nodes: ids.map((id) => ({ id })) });
  });

  it('cost what they select once for each of the ids', async () => {
    const rows = 'id ... on Endpoint { versions(first: 1000) { edges { node { id } } } }';
    const query = `query ($ids: [ID!]!) { nodes(ids: $ids) { ${rows} } }`;
    const costing = (count: number) =>
      test.graphql(query, { ids: Array.from({ length: count }, () => endpointId) });
    expect((await costing(6)).body.errors).toBeUndefined();
    expect((await costing(7)).body.errors).toMatchObject([
      { extensions: { code: 'GRAPHQL_DOCUMENT_TOO_LARGE' } },
    ]);
  });

  it('refuse more than 100 ids, and a caller without a key', async () => {
    const ids = Array(101).fill(endpointId);
    const many = await test.graphql(nodes, { ids });
    expect(many.body.errors).toMatchObject([
      { extensions: { code: 'invalid_input', attr: 'ids' } },
    ]);
    const nobody = await test.graphql(nodes, { ids: [endpointId] }, { key: null });
    expect(nobody.body.errors).toMatchObject([{ extensions: { code: 'not_authenticated' } }]);
  });
});

it('a user’s id is an ID, and lists filter by its number', async () => {
  const found = await data(`{ endpoint(${at}) { createdBy { id number } } }`);
  const { createdBy } = (found as { endpoint: { createdBy: { id: string; number: number } } })
    .endpoint;
  expect(createdBy.id).toBe(String(createdBy.number));
});
