/** How often keys and projects may call. The clock stands still unless a test moves it. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Config } from '../../../src/config/config.ts';
import { openTestApp, type TestApp, type TestResponse } from '../../support/test-app.ts';
import { type BusyApp, openBusyApp } from '../support/busy.ts';

let test: TestApp;
/** A key of its own for each test, so that its budget is whole. */
let key: string;

const minute = 60_000;

function withService(settings: Partial<Config>): void {
  beforeAll(async () => {
    test = await openTestApp(settings);
    for (const project of [test.project, test.other]) {
      await test.rest('POST', '/endpoints', {
        project,
        body: { name: 'plain', query: 'SELECT {n:UInt32} AS n', cache_age_seconds: 86_400 },
      });
    }
    await test.rest('POST', '/endpoints', {
      body: { name: 'stored', query: 'SELECT 1 AS n', is_materialized: true },
    });
    await test.app.materialization.runOnce();
  });
  beforeEach(async () => {
    test.clock.advance(2 * minute);
    await test.app.materialization.runOnce();
    key = await ownKey();
  });
  afterAll(() => test.close());
}

async function ownKey(projects = [test.project]): Promise<string> {
  return (await test.issueKey({ scopes: ['endpoint:write'], projects })).key;
}

const run = (body: object, by = key, name = 'plain'): Promise<TestResponse> =>
  test.rest('POST', `/endpoints/${name}/run`, { body, key: by });

let n = 0;
const inline = (by = key) => {
  n += 1;
  return run({ variables: { n }, refresh: 'force' }, by);
};
const cached = (by = key) => run({ variables: { n: 0 } }, by);
const stored = (by = key) => run({ refresh: 'force' }, by, 'stored');

async function statuses(
  times: number,
  ask: () => Promise<TestResponse>,
): Promise<readonly number[]> {
  const all: number[] = [];
  for (let at = 0; at < times; at += 1) all.push((await ask()).status);
  return all;
}

