import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openApp } from '../../src/app.ts';
import { openLog } from '../../src/config/open-log.ts';
import type { HttpListener } from '../../src/server/node-server.ts';
import { eventually } from '../support/eventually.ts';
import { type HeldEngine, openHeldEngine } from '../support/held-engine.ts';
import { openTestApp, type TestApp } from '../support/test-app.ts';

let test: TestApp;
let engine: HeldEngine;
let listener: HttpListener;

/** Long enough to be cancelled, were the machine ever so fast. */
const slow = 'SELECT sum(cityHash64(number)) AS s FROM numbers(200000000000)';
/** The test says how long it takes. */
const held = 'SELECT sum(number) AS s FROM numbers(1000)';

beforeAll(async () => {
  engine = await openHeldEngine();
  const { clickhouseUrl } = engine;
  const settings = { port: 0, publicUrl: '', maxBodyBytes: 100_000, clickhouseUrl };
  // As in a checkout in which nobody has built the console.
  test = await openTestApp(settings, undefined, { consoleFolder: import.meta.dirname });
  listener = await test.app.start();
  for (const body of [
    { name: 'slow', query: slow },
    { name: 'held', query: held, cache_age_seconds: 0 },
    { name: 'one', query: 'SELECT 1 AS one' },
  ]) {
    const { status, text } = await test.rest('POST', '/endpoints', { body });
    if (status !== 201) throw new Error(text);
  }
});
afterAll(async () => {
  await test?.close();
  await engine?.close();
});

const url = (path: string) => `http://127.0.0.1:${listener.port}${path}`;
const endpointUrl = (path: string) => url(`/api/projects/${test.project.id}/endpoints${path}`);
const authorization = () => ({ authorization: `Bearer ${test.project.writeKey}` });

async function statusOf(id: string) {
  const { body } = await test.graphql(
    'query ($id: ID!) { queryStatus(projectId: "@current", id: $id) { complete errorCode queryProgress { rowsRead } } }',
    { id },
  );
  return body.data?.queryStatus as {
    complete: boolean;
    errorCode: string | null;
    queryProgress: { rowsRead: number };
  } | null;
}

describe('a caller that goes away', () => {
  it('cancels its query when nobody else waits for it', async () => {
    const gone = new AbortController();
    const run = fetch(endpointUrl('/slow/run?client_query_id=leaver'), {
      headers: authorization(),
      signal: gone.signal,
    });
    await eventually(
      'the query reads',
      async () => ((await statusOf('leaver'))?.queryProgress.rowsRead ?? 0) > 0,
    );
    gone.abort();
    await expect(run).rejects.toThrow();
    await eventually(
      'the query has ended',
      async () => (await statusOf('leaver'))?.complete === true,
    );
    expect((await statusOf('leaver'))?.errorCode).toBe('query_cancelled');
  });

  it('leaves the query to others who wait for the same', async () => {
    engine.hold('numbers(1000)');
    const gone = new AbortController();
    const run = (id: string, signal?: AbortSignal) =>
      fetch(endpointUrl(`/held/run?client_query_id=${id}`), {
        headers: authorization(),
        ...(signal === undefined ? {} : { signal }),
      });
    const left = run('first', gone.signal);
    await eventually('the query runs', async () => (await statusOf('first')) !== null);
    const stays = run('second');
    await eventually('both wait', async () => (await statusOf('second')) !== null);
    gone.abort();
    await left.catch(() => undefined);
    engine.release();
    const response = await stays;
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({ columns: ['s'], is_cached: false });
  });
});

it('a run is stopped by its client query id through cancelQuery', async () => {
  const run = fetch(endpointUrl('/slow/run?client_query_id=stop-me'), { headers: authorization() });
  await eventually(
    'the query reads',
    async () => ((await statusOf('stop-me'))?.queryProgress.rowsRead ?? 0) > 0,
  );
  const { body } = await test.graphql(
    'mutation { cancelQuery(projectId: "@current", id: "stop-me") { id } }',
  );
  expect(body.errors).toBeUndefined();
  const response = await run;
  expect([response.status, await response.json()]).toMatchObject([
    400,
    { code: 'query_cancelled' },
  ]);
});

describe('a body over the limit', () => {
  it('is refused by its length', async () => {
    const response = await fetch(endpointUrl(''), {
      method: 'POST',
      headers: { ...authorization(), 'content-type': 'application/json' },
      body: 'x'.repeat(100_001),
    });
    expect([response.status, await response.json()]).toMatchObject([
      413,
      { code: 'body_too_large' },
    ]);
  });

  it('is refused when it does not declare its length', async () => {
    const socket = connect(listener.port, '127.0.0.1');
    let text = '';
    socket.setEncoding('utf8').on('data', (chunk) => {
      text += chunk;
    });
    socket.on('error', () => undefined);
    socket.write(
      `POST /graphql HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`,
    );
    const chunk = 'x'.repeat(10_000);
    for (let n = 0; n < 12; n += 1) socket.write(`${chunk.length.toString(16)}\r\n${chunk}\r\n`);
    await once(socket, 'close');
    expect(text).toMatch(/^HTTP\/1.1 413 /);
  });
});

