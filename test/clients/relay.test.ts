/** Relay over HTTP: its compiler accepts the schema, and its store shows the right rows. */
import {
  type ConcreteRequest,
  commitMutation,
  createOperationDescriptor,
  Environment,
  fetchQuery,
  getSingularSelector,
  Network,
  type ReaderFragment,
  RecordSource,
  Store,
} from 'relay-runtime';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { type CompiledRelay, compileRelay } from './support/compile-relay.ts';
import {
  openVersionedService,
  queryOf,
  textOf,
  type VersionedService,
} from './support/versioned-service.ts';

/** Relay wants names to begin with that of their module. */
const documents = `
  import { graphql } from 'relay-runtime';

  graphql\`query consoleVersionsQuery($name: String!) {
    endpointVersions(projectId: "@current", name: $name, first: 100) {
      edges { node { id version query } }
    }
  }\`;
  graphql\`query consoleCurrentQuery($name: String!) {
    endpoint(projectId: "@current", name: $name) { ...console_endpoint }
  }\`;
  graphql\`query consoleBesideQuery($name: String!, $version: Int!) {
    endpoint(projectId: "@current", name: $name) {
      ...console_endpoint
      version(version: $version) { id version query }
    }
  }\`;
  graphql\`query consoleOneVersionQuery($name: String!, $version: Int!) {
    endpointVersion(projectId: "@current", name: $name, version: $version) {
      id version query
      endpoint { ...console_endpoint }
    }
  }\`;
  graphql\`fragment console_endpoint on Endpoint @refetchable(queryName: "consoleRefetchQuery") {
    id name description currentVersion query
  }\`;
  graphql\`query consoleListQuery($count: Int!) { ...console_list @arguments(count: $count) }\`;
  graphql\`fragment console_list on Query
    @argumentDefinitions(count: { type: "Int!" }, cursor: { type: "String" })
    @refetchable(queryName: "consolePaginationQuery") {
    endpoints(projectId: "@current", first: $count, after: $cursor)
      @connection(key: "console_endpoints") { edges { node { id name } } }
  }\`;
  graphql\`mutation consoleUpdateMutation($name: String!, $input: UpdateEndpointInput!) {
    updateEndpoint(projectId: "@current", name: $name, input: $input) { ...console_endpoint }
  }\`;
`;

let service: VersionedService;
let compiled: CompiledRelay;
let environment: Environment;

beforeAll(async () => {
  service = await openVersionedService();
  compiled = await compileRelay('console', documents);
});
afterAll(async () => {
  await service?.close();
  await compiled?.remove();
});
beforeEach(() => {
  environment = new Environment({
    network: Network.create(async ({ text }, variables) => {
      const response = await fetch(service.url, {
        method: 'POST',
        headers: { ...service.headers, 'content-type': 'application/json' },
        body: JSON.stringify({ query: text, variables }),
      });
      return response.json();
    }),
    store: new Store(new RecordSource()),
  });
});

type Variables = Readonly<Record<string, unknown>>;

const request = async (name: string) => (await compiled.artifact(name)) as ConcreteRequest;

/** What the store holds of a document, read like a component reads it; null when a part is missing. */
async function shown<Data>(name: string, variables: Variables): Promise<Data | null> {
  const operation = createOperationDescriptor(await request(name), variables);
  const { data, isMissingData } = environment.lookup(operation.fragment);
  return isMissingData ? null : (data as Data);
}

async function fetched<Data>(name: string, variables: Variables): Promise<Data | null> {
  const document = await request(name);
  await fetchQuery(environment, document, variables, { fetchPolicy: 'network-only' }).toPromise();
  return shown<Data>(name, variables);
}

async function fragment<Data>(name: string, reference: unknown): Promise<Data> {
  const selector = getSingularSelector(
    (await compiled.artifact(name)) as ReaderFragment,
    reference as never,
  );
  if (selector === null || selector === undefined) throw new Error(`no data of ${name}`);
  return environment.lookup(selector).data as unknown as Data;
}

