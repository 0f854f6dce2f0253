/** Documents named by their hash, and runs that are known again by their text. */
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTestApp, type TestApp } from '../support/test-app.ts';

const dir = mkdtempSync(join(tmpdir(), 'querydock-persisted-'));
const trustedQuery = 'query Trusted { runEndpoint(projectId: "@current", name: "n") { results } }';
let test: TestApp;
let strict: TestApp;

beforeAll(async () => {
  const persistedFile = join(dir, 'documents.json');
  writeFileSync(persistedFile, JSON.stringify({ 'any hash': trustedQuery }));
  test = await openTestApp({ persistedFile });
  strict = await openTestApp({ persistedFile, persistedOnly: true });
  for (const app of [test, strict]) {
    await app.sql('CREATE TABLE t (n UInt32) ENGINE = MergeTree ORDER BY n');
    await app.sql('INSERT INTO t SELECT number FROM numbers(600)');
    await app.rest('POST', '/endpoints', {
      body: { name: 'n', query: 'SELECT count() AS n FROM t', cache_age_seconds: 60 },
    });
  }
  await test.rest('POST', '/endpoints', {
    body: { name: 'all', query: 'SELECT n FROM t ORDER BY n', cache_age_seconds: 60 },
  });
});
afterAll(async () => {
  await test.close();
  await strict.close();
  rmSync(dir, { recursive: true });
});

const hashOf = (query: string) => createHash('sha256').update(query).digest('hex');
const named = (hash: string) => ({ persistedQuery: { version: 1, sha256Hash: hash } });

interface Body {
  readonly data?: { readonly runEndpoint: Readonly<Record<string, unknown>> | null } | null;
  readonly errors?: readonly { readonly extensions: { readonly code: string } }[];
}

async function ask(
  app: TestApp,
  params: Readonly<Record<string, unknown>>,
  call: { readonly by?: 'GET' | 'POST'; readonly key?: string; readonly accept?: string } = {},
) {
  const headers = {
    authorization: `Bearer ${call.key ?? app.project.readKey}`,
    ...(call.accept === undefined ? {} : { 'accept-encoding': call.accept }),
  };
  const texts = Object.entries(params).map(([name, value]): [string, string] => [
    name,
    typeof value === 'string' ? value : JSON.stringify(value),
  ]);
  const response = await app.app.fetch(
    call.by === 'GET'
      ? new Request(`http://querydock.test/graphql?${new URLSearchParams(texts)}`, { headers })
      : new Request('http://querydock.test/graphql', {
          method: 'POST',
          headers: { ...headers, 'content-type': 'application/json' },
          body: JSON.stringify(params),
        }),
  );
  const bytes = Buffer.from(await response.arrayBuffer());
  const encoding = response.headers.get('content-encoding');
  const text = (encoding === 'gzip' ? gunzipSync(bytes) : bytes).toString();
  return { status: response.status, encoding, text, body: JSON.parse(text) as Body };
}

const codeOf = ({ body }: { readonly body: Body }) => body.errors?.[0]?.extensions.code;