describe('the pages', () => {
  it('report that the service is alive and ready', async () => {
    expect(await (await fetch(url('/healthz'))).text()).toBe('ok\n');
    expect(await (await fetch(url('/readyz'))).json()).toEqual({
      ready: true,
      parts: { records: 'ready', engine: 'ready' },
    });
  });

  it('report in the metrics what the service depends on', async () => {
    await fetch(url('/readyz'));
    const text = await (await fetch(url('/metrics'))).text();
    expect(text).toMatch(/^querydock_dependency_up\{dependency="records"\} 1$/m);
    expect(text).toMatch(/^querydock_dependency_up\{dependency="engine"\} 1$/m);
    expect(text).toMatch(/^querydock_draining 0$/m);
  });

  it('give metrics in the Prometheus format', async () => {
    await fetch(endpointUrl('/one/run'), { headers: authorization() });
    const response = await fetch(url('/metrics'));
    expect(response.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
    const text = await response.text();
    expect(text).toMatch(/^# TYPE querydock_runs_total counter$/m);
    expect(text).toContain(
      `querydock_runs_total{project="${test.project.id}",path="inline",outcome="ok"}`,
    );
    expect(text).toMatch(
      /querydock_http_requests_total\{door="rest",operation="run_get",status="200"\} \d+/,
    );
    expect(text).toMatch(/querydock_run_seconds_bucket\{path="inline",le="\+Inf"\} \d+/);
  });

  it('show the documentation without any other host', async () => {
    const page = await fetch(url('/api/docs'));
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
    const html = await page.text();
    expect(html).not.toMatch(/(src|href)="(https?:)?\/\//);
    const assets = [...html.matchAll(/(?:src|href)="(\/api\/docs\/[^"]+)"/g)].map(
      (m) => m[1] ?? '',
    );
    expect(assets.length).toBeGreaterThanOrEqual(3);
    for (const asset of assets) expect((await fetch(url(asset))).status).toBe(200);
    expect(await (await fetch(url('/api/openapi.json'))).json()).toMatchObject({
      openapi: '3.0.3',
    });
  });

  it('lead from an endpoint’s own page to GraphiQL where the console is not built', async () => {
    const response = await fetch(url('/project/1/endpoints/one'), { redirect: 'manual' });
    expect(response.status).toBe(302);
    expect(response.headers.get('location')).toBe('/graphql?project=1&endpoint=one');
  });
});

it('finishes what is in flight before it closes, and takes nothing new', async () => {
  const { clickhouseUrl } = engine;
  const closing = await openTestApp({ port: 0, publicUrl: '', clickhouseUrl });
  const own = await closing.app.start();
  await closing.rest('POST', '/endpoints', { body: { name: 'held', query: held } });
  const address = `http://127.0.0.1:${own.port}/api/projects/${closing.project.id}/endpoints/held/run`;
  engine.hold('numbers(1000)');
  const run = fetch(address, { headers: { authorization: `Bearer ${closing.project.readKey}` } });
  await eventually('the query is under way', () => engine.held() === 1);
  const stopped = own.close(60_000);
  await expect(fetch(address)).rejects.toThrow();
  engine.release();
  expect((await run).status).toBe(200);
  await stopped;
  await closing.close();
});

describe('a service that is told to stop', () => {
  it('is not ready from then on, serves for the configured time, and closes its socket after it', async () => {
    const drained = Promise.withResolvers<void>();
    const pauses: number[] = [];
    const leaving = await openApp({
      config: { ...test.app.core.config, drainSeconds: 7 },
      log: openLog('silent'),
      backends: test.backends,
      clock: test.clock,
      pause(ms) {
        pauses.push(ms);
        return drained.promise;
      },
    });
    const { port } = await leaving.start();
    const ask = (path: string) =>
      fetch(`http://127.0.0.1:${port}${path}`, { headers: authorization() });
    const parts = { records: 'ready', engine: 'ready' };
    const before = await ask('/readyz');
    expect([before.status, await before.json()]).toEqual([200, { ready: true, parts }]);
    const stopped = leaving.stop();
    expect(pauses).toEqual([7000]);
    const ready = await ask('/readyz');
    expect([ready.status, await ready.json()]).toEqual([
      503,
      { ready: false, reason: 'stopping', parts },
    ]);
    expect((await ask('/healthz')).status).toBe(200);
    expect(await (await ask('/metrics')).text()).toMatch(/^querydock_draining 1$/m);
    const run = await ask(`/api/projects/${test.project.id}/endpoints/one/run`);
    expect(await run.json()).toMatchObject({ results: [[1]] });
    expect(run.headers.get('connection')).toBe('close');
    drained.resolve();
    await stopped;
    await expect(ask('/healthz')).rejects.toThrow('fetch failed');
  });
});
