/** The graph of a project over HTTP: who may ask, in which form, how much. */
import { createHash } from 'node:crypto';
import { gunzipSync } from 'node:zlib';
import { auditServer } from 'graphql-http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTestApp, type TestApp } from '../../support/test-app.ts';
import { type AskGraph, codesOf, messagesOf, openGraph, save } from './support/graph.ts';

let test: TestApp;
let closed: TestApp;
let ask: AskGraph;

beforeAll(async () => {
  test = await openTestApp({ corsOrigins: 'https://app.test', maxBodyBytes: 60_000 });
  closed = await openTestApp({ introspection: false, maxResultBytes: 20_000 });
  ask = openGraph(test);
  for (const app of [test, closed]) {
    await save(app, {
      name: 'numbers',
      query: "SELECT number AS n, repeat('x', 100) AS text FROM numbers(20)",
      cache_age_seconds: 60,
    });
  }
});
afterAll(async () => {
  await test.close();
  await closed.close();
});

const query = '{ numbers(run: {limit: 1}) { rows { n } } }';
const path = '/graphql';

it('passes every MUST and SHOULD of the GraphQL-over-HTTP audit', async () => {
  const results = await auditServer({
    url: `http://querydock.test/api/projects/${test.project.id}/graphql`,
    fetchFn: (url: string, init: RequestInit = {}) => {
      const headers = new Headers(init.headers);
      headers.set('authorization', `Bearer ${test.project.readKey}`);
      return test.app.fetch(new Request(url, { ...init, headers }));
    },
  });
  const failed = results
    .filter((result) => result.status === 'error' || result.status === 'warn')
    .map((result) => `${result.status} ${result.name}: ${'reason' in result ? result.reason : ''}`);
  expect(failed).toEqual([]);
  expect(results.length).toBeGreaterThan(50);
});

describe('the path', () => {
  it('takes GET, HEAD and POST, with a slash at its end or without', async () => {
    const search = new URLSearchParams({ query });
    for (const at of [path, `${path}/`]) {
      const got = await test.rest('GET', `${at}?${search}`);
      expect([got.status, got.text]).toEqual([200, '{"data":{"numbers":{"rows":[{"n":0}]}}}']);
      expect((await test.rest('POST', at, { body: { query } })).text).toBe(got.text);
      const head = await test.rest('HEAD', `${at}?${search}`);
      expect(head.status).toBe(200);
      for (const method of ['PATCH', 'PROPFIND']) {
        const response = await test.rest(method, at);
        expect(response.status).toBe(405);
        expect(response.headers.get('allow')).toBe('GET, HEAD, OPTIONS, POST, PUT, DELETE');
        expect(codesOf(response as never)).toEqual(['method_not_allowed']);
      }
    }
  });

  it('swallows no other, and is swallowed by none', async () => {
    for (const other of ['/graphql/x', '/graphql2', '/endpoints/graphql', '/graphql/graphql']) {
      const response = await test.rest('GET', other);
      expect([other, response.status]).toEqual([other, 404]);
      expect(response.body).toHaveProperty('code', 'not_found');
    }
    expect((await test.rest('GET', '/api/projects/graphql')).status).toBe(404);
    expect((await test.rest('POST', '/api/projects//graphql')).status).toBe(404);
  });

  it('is GraphiQL for a browser', async () => {
    const page = await test.rest('GET', path, { headers: { accept: 'text/html,*/*' }, key: null });
    expect(page.status).toBe(200);
    expect(page.headers.get('content-type')).toContain('text/html');
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(page.text).toContain('"subject":"project"');
  });

  it('answers preflights and other origins as the service does', async () => {
    const headers = { origin: 'https://app.test', 'access-control-request-method': 'POST' };
    const preflight = await test.rest('OPTIONS', path, { headers });
    expect(preflight.status).toBe(204);
    expect(preflight.headers.get('access-control-allow-origin')).toBe('https://app.test');
    const response = await ask(query, {}, { headers: { origin: 'https://app.test' } });
    expect(response.headers.get('access-control-allow-origin')).toBe('https://app.test');
  });

  it('takes JSON of the size that the service takes', async () => {
    const large = await test.rest('POST', path, {
      body: { query: `${query} #${'x'.repeat(70_000)}` },
    });
    expect([large.status, codesOf(large as never)]).toEqual([413, ['body_too_large']]);
    const text = await test.rest('POST', path, {
      body: 'query',
      headers: { 'content-type': 'text/plain' },
    });
    expect([text.status, codesOf(text as never)]).toEqual([415, ['unsupported_media_type']]);
    const broken = await test.rest('POST', path, { body: '{' });
    expect([broken.status, codesOf(broken as never)]).toEqual([400, ['malformed_json']]);
    for (const body of [{}, { query: '' }, { query: null }, { query: 1 }, []]) {
      const own = await test.rest('POST', path, { body });
      const service = await test.rest('POST', '/api/../graphql', { body });
      expect([body, own.status, own.text]).toEqual([body, service.status, service.text]);
    }
  });
});