describe('a document named by its hash', () => {
  const query =
    'query Named { runEndpoint(projectId: "@current", name: "n") { results isCached } }';
  const extensions = named(hashOf(query));

  it('is requested, sent once and known by its hash from then on, by GET and POST', async () => {
    expect(codeOf(await ask(test, { extensions }))).toBe('PERSISTED_QUERY_NOT_FOUND');
    expect(codeOf(await ask(test, { query, extensions }))).toBeUndefined();
    for (const by of ['GET', 'POST', 'GET', 'GET'] as const) {
      const { body } = await ask(test, { extensions, operationName: 'Named' }, { by });
      expect(body.data?.runEndpoint?.results).toEqual([[600]]);
    }
  });

  it.each([
    ['not hexadecimal', { version: 1, sha256Hash: 'x'.repeat(64) }],
    ['of another version', { version: 2, sha256Hash: hashOf(trustedQuery) }],
    ['missing', { version: 1 }],
  ])('is refused for good when its hash is %s', async (_what, persistedQuery) => {
    for (const by of ['GET', 'POST'] as const)
      for (const query of [undefined, trustedQuery])
        expect(codeOf(await ask(test, { query, extensions: { persistedQuery } }, { by }))).toBe(
          'BAD_REQUEST',
        );
  });

  it('is not run when the hash is of another document', async () => {
    const other = 'query Other { runEndpoint(projectId: "@current", name: "n") { limit } }';
    expect(codeOf(await ask(test, { query: other, extensions }))).toBe(
      'PERSISTED_QUERY_HASH_MISMATCH',
    );
    expect(codeOf(await ask(test, { extensions: named(hashOf(other)) }))).toBe(
      'PERSISTED_QUERY_NOT_FOUND',
    );
  });

  it('is not stored when its caller had no right to run it', async () => {
    const own = 'query Mine { runEndpoint(projectId: "@current", name: "n") { offset } }';
    const refused = await ask(
      test,
      { query: own, extensions: named(hashOf(own)) },
      { key: 'no_such_key' },
    );
    expect(codeOf(refused)).toBe('authentication_failed');
    expect(codeOf(await ask(test, { extensions: named(hashOf(own)) }))).toBe(
      'PERSISTED_QUERY_NOT_FOUND',
    );
  });

  it('of the operator’s file is known from the start, whatever the file calls it', async () => {
    const { body } = await ask(test, { extensions: named(hashOf(trustedQuery)) }, { by: 'GET' });
    expect(body.data?.runEndpoint?.results).toEqual([[600]]);
  });

  it('never makes GET change anything', async () => {
    const mutation = 'mutation M { deleteEndpoint(projectId: "@current", name: "none") }';
    const extensionsOf = named(hashOf(mutation));
    await ask(test, { query: mutation, extensions: extensionsOf }, { key: test.project.writeKey });
    const { status } = await ask(
      test,
      { query: mutation, extensions: extensionsOf },
      { by: 'GET', key: test.project.writeKey },
    );
    expect(status).toBe(405);
  });
});

describe('where only listed documents are taken', () => {
  it('others are refused, with and without a hash', async () => {
    const query = '{ __typename }';
    expect(codeOf(await ask(strict, { query }))).toBe('PERSISTED_QUERY_ONLY');
    expect(codeOf(await ask(strict, { query, extensions: named(hashOf(query)) }))).toBe(
      'PERSISTED_QUERY_ONLY',
    );
    const listed = await ask(strict, { query: trustedQuery });
    expect(listed.body.data?.runEndpoint?.results).toEqual([[600]]);
  });
});

