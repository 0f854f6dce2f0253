/** urql with Graphcache over HTTP, with the introspected schema and the settings of docs/clients/urql.md. */
import { readFileSync } from 'node:fs';
import { Client, fetchExchange, gql, type TypedDocumentNode } from '@urql/core';
import { cacheExchange } from '@urql/exchange-graphcache';
import { relayPagination } from '@urql/exchange-graphcache/extras';
import { getIntrospectionQuery, type IntrospectionQuery } from 'graphql';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import {
  openVersionedService,
  queryOf,
  textOf,
  type VersionedService,
} from './support/versioned-service.ts';

let service: VersionedService;
let schema: IntrospectionQuery;
let client: Client;
/** What Graphcache says about data that it could not normalize. */
const warned = vi.spyOn(console, 'warn');

beforeAll(async () => {
  service = await openVersionedService();
  const response = await fetch(service.url, {
    method: 'POST',
    headers: { ...service.headers, 'content-type': 'application/json' },
    body: JSON.stringify({ query: getIntrospectionQuery() }),
  });
  schema = ((await response.json()) as { readonly data: IntrospectionQuery }).data;
});
afterAll(() => service.close());
beforeEach(() => {
  warned.mockClear();
  client = new Client({
    url: service.url,
    preferGetMethod: false,
    fetchOptions: { headers: { ...service.headers } },
    exchanges: [
      cacheExchange({
        schema,
        keys: Object.fromEntries(withoutId().map((type) => [type, () => null])),
        resolvers: {
          Query: { endpoints: relayPagination(), endpointVersions: relayPagination() },
          Endpoint: { versions: relayPagination() },
        },
      }),
      fetchExchange,
    ],
  });
});
afterEach(() => expect(warned.mock.calls).toEqual([]));

interface Version {
  readonly version: number;
  readonly query: unknown;
}
interface Endpoint {
  readonly name: string;
  readonly description: string;
  readonly currentVersion: number;
  readonly query: unknown;
}
interface Connection<Row> {
  readonly edges: readonly { readonly node: Row }[];
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null };
}
interface Name {
  readonly name: string;
}

const VERSIONS: TypedDocumentNode<{ endpointVersions: Connection<Version> }, Name> = gql`
  query ($name: String!) {
    endpointVersions(projectId: "@current", name: $name, first: 100) {
      edges { node { id version query } }
      pageInfo { hasNextPage endCursor }
    }
  }
`;
const BESIDE: TypedDocumentNode<
  { endpoint: Endpoint & { version: Version } },
  Name & { readonly version: number }
> = gql`
  query ($name: String!, $version: Int!) {
    endpoint(projectId: "@current", name: $name) {
      id name description currentVersion query columns { name type }
      version(version: $version) { id version query columns { name type } }
    }
  }
`;
const CURRENT: TypedDocumentNode<{ endpoint: Endpoint }, Name> = gql`
  query ($name: String!) {
    endpoint(projectId: "@current", name: $name) { id name description currentVersion query }
  }
`;
const ONE_VERSION: TypedDocumentNode<object, Name & { readonly version: number }> = gql`
  query ($name: String!, $version: Int!) {
    endpointVersion(projectId: "@current", name: $name, version: $version) {
      id version query
      endpoint { id currentVersion query }
    }
  }
`;
const LIST: TypedDocumentNode<
  { endpoints: Connection<Name> },
  { readonly first: number; readonly after?: string | null }
> = gql`
  query ($first: Int!, $after: String) {
    endpoints(projectId: "@current", first: $first, after: $after) {
      edges { node { id name } }
      pageInfo { hasNextPage endCursor }
    }
  }
`;
const UPDATE: TypedDocumentNode<{ updateEndpoint: Endpoint }, Name & { readonly input: object }> =
  gql`
  mutation ($name: String!, $input: UpdateEndpointInput!) {
    updateEndpoint(projectId: "@current", name: $name, input: $input) {
      id description currentVersion query
    }
  }
`;

/** Types that are parts of another object. Graphcache knows those of connections by itself. */
function withoutId(): readonly string[] {
  return schema.__schema.types.flatMap(({ name, ...type }) => {
    const ofRelay = /^__|(Connection|Edge)$|^(PageInfo|Query|Mutation|Subscription)$/.test(name);
    if (type.kind !== 'OBJECT' || ofRelay) return [];
    return type.fields.some((field) => field.name === 'id') ? [] : [name];
  });
}