describe('a caller', () => {
  it('without a valid key learns nothing', async () => {
    for (const document of [query, '{ nope }', '{', '{ __schema { queryType { name } } }']) {
      const none = await ask(document, {}, { key: null });
      expect([none.status, codesOf(none)]).toEqual([401, ['not_authenticated']]);
      expect(none.headers.get('www-authenticate')).toBe('Bearer');
      const wrong = await ask(document, {}, { key: 'qdk_wrong_wrong_wrong' });
      expect([wrong.status, codesOf(wrong)]).toEqual([401, ['authentication_failed']]);
    }
  });

  it('of another project, or of none, is refused by the same words', async () => {
    const { readKey } = test.other;
    const foreign = await ask(query, {}, { key: readKey });
    expect([foreign.status, codesOf(foreign)]).toEqual([403, ['permission_denied']]);
    const missing = await ask(query, {}, { key: readKey, project: '999999' });
    expect(messagesOf(missing)[0]?.replace('999999', String(test.project.id))).toBe(
      messagesOf(foreign)[0],
    );
    const { key } = await test.issueKey({ scopes: ['data:write'], projects: [test.project] });
    const scopeless = await ask(query, {}, { key });
    expect([scopeless.status, codesOf(scopeless)]).toEqual([403, ['permission_denied']]);
    expect(messagesOf(scopeless)[0]).toContain('endpoint:read');
    const strange = await ask(query, {}, { project: 'x' });
    expect([strange.status, codesOf(strange)]).toEqual([404, ['not_found']]);
  });

  it('whose key has two projects names one of them', async () => {
    const scopes = ['endpoint:read'];
    const { key } = await test.issueKey({ scopes, projects: [test.project, test.other] });
    const current = await ask(query, {}, { key, project: '@current' });
    expect([current.status, codesOf(current)]).toEqual([400, ['invalid_input']]);
    expect((await ask(query, {}, { key })).body).not.toHaveProperty('errors');
  });

  it('of another project with the same text gets its own rows, also when the text is known', async () => {
    const text = '{ same { rows { whose } } }';
    await save(test, { name: 'same', query: "SELECT 'one' AS whose", cache_age_seconds: 60 });
    const { other } = test;
    await save(
      test,
      { name: 'Same', query: "SELECT 'two' AS whose", cache_age_seconds: 60 },
      { project: other },
    );
    for (let round = 0; round < 4; round += 1) {
      const own = await ask(text, {}, { project: '@current' });
      expect(own.text).toBe('{"data":{"same":{"rows":[{"whose":"one"}]}}}');
      const foreign = await ask(text, {}, { project: '@current', key: other.readKey });
      expect(foreign.text).toBe('{"data":{"same":{"rows":[{"whose":"two"}]}}}');
    }
  });

  it('whose key is revoked is refused at once, also for a known text', async () => {
    const { id, key } = await test.issueKey({
      scopes: ['endpoint:read'],
      projects: [test.project],
    });
    for (let round = 0; round < 3; round += 1)
      expect((await ask(query, {}, { key })).status).toBe(200);
    const revoke = await test.graphql(
      `mutation { revokeApiKey(id: "${id}") }`,
      {},
      { key: test.adminKey },
    );
    expect(revoke.body.errors).toBeUndefined();
    expect((await ask(query, {}, { key })).status).toBe(401);
  });
});