describe('a key', () => {
  withService({ ratePerKey: 3 });

  beforeEach(async () => {
    await cached(test.project.writeKey);
  });

  it.each([
    ['cached runs', cached],
    ['runs on stored tables', stored],
    ['runs on source data', inline],
    ['requests that are no runs', () => test.rest('GET', '/endpoints/plain', { key })],
  ] as const)('has its budget of %s and is then told when there is more', async (_, ask) => {
    expect(await statuses(3, ask)).toEqual([200, 200, 200]);
    const refused = await ask();
    expect(refused.status).toBe(429);
    expect(refused.body).toMatchObject({
      type: 'throttled_error',
      code: 'throttled',
      attr: null,
    });
    const wait = Number(refused.headers.get('retry-after'));
    expect(wait).toBe(60);
    expect(refused.body.detail).toContain('3 ');
    test.clock.advance(wait * 1000 - 1);
    const still = await ask();
    expect([still.status, still.headers.get('retry-after')]).toEqual([429, '1']);
    test.clock.advance(1);
    expect((await ask()).status).toBe(200);
  });

  it('pays for loads', async () => {
    const { key: loader } = await test.issueKey({
      scopes: ['data:write'],
      projects: [test.project],
    });
    const load = async () => {
      const url = `http://querydock.test/api/projects/${test.project.id}/tables/loaded/rows`;
      const headers = { authorization: `Bearer ${loader}`, 'content-type': 'text/csv' };
      return test.app.fetch(new Request(url, { method: 'PUT', headers, body: 'a\n1\n' }));
    };
    const left: (string | null)[] = [];
    for (let at = 0; at < 3; at += 1) {
      const { status, headers } = await load();
      expect(status).toBe(200);
      left.push(headers.get('ratelimit-remaining'));
    }
    expect(left).toEqual(['2', '1', '0']);
    expect((await load()).status).toBe(429);
  });

  it('has one budget for all that it calls, and other keys have theirs', async () => {
    const list = () => test.rest('GET', '/endpoints', { key });
    expect((await inline()).status).toBe(200);
    expect((await cached()).status).toBe(200);
    expect((await list()).status).toBe(200);
    for (const ask of [inline, cached, stored, list]) expect((await ask()).status).toBe(429);
    expect((await inline(test.project.writeKey)).status).toBe(200);
  });

  it('pays once for a run that falls back from its stored table to source data', async () => {
    const { tableName } =
      await test.backends.metadata.prisma.materializationStatus.findFirstOrThrow({
        where: { version: { endpoint: { name: 'stored', projectId: test.project.id } } },
      });
    await test.sql(`DROP TABLE ${tableName} SYNC`);
    expect((await stored()).body).toMatchObject({ inline_reason: 'failed' });
    expect(await statuses(3, stored)).toEqual([200, 200, 429]);
    await test.graphql(
      'mutation { syncMaterialization(projectId: "@current", name: "stored") { name } }',
    );
    await test.app.materialization.runOnce();
  });

  it('gets the same error by GraphQL, for each field', async () => {
    const document = `{
      a: runEndpoint(projectId: "@current", name: "plain", input: { variables: { n: 0 } }) { isCached }
      b: runEndpoint(projectId: "@current", name: "plain", input: { variables: { n: 0 } }) { isCached }
      c: runEndpoint(projectId: "@current", name: "plain", input: { variables: { n: 0 } }) { isCached }
      d: runEndpoint(projectId: "@current", name: "plain", input: { variables: { n: 0 } }) { isCached }
    }`;
    const { body } = await test.graphql(document, {}, { key });
    const answered = Object.values(body.data ?? {}).filter((field) => field !== null);
    expect(answered).toHaveLength(3);
    expect(body.errors?.map(({ extensions }) => extensions)).toEqual([
      { code: 'throttled', type: 'throttled_error', attr: null, retryAfter: 60 },
    ]);
    const endpoint = '{ endpoint(projectId: "@current", name: "plain") { name } }';
    test.clock.advance(minute);
    for (let at = 0; at < 3; at += 1) {
      expect((await test.graphql(endpoint, {}, { key })).body.errors).toBeUndefined();
    }
    expect((await test.graphql(endpoint, {}, { key })).body.errors).toMatchObject([
      { extensions: { code: 'throttled', retryAfter: 60 } },
    ]);
    expect((await test.rest('GET', '/endpoints', { key })).status).toBe(429);
  });

  it.each([
    ['is not valid', 'subscription { missing { hasMore } }'],
    ['lacks an argument', 'subscription { plain { hasMore } }'],
    ['has a value that does not fit', 'subscription ($n: Int!) { plain(n: $n) { hasMore } }'],
    ['has a field of no endpoint', 'subscription { __typename }'],
  ])('pays for a subscription to the data graph that %s', async (_, query) => {
    const ask = async () => {
      const response = await test.rest('GET', `/graphql?query=${encodeURIComponent(query)}`, {
        key,
        headers: { accept: 'text/event-stream' },
      });
      return /"code":"(\w+)"/.exec(response.text)?.[1];
    };
    for (let at = 0; at < 3; at += 1) expect(await ask()).not.toBe('throttled');
    expect(await ask()).toBe('throttled');
    expect((await cached()).status).toBe(429);
    expect((await cached(test.project.writeKey)).status).toBe(200);
  });

  it('changes nothing by a request that is refused', async () => {
    await statuses(3, () => test.rest('GET', '/endpoints', { key }));
    const body = { name: 'refused', query: 'SELECT 1' };
    expect((await test.rest('POST', '/endpoints', { body, key })).status).toBe(429);
    expect((await test.rest('GET', '/endpoints/refused')).status).toBe(404);
  });

  it('shows in the metrics with the budget and whose it was', async () => {
    await statuses(4, cached);
    const { text } = await test.rest('GET', '/api/../metrics', { key: null });
    expect(text).toMatch(/querydock_throttled_total\{budget="requests",holder="key"\} [1-9]/);
  });
});