interface Endpoint {
  readonly id: string;
  readonly currentVersion: number;
}
interface Rows<Row> {
  readonly edges: readonly { readonly node: Row }[];
}

async function current(name: string): Promise<Endpoint> {
  const data = await shown<{ readonly endpoint: unknown }>('consoleCurrentQuery', { name });
  return fragment<Endpoint>('console_endpoint', data?.endpoint);
}

async function versions(name: string) {
  const variables = { name };
  type Data = {
    readonly endpointVersions: Rows<{ readonly version: number; readonly query: unknown }>;
  };
  const data = await shown<Data>('consoleVersionsQuery', variables);
  return data?.endpointVersions.edges.map(({ node }) => [node.version, node.query]);
}

it('lists versions as different objects', async () => {
  await fetched('consoleVersionsQuery', { name: 'sales' });
  expect(await versions('sales')).toEqual([3, 2, 1].map((version) => [version, queryOf(version)]));
});

it('reads a version beside the current one, which stays what it is', async () => {
  await fetched('consoleCurrentQuery', { name: 'sales' });
  const variables = { name: 'sales', version: 1 };
  await fetched('consoleBesideQuery', variables);
  await fetched('consoleOneVersionQuery', { name: 'sales', version: 2 });
  expect(await current('sales')).toMatchObject({ currentVersion: 3, query: queryOf(3) });
  const beside = await shown<{ readonly endpoint: object }>('consoleBesideQuery', variables);
  expect(beside?.endpoint).toMatchObject({ version: { version: 1, query: queryOf(1) } });
  const second = await shown('consoleOneVersionQuery', { name: 'sales', version: 2 });
  expect(second).toMatchObject({ endpointVersion: { version: 2, query: queryOf(2) } });
});

it('paginates', async () => {
  const names = async () => {
    const data = await shown('consoleListQuery', { count: 2 });
    return fragment<{
      readonly endpoints: Rows<{ readonly name: string }> & {
        readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string };
      };
    }>('console_list', data);
  };
  await fetched('consoleListQuery', { count: 2 });
  let list = (await names()).endpoints;
  expect(list.edges).toHaveLength(2);
  while (list.pageInfo.hasNextPage) {
    await fetched('consolePaginationQuery', { count: 2, cursor: list.pageInfo.endCursor });
    list = (await names()).endpoints;
  }
  const all = list.edges.map(({ node }) => node.name);
  expect(all).toEqual(await service.names());
  expect(all).toHaveLength(5);
});

it('refetches by the id of a node what another caller has changed', async () => {
  await fetched('consoleCurrentQuery', { name: 'a' });
  const before = await current('a');
  await service.change('a', { query: textOf(2), description: 'two' });
  expect(await current('a')).toEqual(before);
  await fetched('consoleRefetchQuery', { id: before.id });
  const changed = { currentVersion: 2, query: queryOf(2), description: 'two' };
  expect(await current('a')).toEqual({ ...before, ...changed });
});

it('shows what a mutation has changed, and leaves versions as they were', async () => {
  await fetched('consoleCurrentQuery', { name: 'b' });
  await fetched('consoleVersionsQuery', { name: 'b' });
  const mutation = await request('consoleUpdateMutation');
  const input = { description: 'changed', query: textOf(2) };
  await new Promise((resolve, reject) => {
    const variables = { name: 'b', input };
    commitMutation(environment, { mutation, variables, onCompleted: resolve, onError: reject });
  });
  const now = { description: 'changed', currentVersion: 2, query: queryOf(2) };
  expect(await current('b')).toMatchObject(now);
  expect(await versions('b')).toEqual([[1, queryOf(1)]]);
  await fetched('consoleVersionsQuery', { name: 'b' });
  expect(await versions('b')).toEqual([
    [2, queryOf(2)],
    [1, queryOf(1)],
  ]);
});
