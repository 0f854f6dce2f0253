/** What the engine is told of a run: its trace, and which endpoint a statement is of. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Collector, openCollector } from '../otel/support/collector.ts';
import { openSalesApp, save } from '../rest/support/sales.ts';
import { eventually } from '../support/eventually.ts';
import { type HeldEngine, openHeldEngine } from '../support/held-engine.ts';
import type { TestApp } from '../support/test-app.ts';

let test: TestApp;
let collector: Collector;
let engine: HeldEngine;

beforeAll(async () => {
  collector = await openCollector();
  engine = await openHeldEngine();
  const { clickhouseUrl } = engine;
  test = await openSalesApp({ clickhouseUrl, otlpEndpoint: collector.url, traceDelayMs: 20 });
});
afterAll(async () => {
  await test?.close();
  await engine?.close();
  await collector?.close();
});

/** Longer than the test needs; it is cancelled. */
const endless = 'SELECT sum(cityHash64(number, number + 1)) AS n FROM numbers(1000000000000)';

/** The comment of the long statement of a request, as the engine knows it. */
async function commentOf(requestId: string): Promise<unknown> {
  let comment = '';
  await eventually('it runs at the engine', async () => {
    comment = await test.sql(
      `SELECT Settings['log_comment'] FROM system.processes WHERE position(Settings['log_comment'], '"request_id":"${requestId}"') > 0 AND read_rows > 1e6 LIMIT 1 FORMAT TSVRaw`,
    );
    return comment.trim() !== '';
  });
  return JSON.parse(comment);
}

it('tells the engine which endpoint, version and request a statement is of', async () => {
  await save(test, 'endless', { query: `${endless} WHERE number != {skip:UInt64}` });
  const leaving = new AbortController();
  const run = test.rest('GET', '/endpoints/endless/run?variables[skip]=987654321', {
    headers: { 'x-request-id': 'the-request' },
    signal: leaving.signal,
  });
  expect(await commentOf('the-request')).toEqual({
    project: test.project.id,
    endpoint: 'endless',
    version: 1,
    request_id: 'the-request',
  });
  leaving.abort();
  await run.catch(() => undefined);
});

it('tells it of a query that is not saved, which has no endpoint', async () => {
  const leaving = new AbortController();
  const run = test.rest('POST', '/query', {
    body: { query: endless },
    headers: { 'x-request-id': 'another' },
    signal: leaving.signal,
  });
  expect(await commentOf('another')).toEqual({
    project: test.project.id,
    request_id: 'another',
  });
  leaving.abort();
  await run.catch(() => undefined);
});

it('sends it the trace, whose parent is the span of the statement', async () => {
  await save(test, 'continued');
  engine.takeHeaders();
  const traceId = 'c'.repeat(32);
  const headers = {
    traceparent: `00-${traceId}-00f067aa0ba902b7-01`,
    tracestate: 'vendor=one',
  };
  expect((await test.rest('GET', '/endpoints/continued/run', { headers })).status).toBe(200);
  const sent = engine.takeHeaders().filter(({ traceparent = '' }) => traceparent !== '');
  const isOver = () =>
    collector.spans.some((span) => span.traceId === traceId && span.kind === 'SPAN_KIND_SERVER');
  await eventually('the trace is exported', isOver);
  const statements = collector.spans.filter(
    (span) => span.traceId === traceId && span.kind === 'SPAN_KIND_CLIENT',
  );
  expect(statements.length).toBeGreaterThan(0);
  expect(sent.map(({ traceparent }) => String(traceparent)).toSorted()).toEqual(
    statements.map(({ id }) => `00-${traceId}-${id}-01`).toSorted(),
  );
  for (const { tracestate } of sent) expect(tracestate).toBe('vendor=one');
});

it('sends it the decision not to sample', async () => {
  await save(test, 'unsampled');
  engine.takeHeaders();
  const traceId = 'd'.repeat(32);
  const headers = { traceparent: `00-${traceId}-00f067aa0ba902b7-00` };
  expect((await test.rest('GET', '/endpoints/unsampled/run', { headers })).status).toBe(200);
  const flags = engine
    .takeHeaders()
    .map(({ traceparent = '' }) => /^00-d{32}-.{16}-(\d\d)$/.exec(String(traceparent))?.[1]);
  expect(flags.filter((flag) => flag !== undefined)).not.toEqual([]);
  expect(new Set(flags.filter((flag) => flag !== undefined))).toEqual(new Set(['00']));
});

it('makes a sync a trace of its own, with its statements', async () => {
  await save(test, 'stored', { is_materialized: true });
  await test.app.materialization.runOnce();
  const syncs = () => collector.spans.filter(({ name }) => name === 'sync');
  await eventually('the sync is exported', () => syncs().length > 0);
  const [sync] = syncs();
  expect(sync).toMatchObject({
    parentId: '',
    isError: false,
    attributes: {
      'querydock.project.id': test.project.id,
      'querydock.endpoint.name': 'stored',
      'querydock.endpoint.version': 1,
      'querydock.sync.outcome': 'completed',
    },
  });
  const statements = collector.spans.filter(({ parentId }) => parentId === sync?.id);
  expect(statements.map(({ name }) => name.split(' ')[0])).toContain('CREATE');
});