describe('runs that are one execution', () => {
  let busy: BusyApp;
  beforeAll(async () => {
    busy = await openBusyApp({ maxEngineQueries: 1, ratePerKey: 5 });
    test = busy;
  });
  afterAll(() => busy.close());

  it('count each for itself', async () => {
    key = await ownKey();
    const blocker = await busy.block(busy.other);
    const first = busy.quick({ n: 7, key });
    await busy.untilWaiting(1);
    const joined = [busy.quick({ n: 7, key }), busy.quick({ n: 7, key })];
    const bystander = busy.quick({ n: 8, key });
    await busy.untilWaiting(2);
    await blocker.free();
    const all = await Promise.all([first, ...joined, bystander]);
    expect(all.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect(new Set(all.slice(0, 3).map(({ body }) => body.execution_id)).size).toBe(1);
    expect(await statuses(2, () => busy.quick({ key }))).toEqual([200, 429]);
  });
});

describe('a project', () => {
  withService({ ratePerProject: 4 });

  it.each([
    ['cached runs', cached],
    ['runs on stored tables', stored],
    ['runs on source data', inline],
    [
      'requests that are no runs',
      (by: string) => test.rest('GET', '/endpoints/plain', { key: by }),
    ],
  ] as const)('has one budget of %s for all its keys', async (_, ask) => {
    // The first makes the result that is kept, and is no cached answer itself.
    await cached(await ownKey([test.project]));
    test.clock.advance(2 * minute);
    await test.app.materialization.runOnce();
    const second = await ownKey();
    expect(await statuses(2, () => ask(key))).toEqual([200, 200]);
    expect(await statuses(3, () => ask(second))).toEqual([200, 200, 429]);
    const refused = await ask(key);
    expect(refused).toMatchObject({ status: 429, body: { code: 'throttled' } });
    expect(refused.body.detail).toContain('This project');
    expect(refused.headers.get('retry-after')).toBe('60');
    test.clock.advance(minute);
    expect((await ask(key)).status).toBe(200);
  });

  it('has one budget for all its keys, and another project has its own', async () => {
    const second = await ownKey();
    expect(await statuses(2, inline)).toEqual([200, 200]);
    expect(await statuses(3, () => inline(second))).toEqual([200, 200, 429]);
    const refused = await inline();
    expect(refused.body.detail).toContain('This project');
    const elsewhere = { project: test.other, body: { variables: { n: 1 }, refresh: 'force' } };
    expect((await test.rest('POST', '/endpoints/plain/run', elsewhere)).status).toBe(200);
  });

  it('does not pay for keys that may not see it', async () => {
    const stranger = await ownKey([test.other]);
    const peek = (by: string) => test.rest('GET', '/endpoints', { key: by });
    expect(await statuses(5, () => peek(stranger))).toEqual([403, 403, 403, 403, 403]);
    expect((await peek(key)).status).toBe(200);
  });
});

describe('a limit of 0', () => {
  withService({ ratePerKey: 0, ratePerProject: 0 });

  it('is none', async () => {
    expect(new Set(await statuses(20, inline))).toEqual(new Set([200]));
  });
});

describe('keys that are refused', () => {
  withService({ authFailuresPerAddress: 3 });

  async function ask(
    by: string,
    address: string | null,
    path = '/api/projects/@current/endpoints',
  ) {
    const response = await test.app.dispatch({
      method: path === '/graphql' ? 'POST' : 'GET',
      path,
      search: '',
      headers: new Headers({ authorization: `Bearer ${by}`, 'content-type': 'application/json' }),
      body: Buffer.from(
        path === '/graphql'
          ? '{"query":"{ endpoints(projectId: \\"@current\\") { totalCount } }"}'
          : '',
      ),
      isTooLarge: false,
      signal: new AbortController().signal,
      remoteAddress: address,
    });
    const text = Buffer.concat(response.body as readonly Buffer[]).toString();
    return { status: response.status, headers: response.headers, body: JSON.parse(text) };
  }

  it('are bounded by address, and a good key is let in all the same', async () => {
    for (let at = 0; at < 3; at += 1)
      expect((await ask(`wrong_key_${at}`, '10.0.0.1')).status).toBe(401);
    const refused = await ask('wrong_key_9', '10.0.0.1');
    expect(refused).toMatchObject({ status: 429, body: { code: 'throttled' } });
    expect(refused.headers['retry-after']).toBe('60');
    const graphql = await ask('wrong_key_9', '10.0.0.1', '/graphql');
    expect(graphql.body.errors).toMatchObject([
      { extensions: { code: 'throttled', retryAfter: 60 } },
    ]);
    expect((await ask(key, '10.0.0.1')).status).toBe(200);
    expect((await ask('wrong_key_9', '10.0.0.2')).status).toBe(401);
    expect((await ask('wrong_key_9', null)).status).toBe(401);
    test.clock.advance(minute);
    expect((await ask('wrong_key_9', '10.0.0.1')).status).toBe(401);
  });
});