describe('a repeated request', () => {
  it('has the same bytes, compressed for those who take that', async () => {
    const document = '{ numbers { rows { n text } isCached } }';
    await ask(document);
    const first = await ask(document);
    for (const encoding of ['identity', 'gzip', 'gzip', 'identity']) {
      const response = await test.app.fetch(
        new Request(`http://querydock.test/api/projects/${test.project.id}/graphql`, {
          method: 'POST',
          headers: {
            authorization: `Bearer ${test.project.readKey}`,
            'content-type': 'application/json',
            'accept-encoding': encoding,
          },
          body: JSON.stringify({ query: document, variables: {} }),
        }),
      );
      const bytes = Buffer.from(await response.arrayBuffer());
      const isCoded = response.headers.get('content-encoding') === 'gzip';
      expect(isCoded).toBe(encoding === 'gzip');
      expect((isCoded ? gunzipSync(bytes) : bytes).toString()).toBe(first.text);
      expect(response.headers.get('vary')).toContain('Accept-Encoding');
      expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
    }
  });

  it('is not repeated in the media type of another', async () => {
    const accept = 'application/graphql-response+json';
    for (let round = 0; round < 3; round += 1) {
      const plain = await ask(query);
      expect(plain.headers.get('content-type')).toBe('application/json; charset=utf-8');
      const graph = await ask(query, {}, { headers: { accept } });
      expect(graph.headers.get('content-type')).toContain(accept);
      expect(graph.text).toBe(plain.text);
    }
  });

  it('may name its document by the hash', async () => {
    const text = '{ numbers(run: {limit: 2}) { rows { n } } }';
    const sha256Hash = createHash('sha256').update(text).digest('hex');
    const extensions = { persistedQuery: { version: 1, sha256Hash } };
    const send = (body: object) => test.rest('POST', path, { body });
    expect(codesOf((await send({ extensions })) as never)).toEqual(['PERSISTED_QUERY_NOT_FOUND']);
    const sent = await send({ query: text, extensions });
    for (let round = 0; round < 3; round += 1)
      expect((await send({ extensions })).text).toBe(sent.text);
  });
});

describe('a limit', () => {
  it('holds for depth, aliases, runs, tokens and names', async () => {
    const runs = Array.from({ length: 21 }, (_value, at) => `r${at}: numbers { hasMore }`).join(
      ' ',
    );
    const deep = `{ numbers ${'{ rows '.repeat(11)}{ n }${'}'.repeat(12)}`;
    const aliases = `{ numbers { ${Array.from({ length: 51 }, (_v, at) => `a${at}: hasMore`).join(' ')} } }`;
    const names = `{ numbers { hasMore } } fragment F on Query { ${Array.from({ length: 200 }, (_v, at) => `... on X${at}Row { n }`).join(' ')} }`;
    const tokens = `{ numbers { ${'hasMore '.repeat(4100)} } }`;
    for (const [document, sentence] of [
      [`{ ${runs} }`, /runs 21 endpoints; at most 20/],
      [`fragment Q on Query { ${runs} } { ...Q }`, /runs 21 endpoints; at most 20/],
      [deep, /levels deep; at most 12/],
      [aliases, /51 aliases; at most 50/],
      [names, /names 202 endpoints; at most 200/],
      [tokens, /tokens/],
    ] as const) {
      const big = await test.rest('POST', path, { body: { query: document } });
      expect(messagesOf(big as never).join()).toMatch(sentence);
      expect(big.body).not.toHaveProperty('data');
    }
  });

  it('of the size of results holds for what aliases make of them', async () => {
    const asked = openGraph(closed);
    const texts = (count: number) =>
      Array.from({ length: count }, (_value, at) => `t${at}: text`).join(' ');
    const fits = await asked(`{ numbers { rows { ${texts(5)} } } }`);
    expect(fits.body).not.toHaveProperty('errors');
    for (const document of [
      `{ numbers { rows { ${texts(15)} } } }`,
      `{ a: numbers { rows { ${texts(5)} } } b: numbers { rows { ${texts(5)} } } }`,
    ]) {
      const refused = await asked(document);
      expect(codesOf(refused)).toEqual(['query_too_large']);
    }
  });

  it('of introspection hides all names', async () => {
    const asked = openGraph(closed);
    const schema = await asked('{ __schema { queryType { name } } }');
    expect(messagesOf(schema)[0]).toContain('introspection has been disabled');
    const misspelt = await asked('{ number { hasMore } numbers { hasMor } }');
    expect(messagesOf(misspelt)).toEqual([
      'Cannot query field "number" on type "Query".',
      'Cannot query field "hasMor" on type "NumbersRun".',
    ]);
    expect((await asked(query)).body).not.toHaveProperty('errors');
  });

  it('of requests counts documents that run nothing, and those that are refused', async () => {
    for (const document of ['{ __typename }', '{ nope }', query]) {
      const left = async () => Number((await ask(document)).headers.get('ratelimit-remaining'));
      expect(await left()).toBe((await left()) + 1);
    }
  });
});
