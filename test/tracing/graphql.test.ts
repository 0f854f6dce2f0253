/** What a trace tells of GraphQL requests that are answered from memory, and of those for a WebSocket. */
import { once } from 'node:events';
import { request } from 'node:http';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { type Collector, openCollector } from '../otel/support/collector.ts';
import type { CollectedSpan } from '../otel/support/read-spans.ts';
import { openSalesApp, save } from '../rest/support/sales.ts';
import { eventually } from '../support/eventually.ts';
import type { TestApp } from '../support/test-app.ts';

let test: TestApp;
let collector: Collector;
let number = 0;
let traceId: string;

beforeAll(async () => {
  collector = await openCollector();
  test = await openSalesApp({ otlpEndpoint: collector.url, traceDelayMs: 20, port: 0 });
});
afterAll(async () => {
  await test?.close();
  await collector?.close();
});

/** Each case has a trace of its own. */
beforeEach(() => {
  number += 1;
  traceId = String(number).padStart(32, 'c');
});

const callerSpan = '00f067aa0ba902b7';
const traced = () => ({ traceparent: `00-${traceId}-${callerSpan}-01` });

/** All spans of the trace, once its server span has come. */
async function whole(): Promise<readonly CollectedSpan[]> {
  const found = () => collector.spans.filter((span) => span.traceId === traceId);
  await eventually('the trace is exported', () =>
    found().some(({ kind }) => kind === 'SPAN_KIND_SERVER'),
  );
  return found();
}

/** The names of the spans with those of their parents. */
function treeOf(spans: readonly CollectedSpan[]): readonly string[] {
  const names = new Map(spans.map(({ id, name }) => [id, name]));
  return spans.map(({ name, parentId }) => `${names.get(parentId) ?? ''} > ${name}`).sort();
}

const operationOf = (spans: readonly CollectedSpan[]) =>
  spans.find(({ attributes }) => 'graphql.operation.type' in attributes);

describe('a document that is answered from memory', () => {
  it('has the span of its operation, with the run below it', async () => {
    await save(test, 'from_memory');
    const document = `query Again { runEndpoint(projectId: "@current", name: "from_memory") { results } }`;
    // Computed, kept as a body, and sent as that.
    for (const _ of [1, 2, 3]) await test.graphql(document, {}, {});
    const { body } = await test.graphql(document, {}, { headers: traced() });
    expect(body.errors).toBeUndefined();
    const spans = await whole();
    expect(treeOf(spans)).toEqual([' > POST /graphql', 'POST /graphql > query', 'query > run']);
    expect(operationOf(spans)).toMatchObject({
      isError: false,
      attributes: { 'graphql.operation.type': 'query', 'graphql.operation.name': 'Again' },
    });
    expect(spans.find(({ name }) => name === 'run')?.attributes).toMatchObject({
      'querydock.cache.outcome': 'hit',
    });
  });

  it('has one that failed where its run fails', async () => {
    await save(test, 'gone_later');
    const document = `{ runEndpoint(projectId: "@current", name: "gone_later") { results } }`;
    for (const _ of [1, 2, 3]) await test.graphql(document, {}, {});
    await test.rest('PATCH', '/endpoints/gone_later', { body: { is_active: false } });
    await test.graphql(document, {}, { headers: traced() });
    const spans = await whole();
    expect(treeOf(spans)).toEqual([' > POST /graphql', 'POST /graphql > query', 'query > run']);
    const operation = operationOf(spans);
    expect(operation).toMatchObject({ isError: true, attributes: { 'error.type': 'not_found' } });
    expect(operation?.attributes).not.toHaveProperty('graphql.operation.name');
  });

  it('has it in a data graph, too, also when its endpoint has changed', async () => {
    await save(test, 'kept_graph', { query: 'SELECT amount FROM sales' });
    const body = { query: 'query Kept { keptGraph { rows { amount } } }' };
    const ask = (headers: Readonly<Record<string, string>> = {}) =>
      test.rest('POST', '/graphql', { body, headers });
    const route = 'POST /api/projects/:project_id/graphql';
    const expected = [` > ${route}`, `${route} > query`, 'query > run'];
    for (const _ of [1, 2, 3]) expect((await ask()).body.errors).toBeUndefined();
    await ask(traced());
    const spans = await whole();
    expect(treeOf(spans)).toEqual(expected);
    expect(operationOf(spans)?.attributes).toMatchObject({ 'graphql.operation.name': 'Kept' });

    traceId = traceId.replace(/^c/, 'd');
    const query = 'SELECT amount, 1 AS more FROM sales';
    await test.rest('PATCH', '/endpoints/kept_graph', { body: { query } });
    expect((await ask(traced())).body.errors).toBeUndefined();
    const changed = (await whole()).filter(({ kind }) => kind !== 'SPAN_KIND_CLIENT');
    expect(treeOf(changed)).toEqual(expected);
  });
});

describe('a request for a WebSocket', () => {
  it.each([
    ['/graphql', () => '/graphql'],
    ['/api/projects/:project_id/graphql', () => `/api/projects/${test.project.id}/graphql`],
  ])('is a server span in the caller’s trace: %s', async (route, path) => {
    listener ??= await test.app.start();
    const url = `ws://127.0.0.1:${listener.port}${path()}?secret=value`;
    const socket = new WebSocket(url, 'graphql-transport-ws', { headers: traced() });
    await once(socket, 'open');
    const [span, ...others] = await whole();
    socket.close();
    expect(others).toEqual([]);
    expect(span).toMatchObject({
      name: `GET ${route}`,
      parentId: callerSpan,
      isError: false,
      attributes: {
        'http.request.method': 'GET',
        'http.route': route,
        'http.response.status_code': 101,
        'url.path': path(),
        'server.port': listener.port,
      },
    });
    expect(JSON.stringify(span?.attributes)).not.toContain('secret');
  });

  it('that is none has the status that it got', async () => {
    listener ??= await test.app.start();
    const headers = { ...traced(), connection: 'Upgrade', upgrade: 'websocket' };
    const asked = request({ host: '127.0.0.1', port: listener.port, path: '/graphql', headers });
    asked.end();
    const [{ statusCode }] = (await once(asked, 'response')) as [{ statusCode: number }];
    expect(statusCode).toBe(400);
    const [span] = await whole();
    expect(span?.attributes).toMatchObject({ 'http.response.status_code': 400 });
  });
});

let listener: Awaited<ReturnType<TestApp['app']['start']>> | undefined;