type Policy = 'cache-first' | 'cache-only' | 'network-only';

async function read<Data, Variables extends object>(
  document: TypedDocumentNode<Data, Variables>,
  variables: Variables,
  requestPolicy: Policy = 'cache-first',
): Promise<Data> {
  const { data, error } = await client.query(document, variables as never, { requestPolicy });
  if (error !== undefined) throw error;
  return data as Data;
}

async function versions(name: string, policy?: Policy) {
  const { endpointVersions } = await read(VERSIONS, { name }, policy);
  return endpointVersions.edges.map(({ node }) => [node.version, node.query]);
}

it('lists versions as different objects', async () => {
  const rows = [3, 2, 1].map((version) => [version, queryOf(version)]);
  expect(await versions('sales')).toEqual(rows);
  expect(await versions('sales', 'cache-only')).toEqual(rows);
});

it('reads a version beside the current one, which stays what it is', async () => {
  await read(CURRENT, { name: 'sales' });
  const beside = {
    currentVersion: 3,
    query: queryOf(3),
    version: { version: 1, query: queryOf(1) },
  };
  const variables = { name: 'sales', version: 1 };
  expect((await read(BESIDE, variables)).endpoint).toMatchObject(beside);
  await read(ONE_VERSION, { name: 'sales', version: 2 });
  const { endpoint } = await read(CURRENT, { name: 'sales' }, 'cache-only');
  expect(endpoint).toMatchObject({ currentVersion: 3, query: queryOf(3) });
  expect((await read(BESIDE, variables, 'cache-only')).endpoint).toMatchObject(beside);
});

it('paginates', async () => {
  let list = (await read(LIST, { first: 2 })).endpoints;
  while (list.pageInfo.hasNextPage)
    list = (await read(LIST, { first: 2, after: list.pageInfo.endCursor })).endpoints;
  const names = list.edges.map(({ node }) => node.name);
  expect(names).toEqual(await service.names());
  expect(names).toHaveLength(5);
});

it('refetches what another caller has changed', async () => {
  const changed = { currentVersion: 2, query: queryOf(2), description: 'two' };
  expect((await read(CURRENT, { name: 'a' })).endpoint.currentVersion).toBe(1);
  await service.change('a', { query: textOf(2), description: 'two' });
  expect((await read(CURRENT, { name: 'a' })).endpoint.currentVersion).toBe(1);
  const refetched = await read(CURRENT, { name: 'a' }, 'network-only');
  expect(refetched.endpoint).toMatchObject(changed);
  expect((await read(CURRENT, { name: 'a' }, 'cache-only')).endpoint).toMatchObject(changed);
});

it('shows what a mutation has changed, and leaves versions as they were', async () => {
  const variables = { name: 'b', version: 1 };
  await read(BESIDE, variables);
  await versions('b');
  const input = { description: 'changed', query: textOf(2) };
  const { data } = await client.mutation(UPDATE, { name: 'b', input });
  const now = { description: 'changed', currentVersion: 2, query: queryOf(2) };
  expect(data?.updateEndpoint).toMatchObject(now);
  expect((await read(BESIDE, variables, 'cache-only')).endpoint).toMatchObject({
    ...now,
    version: { version: 1, query: queryOf(1) },
  });
  const listed = [
    [2, queryOf(2)],
    [1, queryOf(1)],
  ];
  expect(await versions('b', 'network-only')).toEqual(listed);
  expect(await versions('b', 'cache-only')).toEqual(listed);
});

it('gets the code of an error', async () => {
  const { error } = await client.query(CURRENT, { name: 'unknown' });
  expect(error?.graphQLErrors.map(({ extensions }) => extensions.code)).toEqual(['not_found']);
});

it('has a page that names all types without an id', () => {
  const list = /const withoutId = \[(.*?)\];/s.exec(
    readFileSync('docs/clients/urql.md', 'utf8'),
  )?.[1];
  const named = [...(list ?? '').matchAll(/'(\w+)'/g)].map(([, name = '']) => name);
  expect(named.toSorted()).toEqual(withoutId().toSorted());
});
