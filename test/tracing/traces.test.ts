/** What a trace tells of requests and their runs, as a collector reads it. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Collector, openCollector } from '../otel/support/collector.ts';
import type { CollectedSpan } from '../otel/support/read-spans.ts';
import { openSalesApp, save } from '../rest/support/sales.ts';
import { eventually } from '../support/eventually.ts';
import { type HeldEngine, openHeldEngine } from '../support/held-engine.ts';
import type { TestApp } from '../support/test-app.ts';

let test: TestApp;
let collector: Collector;
let engine: HeldEngine;
let number = 0;

beforeAll(async () => {
  collector = await openCollector();
  engine = await openHeldEngine();
  test = await openSalesApp({
    clickhouseUrl: engine.clickhouseUrl,
    otlpEndpoint: collector.url,
    otlpHeaders: 'x-tenant=a%20b',
    otlpCompression: 'gzip',
    otelService: 'flights-api',
    otelResource: 'deployment.environment.name=test',
    traceDelayMs: 20,
  });
});
afterAll(async () => {
  await test?.close();
  await engine?.close();
  await collector?.close();
});

let traceId: string;

/** Each case has a trace of its own. */
beforeEach(() => {
  number += 1;
  traceId = String(number).padStart(32, 'a');
});

const callerSpan = '00f067aa0ba902b7';
const traced = () => ({ traceparent: `00-${traceId}-${callerSpan}-01` });

const spansOf = (id = traceId) => collector.spans.filter((span) => span.traceId === id);

/** All spans of the trace, once its server span has come. */
async function whole(servers = 1): Promise<readonly CollectedSpan[]> {
  await eventually('the trace is exported', () => {
    const found = spansOf().filter(({ kind }) => kind === 'SPAN_KIND_SERVER');
    return found.length === servers;
  });
  return spansOf();
}

function named(spans: readonly CollectedSpan[], name: string): CollectedSpan {
  const found = spans.find((span) => span.name === name);
  if (found === undefined)
    throw new Error(`no span ${name} among ${spans.map((s) => s.name).join(', ')}`);
  return found;
}

describe('a run by REST', () => {
  it('is a server span in the caller’s trace, with the run and its statement below it', async () => {
    const query = 'SELECT day, amount FROM sales WHERE country = {country:String}';
    await save(test, 'by_rest', { query });
    const path = '/endpoints/by_rest/run?variables[country]=secret-value';
    const { status } = await test.rest('GET', path, { headers: traced() });
    expect(status).toBe(200);
    const spans = await whole();
    const server = named(spans, 'GET /api/projects/:project_id/endpoints/:name/run');
    expect(server).toMatchObject({
      parentId: callerSpan,
      kind: 'SPAN_KIND_SERVER',
      isError: false,
      attributes: {
        'http.request.method': 'GET',
        'http.route': '/api/projects/:project_id/endpoints/:name/run',
        'http.response.status_code': 200,
        'url.path': `/api/projects/${test.project.id}/endpoints/by_rest/run`,
        'url.scheme': 'http',
      },
    });
    const run = named(spans, 'run');
    expect(run).toMatchObject({
      parentId: server.id,
      kind: 'SPAN_KIND_INTERNAL',
      attributes: {
        'querydock.project.id': test.project.id,
        'querydock.endpoint.name': 'by_rest',
        'querydock.endpoint.version': 1,
        'querydock.interface': 'rest',
        'querydock.served_from': 'inline',
        'querydock.cache.outcome': 'miss',
        'querydock.rows': 0,
      },
    });
    const statement = spans.filter(({ kind }) => kind === 'SPAN_KIND_CLIENT').at(-1);
    expect(statement).toMatchObject({
      parentId: run.id,
      name: 'SELECT sales',
      isError: false,
      attributes: {
        'db.system.name': 'clickhouse',
        'db.query.summary': 'SELECT sales',
        'db.namespace': `project_${test.project.id}`,
        'server.address': '127.0.0.1',
      },
    });
  });

  it('tells that it was served from the cache, without a statement', async () => {
    await save(test, 'cached');
    await test.rest('GET', '/endpoints/cached/run');
    await test.rest('GET', '/endpoints/cached/run', { headers: traced() });
    const spans = await whole();
    expect(named(spans, 'run').attributes).toMatchObject({
      'querydock.served_from': 'cache',
      'querydock.cache.outcome': 'hit',
    });
    expect(spans).toHaveLength(2);
  });

  it('is no error for the service when the caller is at fault, but the run has failed', async () => {
    await save(test, 'typed', { query: 'SELECT * FROM sales WHERE country = {country:String}' });
    const { status } = await test.rest('GET', '/endpoints/typed/run', { headers: traced() });
    expect(status).toBe(400);
    const spans = await whole();
    const server = spans.find(({ kind }) => kind === 'SPAN_KIND_SERVER');
    expect(server).toMatchObject({
      isError: false,
      attributes: { 'http.response.status_code': 400 },
    });
    expect(server?.attributes).not.toHaveProperty('error.type');
    expect(named(spans, 'run')).toMatchObject({
      isError: true,
      message: '',
      attributes: { 'error.type': 'missing_variable' },
    });
  });

  it('names the engine’s error by its number, without its message', async () => {
    await save(test, 'fails', { query: "SELECT throwIf(amount > 0, 'hidden') AS x FROM sales" });
    await test.rest('GET', '/endpoints/fails/run', { headers: traced() });
    const spans = await whole();
    const failed = spans.filter(({ kind, isError }) => kind === 'SPAN_KIND_CLIENT' && isError);
    expect(failed[0]).toMatchObject({
      message: '',
      attributes: { 'db.response.status_code': '395', 'error.type': '395' },
    });
  });

  it('has no span where nothing is there, and the route only where it is known', async () => {
    await test.rest('GET', '/nothing', { headers: traced() });
    const [server, ...others] = await whole();
    expect(server).toMatchObject({ name: 'GET', attributes: { 'http.response.status_code': 404 } });
    expect(server?.attributes).not.toHaveProperty('http.route');
    expect(others).toEqual([]);
  });
});