describe('a prepared run', () => {
  const run = (fields: string, input = '') =>
    `{ a: runEndpoint(projectId: "@current", name: "n"${input}) { ${fields} } }`;
  const answerOf = ({ body }: { readonly body: Body }) =>
    (body.data as { readonly a: Readonly<Record<string, unknown>> | null } | null | undefined)?.a;

  it('gives the same response each time, and another once its result is another', async () => {
    const query = `query Again { ...R } fragment R on Query { a: runEndpoint(projectId: "@current", name: "n") { ...F } } fragment F on EndpointRun { results isCached executionId }`;
    const plain = run('results isCached executionId lastRefresh');
    for (const text of [query, plain]) {
      await ask(test, { query: text });
      const texts = [];
      for (let n = 0; n < 4; n += 1) texts.push((await ask(test, { query: text })).text);
      expect(new Set(texts).size).toBe(1);
    }
    const before = answerOf(await ask(test, { query: plain }));
    await test.sql('INSERT INTO t VALUES (9999)');
    test.clock.advance(60_000);
    expect(answerOf(await ask(test, { query: plain }))).toMatchObject({
      results: [[601]],
      isCached: false,
    });
    const after = answerOf(await ask(test, { query: plain }));
    expect(after).toMatchObject({ results: [[601]], isCached: true });
    expect(after?.executionId).not.toBe(before?.executionId);
    expect(answerOf(await ask(test, { query: plain }))).toEqual(after);
  });

  it('is refused to a key that is wrong, revoked, or of another project', async () => {
    const query = run('results columns');
    const { id, key } = await test.issueKey({
      scopes: ['endpoint:read'],
      projects: [test.project],
    });
    for (let n = 0; n < 4; n += 1) await ask(test, { query }, { key });
    expect(codeOf(await ask(test, { query }, { key: 'qdk_wrong_key' }))).toBe(
      'authentication_failed',
    );
    expect(codeOf(await ask(test, { query }, { key: test.other.readKey }))).toBe('not_found');
    const revoke = 'mutation ($id: ID!) { revokeApiKey(id: $id) }';
    const revoked = await test.graphql(revoke, { id }, { key: test.adminKey });
    expect(revoked.body.errors).toBeUndefined();
    expect(codeOf(await ask(test, { query }, { key }))).toBe('authentication_failed');
  });

  it('returns members that depend on the moment anew', async () => {
    const query = run(
      'isCached freshness { ageSeconds }',
      ', input: {debug: true, maxAgeSeconds: 50}',
    );
    const age = async () =>
      Number(
        (
          answerOf(await ask(test, { query }))?.freshness as
            | { readonly ageSeconds?: number }
            | undefined
        )?.ageSeconds,
      );
    await age();
    for (let n = 0; n < 3; n += 1) await age();
    const young = await age();
    test.clock.advance(7000);
    expect(await age()).toBe(young + 7);
  });

  it('is refused as any other once its body is declared as compressed', async () => {
    const send = (headers = {}) =>
      test.graphql(run('results endpointVersion'), {}, { key: test.project.readKey, headers });
    for (let n = 0; n < 4; n += 1) expect((await send()).status).toBe(200);
    expect(await send({ 'content-encoding': 'gzip' })).toMatchObject({
      status: 415,
      body: { errors: [{ extensions: { code: 'unsupported_media_type' } }] },
    });
  });

  it('is refused as any other once its body is declared in another charset', async () => {
    const send = (type: string) =>
      test.graphql(run('results'), {}, { headers: { 'content-type': type } });
    for (let n = 0; n < 4; n += 1)
      expect((await send('application/json; charset=UTF-8')).status).toBe(200);
    expect(await send('application/json; charset=utf-16')).toMatchObject({
      status: 415,
      body: { errors: [{ extensions: { code: 'unsupported_media_type' } }] },
    });
  });

  it('is gone when its endpoint is', async () => {
    await test.rest('POST', '/endpoints', { body: { name: 'brief', query: 'SELECT 1 AS one' } });
    const query = '{ a: runEndpoint(projectId: "@current", name: "brief") { results } }';
    for (let n = 0; n < 4; n += 1) await ask(test, { query });
    await test.rest('DELETE', '/endpoints/brief');
    expect(codeOf(await ask(test, { query }))).toBe('not_found');
  });

  it('counts every response as a run and as a request', async () => {
    const count = async (line: RegExp) =>
      Number(
        line.exec(await (await test.app.fetch(new Request('http://x.test/metrics'))).text())?.[1] ??
          0,
      );
    const query = run('results limit');
    const runs = new RegExp(
      `querydock_runs_total\\{project="${test.project.id}",path="cache",outcome="ok"\\} (\\d+)`,
    );
    const requests =
      /querydock_http_requests_total\{door="graphql",operation="graphql",status="200"\} (\d+)/;
    for (let n = 0; n < 3; n += 1) await ask(test, { query });
    const before = [await count(runs), await count(requests)];
    for (let n = 0; n < 5; n += 1) await ask(test, { query });
    expect([await count(runs), await count(requests)]).toEqual(before.map((n) => n + 5));
  });

  it('is compressed to who takes it, and has the same bytes inside', async () => {
    const query = '{ a: runEndpoint(projectId: "@current", name: "all") { results isCached } }';
    for (let n = 0; n < 3; n += 1) await ask(test, { query });
    const plain = await ask(test, { query });
    const packed = await ask(test, { query }, { accept: 'gzip' });
    expect([plain.encoding, packed.encoding]).toEqual([null, 'gzip']);
    expect(packed.text).toBe(plain.text);
    expect((await ask(test, { query }, { accept: 'gzip' })).text).toBe(plain.text);
  });
});
