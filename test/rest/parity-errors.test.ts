/** Each refusal has the same code, attr, message and further members through either interface. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CallOptions, TestApp } from '../support/test-app.ts';
import { byCountry, bystanders, change, openSalesApp, save } from './support/sales.ts';

let test: TestApp;

beforeAll(async () => {
  test = await openSalesApp();
  await save(test, 'sales');
  await change(test, 'sales', { query: 'SELECT {n:UInt8} AS n' });
  await save(test, 'asleep', { is_active: false });
  await save(test, 'failing', { query: 'SELECT throwIf(amount > 0) AS x FROM sales' });
  await save(test, 'dimmed');
  await change(test, 'dimmed', { version: 1, is_active: false });
});
afterAll(() => test.close());

type Rest = readonly [method: string, path: string, body?: unknown];

interface Twin {
  readonly code: string;
  readonly what: string;
  readonly rest: Rest;
  readonly document: string;
  readonly variables?: Readonly<Record<string, unknown>>;
  readonly options?: () => CallOptions;
}

const endpointOf = (name: string, version = '') =>
  `query ($id: ID!) { endpoint(projectId: $id, name: "${name}"${version}) { name } }`;
const runOf = (name: string) =>
  `query ($id: ID!, $input: RunInput) { runEndpoint(projectId: $id, name: "${name}", input: $input) { results } }`;
const create =
  'mutation ($id: ID!, $input: CreateEndpointInput!) { createEndpoint(projectId: $id, input: $input) { id } }';
const updateOf = (name: string) =>
  `mutation ($id: ID!, $input: UpdateEndpointInput!, $version: Int) { updateEndpoint(projectId: $id, name: "${name}", version: $version, input: $input) { id } }`;
const remove = (name: string) =>
  `mutation ($id: ID!) { deleteEndpoint(projectId: $id, name: "${name}") }`;
const times =
  'query ($id: ID!, $names: [String!]!) { lastExecutionTimes(projectId: $id, names: $names) { name } }';

/** A run with this input, which both interfaces spell alike. */
function runTwin(code: string, what: string, name: string, input: object): Twin {
  return {
    code,
    what,
    rest: ['POST', `/endpoints/${name}/run`, input],
    document: runOf(name),
    variables: { input },
  };
}

function createTwin(code: string, what: string, input: object, body: object = input): Twin {
  return { code, what, rest: ['POST', '/endpoints', body], document: create, variables: { input } };
}

function updateTwin(code: string, what: string, name: string, input: object, body = input): Twin {
  return {
    code,
    what,
    rest: ['PATCH', `/endpoints/${name}`, body],
    document: updateOf(name),
    variables: { input },
  };
}