describe('a run by GraphQL', () => {
  const document = `query Sales($id: ID!, $name: String!) {
    runEndpoint(projectId: $id, name: $name, input: {}) { results }
  }`;

  it('has a span of the operation between request and run, without the document', async () => {
    await save(test, 'by_graphql');
    const variables = { id: test.project.id, name: 'by_graphql' };
    await test.graphql(document, variables, { headers: traced() });
    const spans = await whole();
    const server = named(spans, 'POST /graphql');
    const operation = named(spans, 'query');
    expect(operation).toMatchObject({
      parentId: server.id,
      attributes: { 'graphql.operation.type': 'query', 'graphql.operation.name': 'Sales' },
    });
    expect(operation.attributes).not.toHaveProperty('graphql.document');
    expect(named(spans, 'run')).toMatchObject({
      parentId: operation.id,
      attributes: { 'querydock.interface': 'graphql' },
    });
  });

  it('has one in the data graph of a project, too', async () => {
    await save(test, 'in_graph');
    const { status } = await test.rest('POST', '/graphql', {
      body: { query: 'query G { inGraph { rows { country } } }' },
      headers: traced(),
    });
    expect(status).toBe(200);
    const spans = await whole();
    const server = named(spans, 'POST /api/projects/:project_id/graphql');
    expect(named(spans, 'query').parentId).toBe(server.id);
    expect(named(spans, 'run').attributes).toMatchObject({ 'querydock.endpoint.name': 'in_graph' });
  });
});

