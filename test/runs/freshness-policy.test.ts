/** What callers state about freshness: maximum age, stale while revalidating, stale when the engine is out. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { change, executions, openSalesApp, save } from '../rest/support/sales.ts';
import { type EngineRelay, openEngineRelay } from '../support/engine-relay.ts';
import { eventually } from '../support/eventually.ts';
import { type HeldEngine, openHeldEngine } from '../support/held-engine.ts';
import type { CallOptions, TestApp, TestResponse } from '../support/test-app.ts';

const noon = '2026-03-01T12:00:00.000Z';
let engine: HeldEngine;
let relay: EngineRelay;
let test: TestApp;
let name: string;
let number = 0;

beforeAll(async () => {
  engine = await openHeldEngine();
  relay = await openEngineRelay(engine.clickhouseUrl);
  test = await openSalesApp({ clickhouseUrl: relay.clickhouseUrl });
});
afterAll(async () => {
  await test?.close();
  await relay?.close();
  await engine?.close();
});

beforeEach(async () => {
  test.clock.set(noon);
  number += 1;
  name = `fresh_${number}`;
  await save(test, name, { query: 'SELECT count() AS n FROM sales', cache_age_seconds: 60 });
});

const sell = () => test.sql("INSERT INTO sales VALUES ('at', 1, '2026-01-01', NULL)");
const get = (query = '', headers: CallOptions['headers'] = {}) =>
  test.rest('GET', `/endpoints/${name}/run${query}`, { headers });
const post = (body: object = {}, headers: CallOptions['headers'] = {}) =>
  test.rest('POST', `/endpoints/${name}/run`, { body, headers });
const cacheControl = (value: string) => get('', { 'cache-control': value });
const refreshed = () => eventually('it is refreshed', () => test.app.core.background.size() === 0);

function countOf({ body }: TestResponse): number {
  const [[n]] = body.results as [[number]];
  return n;
}

async function metric(line: string): Promise<number> {
  const response = await test.app.fetch(new Request('http://querydock.test/metrics'));
  const found = (await response.text()).split('\n').find((one) => one.startsWith(`${line} `));
  return Number(found?.split(' ').at(-1) ?? 0);
}

describe('a maximum age', () => {
  it.each([
    ['header', () => cacheControl('max-age=30')],
    ['query', () => get('?max_age_seconds=30')],
    ['body', () => post({ max_age_seconds: 30 })],
  ])('by %s makes an older result count as stale, and a younger one answer', async (_how, ask) => {
    await get();
    test.clock.advance(29_999);
    expect((await ask()).body).toMatchObject({ is_cached: true, is_stale: false });
    test.clock.advance(1);
    expect((await ask()).body).toMatchObject({
      is_cached: false,
      is_stale: false,
      stale_reason: null,
      served_from: 'inline',
      last_refresh: '2026-03-01T12:00:30.000Z',
    });
    expect(await executions(test, name)).toBe(2);
  });

  it('of 0 computes each time and refills the cache', async () => {
    const before = countOf(await get());
    await sell();
    const anew = await cacheControl('max-age=0');
    expect(anew.body).toMatchObject({ is_cached: false });
    expect(countOf(anew)).toBe(before + 1);
    expect((await get()).body).toMatchObject({ is_cached: true, results: [[before + 1]] });
  });

  it('never widens the cache age of the version', async () => {
    await get();
    test.clock.advance(60_000);
    expect((await cacheControl('max-age=86400')).body).toMatchObject({ is_cached: false });
  });

  it('is that of the body before the query string before the header, each on its own', async () => {
    await get();
    test.clock.advance(20_000);
    const strict = { 'cache-control': 'max-age=10' };
    expect((await get('?max_age_seconds=30', strict)).body).toMatchObject({ is_cached: true });
    const both = await test.rest('POST', `/endpoints/${name}/run?max_age_seconds=10`, {
      body: { max_age_seconds: 30 },
      headers: strict,
    });
    expect(both.body).toMatchObject({ is_cached: true });
    expect((await post({ max_age_seconds: null }, strict)).body).toMatchObject({
      is_cached: false,
    });
  });

  it('leaves the responses to callers who state nothing as they were', async () => {
    const { body } = await get();
    for (const member of ['is_stale', 'stale_reason', 'served_from', 'freshness']) {
      expect(body).not.toHaveProperty(member);
    }
  });
});

describe('Cache-Control of a request', () => {
  it.each(['no-cache', 'No-Cache, max-age=60', 'no-store'])(
    '%s computes, as refresh=force',
    async (value) => {
      await get();
      expect((await cacheControl(value)).body).toMatchObject({ is_cached: false });
    },
  );

  it('no-cache gives way to a refresh that is named', async () => {
    await get();
    const answer = await get('?refresh=cache', { 'cache-control': 'no-cache' });
    expect(answer.body).toMatchObject({ is_cached: true });
  });

  it('no-cache beside If-None-Match, as fetch adds it, still gets 304', async () => {
    const tag = (await get()).headers.get('etag') ?? '';
    const { status } = await get('', { 'if-none-match': tag, 'cache-control': 'no-cache' });
    expect(status).toBe(304);
    expect(await executions(test, name)).toBe(1);
  });

  it.each([
    'only-if-cached, min-fresh=10, max-stale, x="a, max-age=0"',
    '',
    ',,',
    'max-age=30, max-age=300',
    'MAX-AGE="30"',
    'max-age = 30',
    'max-age=99999999999999999999',
  ])('%s is read as the standard says', async (value) => {
    await get();
    test.clock.advance(29_000);
    const { status, body } = await cacheControl(value);
    expect([status, body.is_cached]).toEqual([200, true]);
  });

  it('takes the stricter of two', async () => {
    await get();
    test.clock.advance(20_000);
    expect((await cacheControl('max-age=300, max-age=10')).body).toMatchObject({
      is_cached: false,
    });
  });

  it.each([
    'max-age',
    'max-age=',
    'max-age=soon',
    'max-age=-1',
    'max-age=1.5',
    'stale-while-revalidate=x',
    'stale-if-error="1h"',
  ])('%s is 400', async (value) => {
    const { status, body } = await cacheControl(value);
    expect(status).toBe(400);
    expect(body).toMatchObject({ code: 'invalid_input', attr: 'Cache-Control' });
    expect(await executions(test, name)).toBe(0);
  });

  it('means nothing to other routes', async () => {
    const headers = { 'cache-control': 'max-age=soon' };
    expect((await test.rest('GET', '/endpoints', { headers })).status).toBe(200);
  });
});

describe('members that are no seconds are 400', () => {
  it.each([
    ['max_age_seconds', -1],
    ['max_age_seconds', 1.5],
    ['stale_while_revalidate_seconds', '10'],
    ['stale_if_error_seconds', 2_147_483_648],
  ])('%s %s', async (member, value) => {
    const { status, body } = await post({ [member]: value });
    expect(status).toBe(400);
    expect(body).toMatchObject({ code: 'invalid_input', attr: member });
  });

  it('by GraphQL too', async () => {
    const document = `query ($name: String!) { runEndpoint(projectId: "@current", name: $name, input: { staleIfErrorSeconds: -1 }) { name } }`;
    const { errors } = (await test.graphql(document, { name })).body;
    expect(errors).toMatchObject([
      { extensions: { code: 'invalid_input', attr: 'stale_if_error_seconds' } },
    ]);
  });
});

describe('stale while revalidating', () => {
  const stale = { is_cached: true, is_stale: true, stale_reason: 'revalidating' };

  it('returns the stale result at once, marked as stale, and one run computes it anew', async () => {
    const first = await get();
    await sell();
    const runs = `querydock_revalidations_total{project="${test.project.id}",outcome="ok"}`;
    const before = await metric(runs);
    test.clock.advance(89_000);
    const answers = await Promise.all(
      [1, 2, 3, 4].map(() => cacheControl('stale-while-revalidate=30')),
    );
    for (const { status, body, headers } of answers) {
      expect(status).toBe(200);
      expect(body).toMatchObject({
        ...stale,
        results: first.body.results,
        execution_id: first.body.execution_id,
        served_from: 'cache',
        last_refresh: noon,
        cache_target_age: '2026-03-01T12:01:00.000Z',
      });
      expect(headers.get('querydock-stale')).toBe('revalidating');
      expect(headers.get('age')).toBe('89');
      expect(headers.get('cache-control')).toBe('private, max-age=0');
    }
    await refreshed();
    expect(await executions(test, name)).toBe(2);
    expect(await metric(runs)).toBe(before + 1);
    const next = await cacheControl('stale-while-revalidate=30');
    expect(next.body).toMatchObject({ is_cached: true, is_stale: false, stale_reason: null });
    expect(next.headers.has('querydock-stale')).toBe(false);
    expect(countOf(next)).toBe(countOf(first) + 1);
  });

  it('counts from the maximum age that is stated', async () => {
    await get();
    test.clock.advance(14_999);
    const asked = 'max-age=5, stale-while-revalidate=10';
    expect((await cacheControl(asked)).body).toMatchObject(stale);
    await refreshed();
    test.clock.advance(14_999);
    expect((await cacheControl(asked)).body).toMatchObject(stale);
    await refreshed();
    expect(await executions(test, name)).toBe(3);
  });

  it('ends with its time: then the run computes', async () => {
    await get();
    test.clock.advance(90_000);
    expect((await cacheControl('stale-while-revalidate=30')).body).toMatchObject({
      is_cached: false,
      is_stale: false,
    });
  });

  it('works for a version that is not cached, whose results are stored for it', async () => {
    await change(test, name, { cache_age_seconds: 0 });
    await get();
    expect((await cacheControl('stale-while-revalidate=10')).body).toMatchObject(stale);
    await refreshed();
  });

  it('means nothing to refresh=force', async () => {
    await get();
    test.clock.advance(61_000);
    const answer = await post({ refresh: 'force', stale_while_revalidate_seconds: 600 });
    expect(answer.body).toMatchObject({ is_cached: false, is_stale: false });
  });

  it('is an execution of its own, to its end though the caller goes', async () => {
    await save(test, `held_${name}`, {
      query: 'SELECT sum(number) AS n, count() FROM numbers(1000)',
      cache_age_seconds: 60,
    });
    const path = `/endpoints/held_${name}/run`;
    const { body: first } = await test.rest('GET', path);
    test.clock.advance(61_000);
    engine.hold('numbers(1000)');
    const away = new AbortController();
    const { body } = await test.rest('GET', `${path}?client_query_id=mine_${name}`, {
      headers: { 'cache-control': 'stale-while-revalidate=30' },
      signal: away.signal,
    });
    away.abort();
    expect(body).toMatchObject({ ...stale, execution_id: first.execution_id });
    expect(test.app.core.background.size()).toBe(1);
    engine.release();
    await refreshed();
    const rows = await statuses(`held_${name}`);
    expect(rows).toMatchObject([
      { id: first.execution_id, errorCode: null },
      { clientQueryId: null, errorCode: null, endTime: expect.any(Date), door: 'rest' },
    ]);
  });

  it('is counted', async () => {
    const project = `project="${test.project.id}"`;
    const answers = `querydock_stale_answers_total{${project},reason="revalidating"}`;
    const runs = `querydock_revalidations_total{${project},outcome="ok"}`;
    const before = [await metric(answers), await metric(runs)];
    await get();
    test.clock.advance(61_000);
    await cacheControl('stale-while-revalidate=30');
    await refreshed();
    expect([await metric(answers), await metric(runs)]).toEqual(before.map((n) => n + 1));
  });

  it('leaves the result of the other project alone', async () => {
    await save(test, name, { query: 'SELECT count() AS n FROM sales' }, test.other);
    await get();
    test.clock.advance(61_000);
    const other = await test.rest('GET', `/endpoints/${name}/run`, {
      project: test.other,
      headers: { 'cache-control': 'stale-while-revalidate=600' },
    });
    expect(other.body).toMatchObject({ is_cached: false, is_stale: false, results: [[1]] });
  });

  it('goes on until its time is over while the engine is out', async () => {
    await get();
    test.clock.advance(61_000);
    await relay.outage(async () => {
      expect((await cacheControl('stale-while-revalidate=30')).body).toMatchObject(stale);
      await refreshed();
      test.clock.advance(29_000);
      expect((await cacheControl('stale-while-revalidate=30')).status).toBe(503);
    });
    const failed = `querydock_revalidations_total{project="${test.project.id}",outcome="engine_unavailable"}`;
    expect(await metric(failed)).toBeGreaterThan(0);
  });
});

describe('stale if error', () => {
  const stale = { is_cached: true, is_stale: true, stale_reason: 'engine_unavailable' };

  it('returns the stored result when the engine is unavailable, marked as stale', async () => {
    const { body: first } = await get();
    test.clock.advance(100_000);
    const [without, with_] = await relay.outage(async () => [
      await get(),
      await cacheControl('stale-if-error=3600'),
    ]);
    expect(without?.status).toBe(503);
    expect(with_?.status).toBe(200);
    expect(with_?.body).toMatchObject({ ...stale, results: first.results, last_refresh: noon });
    expect(with_?.headers.get('querydock-stale')).toBe('engine_unavailable');
    expect(with_?.headers.get('cache-control')).toBe('private, max-age=0');
    expect((await cacheControl('stale-if-error=3600')).body).toMatchObject({ is_stale: false });
  });

  it('does so for refresh=force, and until its time is over', async () => {
    await get();
    await relay.outage(async () => {
      const forced = { refresh: 'force', stale_if_error_seconds: 10 };
      expect((await post(forced)).body).toMatchObject(stale);
      test.clock.advance(69_999);
      expect((await post(forced)).body).toMatchObject(stale);
      test.clock.advance(1);
      expect((await post(forced)).body).toMatchObject({ code: 'engine_unavailable' });
    });
  });

  it('has nothing to return when nothing was stored', async () => {
    const { status } = await relay.outage(() => cacheControl('stale-if-error=3600'));
    expect(status).toBe(503);
  });

  it('never hides a fault of the query or of the caller', async () => {
    await test.sql('CREATE TABLE fickle (x String) ENGINE = MergeTree ORDER BY x');
    await test.sql("INSERT INTO fickle VALUES ('1')");
    await save(test, `fickle_${name}`, { query: 'SELECT sum(toUInt8(x)) AS n FROM fickle' });
    const path = `/endpoints/fickle_${name}/run`;
    await test.rest('GET', path);
    await test.sql("INSERT INTO fickle VALUES ('one')");
    test.clock.advance(301_000);
    const answer = await test.rest('GET', `${path}?stale_if_error_seconds=3600`);
    expect(answer.body).toMatchObject({ code: 'query_failed' });
  });
});

describe('the tag of a response', () => {
  it('is another for each body that differs', async () => {
    await get();
    const bodies = new Map<string, string>();
    const note = async (answer: TestResponse) => {
      const tag = answer.headers.get('etag') ?? '';
      expect(bodies.get(tag) ?? answer.text).toBe(answer.text);
      bodies.set(tag, answer.text);
    };
    await note(await get());
    await note(await cacheControl('max-age=60'));
    test.clock.advance(61_000);
    await relay.outage(async () => {
      await note(await cacheControl('stale-if-error=600'));
      await note(await cacheControl('stale-while-revalidate=600'));
      await refreshed();
    });
    expect(bodies.size).toBe(4);
    expect(new Set(bodies.values()).size).toBe(4);
  });

  it('of a stale response gets 304 while the same stale response would come', async () => {
    await get();
    test.clock.advance(61_000);
    await relay.outage(async () => {
      const asked = { 'cache-control': 'stale-if-error=600' };
      const tag = (await get('', asked)).headers.get('etag') ?? '';
      const again = await get('', { ...asked, 'if-none-match': tag });
      expect(again.status).toBe(304);
      expect(again.headers.get('querydock-stale')).toBe('engine_unavailable');
    });
  });
});

describe('debug', () => {
  it('shows what was requested and how the rows relate to it', async () => {
    await get();
    test.clock.advance(75_000);
    const { body, headers } = await get('?debug=true&stale_while_revalidate_seconds=30');
    await refreshed();
    expect(body.freshness).toEqual({
      max_age_seconds: null,
      stale_while_revalidate_seconds: 30,
      stale_if_error_seconds: 0,
      age_seconds: 75,
      stale_for_seconds: 15,
    });
    expect(headers.get('querydock-stale')).toBe('revalidating');
  });
});

describe('GraphQL', () => {
  it('accepts and returns the same', async () => {
    await get();
    test.clock.advance(70_000);
    const document = `query ($name: String!, $input: RunInput) {
      runEndpoint(projectId: "@current", name: $name, input: $input) {
        results isCached isStale staleReason servedFrom lastRefresh executionId
        freshness { maxAgeSeconds staleWhileRevalidateSeconds staleIfErrorSeconds ageSeconds staleForSeconds }
      } }`;
    const input = { maxAgeSeconds: 50, staleIfErrorSeconds: 20, refresh: 'cache', debug: true };
    await relay.outage(async () => {
      const { body } = await test.graphql(document, {
        name,
        input: { ...input, staleIfErrorSeconds: 21 },
      });
      const rest = await post({ max_age_seconds: 50, stale_if_error_seconds: 21 });
      expect(body.data?.runEndpoint).toEqual({
        results: rest.body.results,
        isCached: true,
        isStale: true,
        staleReason: 'engine_unavailable',
        servedFrom: 'cache',
        lastRefresh: noon,
        executionId: rest.body.execution_id,
        freshness: {
          maxAgeSeconds: 50,
          staleWhileRevalidateSeconds: 0,
          staleIfErrorSeconds: 21,
          ageSeconds: 70,
          staleForSeconds: 20,
        },
      });
      const late = await test.graphql(document, { name, input });
      expect(late.body.errors).toMatchObject([{ extensions: { code: 'engine_unavailable' } }]);
    });
  });
});

async function statuses(endpointName: string) {
  await test.app.core.recorder.flush();
  return test.backends.metadata.prisma.queryStatus.findMany({
    where: { projectId: test.project.id, endpointName },
    orderBy: { id: 'asc' },
  });
}

describe('a stale result', () => {
  it('counts once against the rate, also when the engine failed first', async () => {
    const limited = await openSalesApp({ clickhouseUrl: relay.clickhouseUrl, ratePerKey: 4 });
    limited.clock.set(noon);
    await save(limited, name, { query: 'SELECT count() AS n FROM sales', cache_age_seconds: 60 });
    const { key } = await limited.issueKey({
      scopes: ['endpoint:read'],
      projects: [limited.project],
    });
    const run = async (query = '') =>
      (await limited.rest('GET', `/endpoints/${name}/run${query}`, { key })).status;
    expect(await run()).toBe(200);
    limited.clock.advance(100_000);
    const statuses: number[] = [];
    await relay.outage(async () => {
      for (const query of ['if_error', 'if_error', 'while_revalidate', 'if_error', 'if_error'])
        statuses.push(await run(`?stale_${query}_seconds=3600`));
    });
    expect(statuses).toEqual([200, 200, 200, 200, 429]);
    await limited.close();
  });

  it('is compressed by GraphQL as a fresh one is', async () => {
    await save(test, `${name}_long`, {
      query: 'SELECT number AS n FROM numbers(2000)',
      cache_age_seconds: 60,
    });
    const query = `{ runEndpoint(projectId: "@current", name: "${name}_long", input: { staleIfErrorSeconds: 3600 }) { results } }`;
    const ask = async () => {
      const { headers } = await test.app.fetch(
        new Request('http://querydock.test/graphql', {
          method: 'POST',
          headers: {
            authorization: `Bearer ${test.project.readKey}`,
            'content-type': 'application/json',
            'accept-encoding': 'gzip',
          },
          body: JSON.stringify({ query }),
        }),
      );
      return [headers.get('content-encoding'), headers.get('vary')];
    };
    await ask();
    const fresh = await ask();
    expect(fresh).toEqual(['gzip', expect.stringContaining('Accept-Encoding')]);
    test.clock.advance(100_000);
    await relay.outage(async () => expect(await ask()).toEqual(fresh));
  });
});
