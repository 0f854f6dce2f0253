/** Each row of the documented surface and its GraphQL twin give the same facts. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestApp } from '../support/test-app.ts';
import { byCountry, change, ofCountry, openSalesApp, run, save } from './support/sales.ts';
import {
  debugFields,
  endpointFields,
  type Facts,
  type GraphQLCall,
  type RestCall,
  runFields,
  toCamel,
  versionFields,
  withoutIds,
} from './support/twins.ts';

let test: TestApp;

beforeAll(async () => {
  test = await openSalesApp();
  await save(test, 'sales', { description: 'By country', cache_age_seconds: 600 });
  await change(test, 'sales', {
    query: {
      kind: 'HogQLQuery',
      query: `SELECT day, amount FROM sales
        WHERE country = {variables.country_code} AND amount < {most:UInt32} ORDER BY day`,
      variables: {
        a: { code_name: 'country_code', value: 'de', description: 'Which' },
        most: { value: 3 },
      },
    },
  });
  await save(test, 'sleeping', { is_active: false, derived_from_insight: 'abc' });
  await run(test, 'sales');
  await run(test, 'sales', { version: 1 });
  await test.app.core.recorder.flush();
});
afterAll(() => test.close());

const one = (data: Facts) => Object.values(data)[0];
const nodes = (data: Facts) => {
  const { totalCount, edges } = Object.values(data)[0] as unknown as {
    readonly totalCount: number;
    readonly edges: readonly { readonly node: unknown }[];
  };
  return { count: totalCount, results: edges.map(({ node }) => node) };
};
const versionOf = (data: Facts) =>
  (Object.values(data)[0] as unknown as { readonly version: unknown }).version;

const reads: readonly (readonly [string, RestCall, GraphQLCall])[] = [
  [
    'list',
    { method: 'GET', path: '/endpoints' },
    {
      document: `query ($id: ID!) { endpoints(projectId: $id, first: 100) { totalCount edges { node ${endpointFields} } } }`,
      facts: nodes,
    },
  ],
  [
    'list with filters',
    { method: 'GET', path: '/endpoints?is_active=false&search=SLEEP&limit=1' },
    {
      document: `query ($id: ID!) { endpoints(projectId: $id, first: 1, filter: { isActive: false, search: "SLEEP" }) { totalCount edges { node ${endpointFields} } } }`,
      facts: nodes,
    },
  ],
  [
    'retrieve',
    { method: 'GET', path: '/endpoints/sales' },
    {
      document: `query ($id: ID!) { endpoint(projectId: $id, name: "sales") ${endpointFields} }`,
      facts: one,
    },
  ],
  ...[1, 2].map((version): readonly [string, RestCall, GraphQLCall] => [
    `retrieve version ${version}`,
    { method: 'GET', path: `/endpoints/sales?version=${version}` },
    {
      document: `query ($id: ID!) { endpointVersion(projectId: $id, name: "sales", version: ${version}) ${versionFields} }`,
      facts: one,
    },
  ]),
  [
    'retrieve version 1 by its field',
    { method: 'GET', path: '/endpoints/sales?version=1' },
    {
      document: `query ($id: ID!) { endpoint(projectId: $id, name: "sales") { version(version: 1) ${versionFields} } }`,
      facts: versionOf,
    },
  ],
  [
    'versions',
    { method: 'GET', path: '/endpoints/sales/versions' },
    {
      document: `query ($id: ID!) { endpointVersions(projectId: $id, name: "sales", first: 100) { totalCount edges { node ${versionFields} } } }`,
      facts: nodes,
    },
  ],
  [
    'materialization status',
    { method: 'GET', path: '/endpoints/sales/materialization_status?version=1' },
    {
      document: `query ($id: ID!) { materializationStatus(projectId: $id, name: "sales", version: 1) { canMaterialize reason } }`,
      facts: (data) => ({ name: 'sales', version: 1, ...(one(data) as unknown as object) }),
    },
  ],
  [
    'run',
    { method: 'POST', path: '/endpoints/sales/run', body: {} },
    {
      document: `query ($id: ID!) { runEndpoint(projectId: $id, name: "sales") ${runFields} }`,
      facts: one,
    },
  ],
  [
    'run by GET',
    {
      method: 'GET',
      path: '/endpoints/sales/run?variables[most]=9&variables[country_code]=de&limit=1&offset=1&integers=string',
    },
    {
      document: `query ($id: ID!, $input: RunInput) { runEndpoint(projectId: $id, name: "sales", input: $input) ${runFields} }`,
      variables: {
        input: {
          variables: { most: 9, country_code: 'de' },
          limit: 1,
          offset: 1,
          integers: 'string',
        },
      },
      facts: one,
    },
  ],
  [
    'run of a version by the endpoint’s field',
    { method: 'POST', path: '/endpoints/sales/run', body: { version: 1 } },
    {
      document: `query ($id: ID!) { endpoint(projectId: $id, name: "sales") { run(input: { version: 1 }) ${runFields} } }`,
      facts: (data) => (one(data) as unknown as { readonly run: unknown }).run,
    },
  ],
];

describe('reading through either interface', () => {
  it.each(reads)('gives the same facts: %s', async (_what, { method, path, body }, twin) => {
    const first = await test.rest(method, path, body === undefined ? {} : { body });
    expect(first.status).toBe(200);
    const rest = method === 'GET' && path.includes('/run') ? await test.rest(method, path) : first;
    const response = await test.graphql(twin.document, { id: test.project.id, ...twin.variables });
    expect(response.body.errors).toBeUndefined();
    const { next: _next, previous: _previous, ...facts } = rest.body;
    expect(twin.facts((response.body.data ?? {}) as Facts)).toEqual(toCamel(facts));
  });

  it('gives the same OpenAPI document', async () => {
    const { body } = await test.rest('GET', '/endpoints/sales/openapi.json?version=1');
    const document = `query ($id: ID!) { endpointVersion(projectId: $id, name: "sales", version: 1) { openapi } }`;
    const response = await test.graphql(document, { id: test.project.id });
    expect(response.body).toEqual({ data: { endpointVersion: { openapi: body } } });
  });

  it('gives the same last execution times', async () => {
    const names = ['sales', 'sleeping', 'unknown'];
    const { body } = await test.rest('POST', '/endpoints/last_execution_times', {
      body: { names },
    });
    const document = `query ($id: ID!, $names: [String!]!) { lastExecutionTimes(projectId: $id, names: $names) { name executedAt } }`;
    const response = await test.graphql(document, { id: test.project.id, names });
    const { results } = body.query_status as { readonly results: readonly [string, string][] };
    expect(response.body.data).toEqual({
      lastExecutionTimes: results.map(([name, executedAt]) => ({ name, executedAt })),
    });
  });

  it('gives the same debug facts', async () => {
    const { body } = await test.rest('POST', '/endpoints/sales/run', { body: { debug: true } });
    const document = `query ($id: ID!) { runEndpoint(projectId: $id, name: "sales", input: { debug: true }) ${debugFields} }`;
    const response = await test.graphql(document, { id: test.project.id });
    const { cache_key, query, served_from, inline_reason, query_progress } = body;
    const expected = { cache_key, query, served_from, inline_reason, query_progress };
    expect(response.body.data).toEqual({
      runEndpoint: {
        ...(toCamel(expected) as object),
        timings: [{ name: 'engine' }, { name: 'total' }],
      },
    });
  });

  it('gives the rows in the same bytes', async () => {
    const rest = await test.rest('POST', '/endpoints/sales/run');
    const document = `query ($id: ID!) { runEndpoint(projectId: $id, name: "sales") { results } }`;
    const { text } = await test.graphql(document, { id: test.project.id });
    const rows = /"results":(\[\[.*\]\]),"columns"/.exec(rest.text)?.[1];
    expect(rows).toMatch(/^\[\["/);
    expect(text).toContain(`"results":${rows}}`);
  });

  it('accepts @current', async () => {
    const document = 'query { endpoint(projectId: "@current", name: "sales") { name } }';
    expect((await test.graphql(document)).body).toEqual({ data: { endpoint: { name: 'sales' } } });
  });
});

const createDocument = `mutation ($id: ID!, $input: CreateEndpointInput!) { createEndpoint(projectId: $id, input: $input) ${endpointFields} }`;
const updateDocument = `mutation ($id: ID!, $input: UpdateEndpointInput!, $version: Int) { updateEndpoint(projectId: $id, name: "twin", version: $version, input: $input) { graphChanges { kind place message } ...E } } fragment E on Endpoint ${endpointFields}`;
const deleteDocument = `mutation ($id: ID!) { deleteEndpoint(projectId: $id, name: "twin") }`;

describe('changing through either interface', () => {
  const updates = [
    { description: 'changed' },
    { description: null, cache_age_seconds: null },
    { description: '', cache_age_seconds: 0 },
    { is_active: false, name: 'twin' },
    { query: ofCountry, description: 'second' },
    { query: { variables: {}, query: ofCountry, kind: 'SQLQuery' } },
    { is_materialized: false },
    {},
  ];

  async function byRest() {
    const responses: unknown[] = [];
    const created = { name: 'twin', query: byCountry, cache_age_seconds: 5, description: 'made' };
    responses.push((await test.rest('POST', '/endpoints', { body: created })).body);
    for (const body of updates)
      responses.push((await test.rest('PATCH', '/endpoints/twin', { body })).body);
    responses.push(await versions());
    expect((await test.rest('DELETE', '/endpoints/twin')).status).toBe(204);
    return withoutIds(toCamel(responses));
  }

  async function versions() {
    const { body } = await test.rest('GET', '/endpoints/twin/versions');
    return body;
  }

  async function byGraphQL() {
    const responses: unknown[] = [];
    const ask = async (document: string, variables: object) => {
      const { body } = await test.graphql(document, { id: test.project.id, ...variables });
      expect(body.errors).toBeUndefined();
      return one(body.data as Facts);
    };
    const created = { name: 'twin', query: byCountry, cacheAgeSeconds: 5, description: 'made' };
    responses.push(await ask(createDocument, { input: created }));
    for (const update of updates) {
      const answer = await ask(updateDocument, { input: toCamel(update) });
      const { graphChanges, ...endpoint } = answer as unknown as {
        readonly graphChanges: readonly unknown[];
      };
      // REST has the member where there are any.
      responses.push(graphChanges.length === 0 ? endpoint : answer);
    }
    responses.push(toCamel(await versions()));
    expect(await ask(deleteDocument, {})).toBe(true);
    return withoutIds(responses);
  }

  it('does the same, step by step', async () => {
    expect(await byGraphQL()).toEqual(await byRest());
  });

  it('changes the same one version', async () => {
    await save(test, 'twin');
    await change(test, 'twin', { query: ofCountry });
    const { body } = await test.graphql(
      `mutation ($id: ID!) { updateEndpoint(projectId: $id, name: "twin", version: 1, input: { description: "one", isActive: false }) { version(version: 1) ${versionFields} } }`,
      { id: test.project.id },
    );
    const rest = await test.rest('GET', '/endpoints/twin?version=1');
    expect(versionOf(body.data as Facts)).toEqual(toCamel(rest.body));
    expect(rest.body).toMatchObject({
      description: 'one',
      is_active: false,
      is_materialized: false,
    });
    const latest = await test.rest('GET', '/endpoints/twin');
    expect(latest.body).toMatchObject({ description: '', is_active: true, current_version: 2 });
  });
});