describe('runs that share one execution', () => {
  it('link to the span of the run that began it', async () => {
    await save(test, 'shared_run', { query: 'SELECT sum(number) AS n FROM numbers(4321)' });
    await test.rest('GET', '/endpoints/shared_run/run?refresh=force');
    engine.hold('numbers(4321)');
    const run = (id: string) =>
      test.rest('GET', `/endpoints/shared_run/run?refresh=force&client_query_id=${id}`, {
        headers: traced(),
      });
    const first = run('first');
    await eventually('the first waits', () => engine.held() === 1);
    const second = run('second');
    const { pendingCallers } = test.app.core;
    const joined = () => pendingCallers.executionOf(test.project.id, 'second') !== null;
    await eventually('the second has joined it', joined);
    engine.release();
    expect((await Promise.all([first, second])).map(({ status }) => status)).toEqual([200, 200]);
    const runs = (await whole(2)).filter(({ name }) => name === 'run');
    const leader = runs.find(({ links }) => links.length === 0);
    const other = runs.find(({ links }) => links.length > 0);
    expect(other?.links).toEqual([leader?.id]);
    expect(other?.attributes).toMatchObject({ 'querydock.joined': true });
    const statements = spansOf().filter(({ attributes }) =>
      String(attributes['db.query.summary']).includes('numbers'),
    );
    expect(statements.map(({ parentId }) => parentId)).toEqual([leader?.id]);
  });
});

describe('the context of the caller', () => {
  it('decides what is recorded: an unsampled trace is not', async () => {
    await save(test, 'unsampled');
    const headers = { traceparent: `00-${traceId}-${callerSpan}-00` };
    await test.rest('GET', '/endpoints/unsampled/run', { headers });
    const other = 'b'.repeat(32);
    await test.rest('GET', '/endpoints/unsampled/run', {
      headers: { traceparent: `00-${other}-${callerSpan}-01` },
    });
    await eventually('a later trace is there', () => spansOf(other).length === 2);
    expect(spansOf()).toEqual([]);
  });

  it.each([
    ['no hexadecimal digits', () => `00-${'x'.repeat(32)}-${callerSpan}-01`],
    ['zeros', () => `00-${'0'.repeat(32)}-${callerSpan}-01`],
    ['a version that is none', () => `ff-${traceId}-${callerSpan}-01`],
    ['a part more', () => `00-${traceId}-${callerSpan}-01-more`],
    ['two of them', () => `00-${traceId}-${callerSpan}-01, 00-${traceId}-${callerSpan}-01`],
    ['an empty text', () => ''],
  ])('is ignored where it has %s: a new trace begins', async (what, header) => {
    const name = `malformed_${number}`;
    await save(test, name);
    const id = `request-${number}`;
    const headers = { traceparent: header(), 'x-request-id': id };
    const { status } = await test.rest('GET', `/endpoints/${name}/run`, { headers });
    expect(status, what).toBe(200);
    const own = () =>
      collector.spans.find(({ attributes }) => attributes['querydock.request.id'] === id);
    await eventually('it is exported', () => own() !== undefined);
    expect(own()?.parentId).toBe('');
    expect(spansOf()).toEqual([]);
  });

  it('passes its state on', async () => {
    await save(test, 'state');
    const headers = { ...traced(), tracestate: 'vendor=one,other=two' };
    await test.rest('GET', '/endpoints/state/run', { headers });
    for (const { traceState } of await whole()) expect(traceState).toBe('vendor=one,other=two');
  });
});

describe('what is exported', () => {
  it('names the service, and is sent as the settings say', async () => {
    await test.rest('GET', '/nothing', { headers: traced() });
    const [span] = await whole();
    expect(span?.resource).toMatchObject({
      'service.name': 'flights-api',
      'deployment.environment.name': 'test',
      'telemetry.sdk.language': 'nodejs',
    });
    expect(collector.requests.at(-1)).toMatchObject({
      path: '/v1/traces',
      headers: { 'x-tenant': 'a b', 'content-encoding': 'gzip' },
    });
  });

  it('has no key, wherever one was sent, and no value of a variable', async () => {
    const query = 'SELECT * FROM sales WHERE country = {country:String}';
    await save(test, 'secretive', { query });
    const { readKey: key } = test.project;
    const headers = { ...traced(), 'x-request-id': key, tracestate: `a=${key}` };
    await test.rest('GET', `/endpoints/${key}/run`, { headers });
    await test.rest('POST', '/endpoints/secretive/run', {
      body: { variables: { country: 'value-of-somebody' } },
      headers,
    });
    await whole(2);
    const all = Buffer.concat(collector.bodies).toString('latin1');
    expect(all).toContain('secretive');
    expect(all).not.toContain(key.slice(4));
    expect(all).not.toContain('value-of-somebody');
    expect(all).not.toContain('secret-value');
  });
});
