/** Apollo Client over HTTP: its normalizing cache shows the right rows, with the settings of docs/clients/apollo.md. */
import {
  ApolloClient,
  gql,
  HttpLink,
  InMemoryCache,
  type TypedDocumentNode,
} from '@apollo/client/core';
import { CombinedGraphQLErrors } from '@apollo/client/errors';
import { relayStylePagination } from '@apollo/client/utilities';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import {
  openVersionedService,
  queryOf,
  textOf,
  type VersionedService,
} from './support/versioned-service.ts';

let service: VersionedService;
let client: ApolloClient;

beforeAll(async () => {
  service = await openVersionedService();
});
afterAll(() => service.close());
beforeEach(() => {
  client = new ApolloClient({
    link: new HttpLink({ uri: service.url, headers: service.headers }),
    cache: new InMemoryCache({
      possibleTypes: { Node: ['Endpoint', 'EndpointVersion'] },
      typePolicies: {
        Query: {
          fields: {
            endpoints: relayStylePagination(['projectId', 'filter']),
            endpointVersions: relayStylePagination(['projectId', 'name']),
          },
        },
        Endpoint: { fields: { versions: relayStylePagination() } },
      },
    }),
  });
});

interface Version {
  readonly id: string;
  readonly version: number;
  readonly query: unknown;
}
interface Endpoint {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly currentVersion: number;
  readonly query: unknown;
}
interface Connection<Row> {
  readonly edges: readonly { readonly node: Row }[];
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null };
}

const VERSIONS: TypedDocumentNode<{ endpointVersions: Connection<Version> }, { name: string }> =
  gql`
  query Versions($name: String!) {
    endpointVersions(projectId: "@current", name: $name, first: 100) {
      edges { node { id version query } }
      pageInfo { hasNextPage endCursor }
    }
  }
`;
const BESIDE: TypedDocumentNode<
  { endpoint: Endpoint & { version: Version } },
  { name: string; version: number }
> = gql`
  query Beside($name: String!, $version: Int!) {
    endpoint(projectId: "@current", name: $name) {
      id name description currentVersion query
      version(version: $version) { id version query }
    }
  }
`;
const CURRENT: TypedDocumentNode<{ endpoint: Endpoint }, { name: string }> = gql`
  query Current($name: String!) {
    endpoint(projectId: "@current", name: $name) { id name description currentVersion query }
  }
`;
const ONE_VERSION: TypedDocumentNode<
  { endpointVersion: Version & { endpoint: Endpoint } },
  { name: string; version: number }
> = gql`
  query OneVersion($name: String!, $version: Int!) {
    endpointVersion(projectId: "@current", name: $name, version: $version) {
      id version query
      endpoint { id currentVersion query }
    }
  }
`;
const LIST: TypedDocumentNode<
  { endpoints: Connection<Endpoint> },
  { first: number; after?: string | null }
> = gql`
  query List($first: Int!, $after: String) {
    endpoints(projectId: "@current", first: $first, after: $after) {
      edges { node { id name } }
      pageInfo { hasNextPage endCursor }
    }
  }
`;
const UPDATE: TypedDocumentNode<{ updateEndpoint: Endpoint }, { name: string; input: object }> =
  gql`
  mutation Update($name: String!, $input: UpdateEndpointInput!) {
    updateEndpoint(projectId: "@current", name: $name, input: $input) {
      id description currentVersion query
    }
  }
`;

async function current(name: string): Promise<Endpoint | undefined> {
  const { data } = await client.query({ query: CURRENT, variables: { name } });
  return data?.endpoint;
}

const versionsOf = (data: { endpointVersions: Connection<Version> } | undefined | null) =>
  data?.endpointVersions.edges.map(({ node }) => [node.version, node.query]);

it('lists versions as different objects', async () => {
  const variables = { name: 'sales' };
  const rows = [3, 2, 1].map((version) => [version, queryOf(version)]);
  const { data } = await client.query({ query: VERSIONS, variables });
  expect(versionsOf(data)).toEqual(rows);
  expect(versionsOf(client.readQuery({ query: VERSIONS, variables }))).toEqual(rows);
});

it('reads a version beside the current one, which stays what it is', async () => {
  await current('sales');
  const beside = { query: BESIDE, variables: { name: 'sales', version: 1 } };
  const { data } = await client.query(beside);
  expect(data?.endpoint).toMatchObject({
    currentVersion: 3,
    query: queryOf(3),
    version: { version: 1, query: queryOf(1) },
  });
  await client.query({ query: ONE_VERSION, variables: { name: 'sales', version: 2 } });
  const kept = client.readQuery({ query: CURRENT, variables: { name: 'sales' } });
  expect(kept?.endpoint).toMatchObject({ currentVersion: 3, query: queryOf(3) });
  const first = client.readQuery(beside)?.endpoint.version;
  expect(first).toMatchObject({ version: 1, query: queryOf(1) });
  expect(
    Object.keys(client.cache.extract() as object).filter((key) => key.startsWith('Endpoint:')),
  ).toHaveLength(1);
});

it('paginates', async () => {
  const first = { query: LIST, variables: { first: 2 } };
  let page = (await client.query(first)).data?.endpoints.pageInfo;
  const list = client.watchQuery(first);
  const subscription = list.subscribe(() => undefined);
  while (page?.hasNextPage === true) {
    const { data } = await list.fetchMore({ variables: { after: page.endCursor } });
    page = data?.endpoints.pageInfo;
  }
  subscription.unsubscribe();
  const names = client.readQuery(first)?.endpoints.edges.map(({ node }) => node.name);
  expect(names).toEqual(await service.names());
  expect(names).toHaveLength(5);
});

it('refetches what another caller has changed', async () => {
  expect((await current('a'))?.currentVersion).toBe(1);
  const watched = client.watchQuery({ query: CURRENT, variables: { name: 'a' } });
  const subscription = watched.subscribe(() => undefined);
  await service.change('a', { query: textOf(2), description: 'two' });
  expect((await current('a'))?.currentVersion).toBe(1);
  await watched.refetch();
  const refetched = { currentVersion: 2, query: queryOf(2), description: 'two' };
  expect(await current('a')).toMatchObject(refetched);
  subscription.unsubscribe();
});

it('shows what a mutation has changed, and leaves versions as they were', async () => {
  const variables = { name: 'b' };
  const beside = { query: BESIDE, variables: { ...variables, version: 1 } };
  await client.query(beside);
  await client.query({ query: VERSIONS, variables });
  const input = { description: 'changed', query: textOf(2) };
  const { data } = await client.mutate({
    mutation: UPDATE,
    variables: { ...variables, input },
    refetchQueries: [{ query: VERSIONS, variables }],
    awaitRefetchQueries: true,
  });
  const now = { description: 'changed', currentVersion: 2, query: queryOf(2) };
  expect(data?.updateEndpoint).toMatchObject(now);
  expect(client.readQuery(beside)?.endpoint).toMatchObject({
    ...now,
    version: { version: 1, query: queryOf(1) },
  });
  expect(versionsOf(client.readQuery({ query: VERSIONS, variables }))).toEqual([
    [2, queryOf(2)],
    [1, queryOf(1)],
  ]);
});

it('gets the code of an error', async () => {
  const failure: unknown = await current('unknown').catch((error: unknown) => error);
  const codes = CombinedGraphQLErrors.is(failure)
    ? failure.errors.map((e) => e.extensions?.code)
    : [];
  expect(codes).toEqual(['not_found']);
});