const twins: readonly Twin[] = [
  ...(
    [
      ['not_authenticated', 'no key', () => ({ key: null })],
      ['authentication_failed', 'a wrong key', () => ({ key: 'qdk_wrong-key' })],
      ['permission_denied', 'a foreign key', () => ({ key: test.other.writeKey })],
    ] as const
  ).flatMap(([code, what, options]): Twin[] => [
    {
      code,
      what: `${what}, list`,
      rest: ['GET', '/endpoints'],
      document: 'query ($id: ID!) { endpoints(projectId: $id, first: 1) { edges { cursor } } }',
      options,
    },
    {
      code,
      what: `${what}, retrieve`,
      rest: ['GET', '/endpoints/sales'],
      document: endpointOf('sales'),
      options,
    },
    {
      code,
      what: `${what}, versions`,
      rest: ['GET', '/endpoints/sales/versions'],
      document:
        'query ($id: ID!) { endpointVersions(projectId: $id, name: "sales", first: 1) { edges { cursor } } }',
      options,
    },
    {
      code,
      what: `${what}, status`,
      rest: ['GET', '/endpoints/sales/materialization_status'],
      document:
        'query ($id: ID!) { materializationStatus(projectId: $id, name: "sales") { ready } }',
      options,
    },
    {
      code,
      what: `${what}, openapi`,
      rest: ['GET', '/endpoints/sales/openapi.json'],
      document: 'query ($id: ID!) { endpoint(projectId: $id, name: "sales") { openapi } }',
      options,
    },
    {
      code,
      what: `${what}, delete`,
      rest: ['DELETE', '/endpoints/sales'],
      document: remove('sales'),
      options,
    },
    { ...createTwin(code, `${what}, create`, { name: 'new', query: byCountry }), options },
    { ...updateTwin(code, `${what}, update`, 'sales', { description: 'x' }), options },
    { ...runTwin(code, `${what}, run`, 'sales', {}), options },
    {
      code,
      what: `${what}, times`,
      rest: ['POST', '/endpoints/last_execution_times', { names: [] }],
      document: times,
      variables: { names: [] },
      options,
    },
  ]),
  {
    ...createTwin('permission_denied', 'a read key that creates', {
      name: 'new',
      query: byCountry,
    }),
    options: () => ({ key: test.project.readKey }),
  },
  {
    ...updateTwin('permission_denied', 'a read key that updates', 'sales', { description: 'x' }),
    options: () => ({ key: test.project.readKey }),
  },
  {
    code: 'permission_denied',
    what: 'a read key that deletes',
    rest: ['DELETE', '/endpoints/sales'],
    document: remove('sales'),
    options: () => ({ key: test.project.readKey }),
  },
  {
    code: 'not_found',
    what: 'retrieve',
    rest: ['GET', '/endpoints/missing'],
    document: endpointOf('missing'),
  },
  {
    code: 'not_found',
    what: 'delete',
    rest: ['DELETE', '/endpoints/missing'],
    document: remove('missing'),
  },
  {
    code: 'not_found',
    what: 'delete of a name with a NUL',
    rest: ['DELETE', '/endpoints/%00'],
    document: remove('\\u0000'),
  },
  updateTwin('not_found', 'update', 'missing', { description: 'x' }),
  runTwin('not_found', 'run', 'missing', {}),
  runTwin('not_found', 'run of an inactive endpoint', 'asleep', {}),
  runTwin('not_found', 'run of a version of an inactive endpoint', 'asleep', { version: 1 }),
  {
    code: 'version_not_found',
    what: 'retrieve',
    rest: ['GET', '/endpoints/sales?version=9'],
    document: endpointOf('sales', ', version: 9'),
  },
  {
    code: 'version_not_found',
    what: 'retrieve of 0',
    rest: ['GET', '/endpoints/sales?version=0'],
    document: endpointOf('sales', ', version: 0'),
  },
  {
    code: 'version_not_found',
    what: 'status',
    rest: ['GET', '/endpoints/sales/materialization_status?version=9'],
    document:
      'query ($id: ID!) { materializationStatus(projectId: $id, name: "sales", version: 9) { ready } }',
  },
  runTwin('version_not_found', 'run', 'sales', { version: 9 }),
  runTwin('inactive_version', 'run', 'dimmed', {}),
  runTwin('unknown_variable', 'run', 'sales', { variables: { n: 1, m: 2 } }),
  runTwin('missing_variable', 'run', 'sales', {}),
  runTwin('invalid_input', 'a value that does not fit', 'sales', { variables: { n: 256 } }),
  runTwin('invalid_input', 'a limit of 0', 'sales', { limit: 0 }),
  runTwin('invalid_input', 'an offset below 0', 'sales', { offset: -1 }),
  runTwin('invalid_input', 'refresh direct', 'sales', { refresh: 'direct', variables: { n: 1 } }),
  {
    ...runTwin('invalid_input', 'query_override', 'sales', { queryOverride: {} }),
    rest: ['POST', '/endpoints/sales/run', { query_override: {} }],
  },
  {
    ...runTwin('invalid_input', 'filters_override', 'sales', {
      filtersOverride: {},
      variables: { n: 1 },
    }),
    rest: ['POST', '/endpoints/sales/run', { filters_override: {}, variables: { n: 1 } }],
  },
  {
    ...runTwin('invalid_input', 'an empty client_query_id', 'sales', { clientQueryId: '' }),
    rest: ['POST', '/endpoints/sales/run', { client_query_id: '' }],
  },
  runTwin('query_failed', 'run', 'failing', {}),
  createTwin('unique', 'create', { name: 'sales', query: byCountry }),
  createTwin('invalid_query', 'create', { name: 'new', query: 'SELECT a FROM nowhere' }),
  createTwin('invalid_input', 'a bad name', { name: '1', query: byCountry }),
  createTwin('invalid_input', 'a query of no kind', {
    name: 'new',
    query: { kind: 'x', query: 'y' },
  }),
  createTwin(
    'invalid_input',
    'a cache age',
    { name: 'new', query: byCountry, cacheAgeSeconds: -1 },
    { name: 'new', query: byCountry, cache_age_seconds: -1 },
  ),
  createTwin('invalid_input', 'version 2', { name: 'new', query: byCountry, version: 2 }),
  createTwin(
    'cannot_materialize',
    'create',
    { name: 'new', query: 'SELECT rand() AS n', isMaterialized: true },
    { name: 'new', query: 'SELECT rand() AS n', is_materialized: true },
  ),
  updateTwin(
    'cannot_materialize',
    'update',
    'sales',
    { query: 'SELECT rand() AS n', isMaterialized: true },
    { query: 'SELECT rand() AS n', is_materialized: true },
  ),
  updateTwin('invalid_input', 'a new name', 'sales', { name: 'sold' }),
  updateTwin('invalid_query', 'update', 'sales', { query: 'SELECT 1; SELECT 2' }),
  {
    ...updateTwin(
      'invalid_input',
      'a query with a version',
      'sales',
      { query: byCountry },
      { query: byCountry, version: 1 },
    ),
    variables: { input: { query: byCountry }, version: 1 },
  },
  {
    ...updateTwin('invalid_input', 'a missing version', 'sales', {}, { version: 9 }),
    variables: { input: {}, version: 9 },
  },
  {
    code: 'invalid_input',
    what: 'bad names',
    rest: ['POST', '/endpoints/last_execution_times', { names: ['1'] }],
    document: times,
    variables: { names: ['1'] },
  },
];

describe('a refusal through either interface', () => {
  it.each(twins)('has the same code, attr and message: $code, $what', async (twin) => {
    const [method, path, body] = twin.rest;
    const options = twin.options?.() ?? {};
    const before = await bystanders(test);
    const rest = await test.rest(method, path, body === undefined ? options : { ...options, body });
    const { body: response } = await test.graphql(
      twin.document,
      { id: test.project.id, ...twin.variables },
      options,
    );
    expect(await bystanders(test)).toEqual(before);
    expect(rest.body).toMatchObject({ code: twin.code });
    const { detail, ...extensions } = rest.body;
    expect(response.errors).toEqual([
      expect.objectContaining({ message: detail, path: [expect.any(String)], extensions }),
    ]);
  });
});
