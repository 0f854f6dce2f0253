/** Which requests have a line in the log, and what it says about them. */
import { once } from 'node:events';
import http from 'node:http';
import net from 'node:net';
import { Writable } from 'node:stream';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openLog } from '../../src/config/open-log.ts';
import type { HttpListener } from '../../src/server/node-server.ts';
import { eventually } from '../support/eventually.ts';
import { type CallOptions, openTestApp, type TestApp } from '../support/test-app.ts';

type Line = Readonly<Record<string, unknown>>;

let test: TestApp;
let listener: HttpListener;
let logged = '';
const secret = 'private-value-of-a-variable';

const sink = new Writable({
  write(chunk, _encoding, done) {
    logged += String(chunk);
    done();
  },
});

beforeAll(async () => {
  const quick = { accessLogEvery: 1_000_000, slowRequestMs: 3_600_000, port: 0 };
  test = await openTestApp(quick, openLog('info', sink));
  listener = await test.app.start();
  const endpoints = {
    echo: 'SELECT {word:String} AS word, toUInt8({n:String}) AS n',
    endless: 'SELECT sum(sipHash64(number)) AS n FROM numbers(1000000000000)',
    breaks: `SELECT number, toString(cityHash64(number)) AS hash, throwIf(number = 1000000, 'boom') AS x FROM numbers(2000000)`,
  };
  for (const [name, query] of Object.entries(endpoints))
    expect((await test.rest('POST', '/endpoints', { body: { name, query } })).status).toBe(201);
  await run({ variables: { word: 'x', n: '1' } });
  await test.graphql('{ __typename }');
});
afterAll(() => test.close());
beforeEach(() => {
  logged = '';
});

const run = (body: object, options: CallOptions = {}) =>
  test.rest('POST', '/endpoints/echo/run', { body, ...options });
const lines = (): readonly Line[] =>
  logged
    .split('\n')
    .filter((text) => text !== '')
    .map((text) => JSON.parse(text) as Line)
    .filter(({ msg }) => msg === 'request');
const prefixOf = (key: string) => key.slice(0, 8);

/** The one line that was written, by the id of the response. */
function only(requestId: string | null): Line {
  const found = lines();
  expect(found).toHaveLength(1);
  expect(found[0]?.requestId).toBe(requestId);
  expect(logged).not.toContain(secret);
  expect(logged).not.toContain(test.project.writeKey);
  return found[0] ?? {};
}

describe('a failed request by REST', () => {
  it('has one line with code, key, project, endpoint, version and id', async () => {
    const { headers } = await run({ variables: { word: secret, n: secret } });
    expect(only(headers.get('x-request-id'))).toMatchObject({
      status: 400,
      code: 'query_failed',
      key: prefixOf(test.project.writeKey),
      project: test.project.id,
      endpoint: 'echo',
      version: 1,
      operation: 'run_post',
    });
  });

  it.each([
    ['an unknown version', () => run({ version: 7 }), { code: 'version_not_found', version: 7 }],
    ['a missing variable', () => run({}), { code: 'missing_variable', version: 1 }],
    ['an unknown member', () => run({ [secret]: 1 }), { code: 'invalid_input' }],
    [
      'an endpoint that is not there',
      () => test.rest('GET', '/endpoints/none/run', { project: '@current' }),
      { code: 'not_found', endpoint: 'none' },
    ],
    [
      'a repeated run that fails',
      async () => {
        for (let n = 0; n < 3; n += 1) await run({ variables: { word: 'a', n: 'b' } });
        logged = '';
        return run({ variables: { word: 'a', n: 'b' } });
      },
      { code: 'query_failed', version: 1 },
    ],
    [
      'a change',
      () => test.rest('PATCH', '/endpoints/echo', { body: { query: 'SELECT 1', version: 1 } }),
      { code: 'invalid_input', endpoint: 'echo', version: 1, operation: 'update' },
    ],
  ] as const)('of %s', async (_what, ask, expected) => {
    const { headers } = await ask();
    const known = { key: prefixOf(test.project.writeKey), project: test.project.id };
    expect(only(headers.get('x-request-id'))).toMatchObject({ ...known, ...expected });
  });

  it('of no key, a foreign project, a wrong method and an unknown path', async () => {
    await run({}, { key: null });
    await run({}, { key: test.other.readKey });
    await test.rest('DELETE', '/endpoints/echo/run');
    await test.rest('GET', '/api/nothing');
    await test.rest('GET', '/api/../favicon.ico');
    expect(lines().map(({ code, key, endpoint }) => [code, key, endpoint])).toEqual([
      ['not_authenticated', undefined, 'echo'],
      ['permission_denied', prefixOf(test.other.readKey), 'echo'],
      ['method_not_allowed', undefined, undefined],
      ['not_found', undefined, undefined],
      ['not_found', undefined, undefined],
    ]);
  });

  it('of a stream that breaks off has its line at the end', async () => {
    const { host, port } = listener;
    const path = `/api/projects/${test.project.id}/endpoints/breaks/run?format=csv`;
    const headers = { authorization: `Bearer ${test.project.readKey}` };
    await new Promise<void>((resolve) => {
      const request = http.get({ host, port, path, headers, agent: false }, (response) => {
        response.on('error', () => undefined).on('close', () => resolve());
        response.resume();
      });
      request.on('error', () => resolve());
    });
    await eventually('it is logged', () => lines().length > 0);
    expect(lines()).toMatchObject([{ status: 200, code: 'query_failed', endpoint: 'breaks' }]);
  });

  it('that its caller left while a materialization was measured is no internal error', async () => {
    const { host, port } = listener;
    const path = `/api/projects/${test.project.id}/endpoints/endless/materialization_preview`;
    const headers = { authorization: `Bearer ${test.project.writeKey}` };
    const request = http.request({ host, port, path, method: 'POST', headers, agent: false });
    request.on('error', () => undefined).end();
    await eventually('the engine counts', async () => {
      const running = `SELECT countIf(elapsed > 0.2) FROM system.processes WHERE user LIKE 'project_%_reader'`;
      return (await test.sql(running)).trim() !== '0';
    });
    request.destroy();
    await eventually('it is logged', () => lines().length > 0);
    expect(lines()).toMatchObject([{ code: 'query_cancelled', endpoint: 'endless' }]);
    expect(logged).not.toContain('"level":50');
  });

  it('that is no HTTP has a line, too', async () => {
    const { host, port } = listener;
    const socket = net.connect({ host, port }, () => socket.end('no request\r\n\r\n'));
    await once(socket.resume(), 'close');
    await eventually('it is logged', () => lines().length > 0);
    expect(lines()).toMatchObject([{ status: 400, code: 'malformed_request' }]);
  });
});

describe('a failed request by GraphQL', () => {
  const runField = (variables: string) =>
    `runEndpoint(projectId: "@current", name: "echo", input: {variables: ${variables}}) { results }`;

  it('has one line with code, key, project, endpoint, version and id', async () => {
    for (let n = 0; n < 3; n += 1) {
      logged = '';
      const { status, headers } = await test.graphql(`{ ${runField(`{word: "${secret}"}`)} }`);
      expect(status).toBe(200);
      expect(only(headers.get('x-request-id'))).toMatchObject({
        status: 200,
        operation: 'graphql',
        code: 'missing_variable',
        key: prefixOf(test.project.writeKey),
        project: test.project.id,
        endpoint: 'echo',
        version: 1,
      });
    }
  });

  it('names each code of several errors once', async () => {
    const { headers } = await test.graphql(
      `{ a: ${runField('{}')} b: ${runField('{x: 1}')} c: ${runField('{}')} d: endpoint(projectId: "@current", name: "none") { id } }`,
    );
    const { code, codes } = only(headers.get('x-request-id'));
    const all = ['missing_variable', 'not_found', 'unknown_variable'];
    expect([...(codes as string[])].sort()).toEqual(all);
    expect(codes).toContain(code);
  });

  it.each([
    ['{ nothing }', 'GRAPHQL_VALIDATION_FAILED'],
    ['{', 'GRAPHQL_PARSE_FAILED'],
  ])('of the document %s', async (query, code) => {
    const { headers } = await test.graphql(query);
    expect(only(headers.get('x-request-id'))).toMatchObject({ code, operation: 'graphql' });
  });

  it('of another content type, another method and a change', async () => {
    await test.graphql('{ __typename }', {}, { headers: { 'content-type': 'text/plain' } });
    await test.rest('DELETE', '/api/../graphql');
    await test.graphql(
      'mutation { updateEndpoint(projectId: "@current", name: "echo", version: 9, input: {description: "x"}) { id } }',
    );
    expect(lines().map(({ code }) => code)).toEqual([
      'unsupported_media_type',
      'method_not_allowed',
      'invalid_input',
    ]);
    expect(lines()[2]).toMatchObject({ endpoint: 'echo', version: 9, project: test.project.id });
  });
});

describe('a request that succeeds', () => {
  it('has no line when it is quick, as long as nobody looks for it', async () => {
    await run({ variables: { word: 'x', n: '1' } });
    await test.graphql('{ __typename }');
    expect(lines()).toEqual([]);
  });

  it('is found by the id that its caller gave it', async () => {
    const headers = { 'x-request-id': 'look.for-me_1' };
    const response = await run({ variables: { word: secret, n: '1' } }, { headers });
    expect(response.headers.get('x-request-id')).toBe('look.for-me_1');
    expect(only('look.for-me_1')).toMatchObject({ status: 200, endpoint: 'echo', version: 1 });
    expect(only('look.for-me_1')).not.toHaveProperty('code');
  });

  it('is not logged for an id that is not accepted', async () => {
    const headers = { 'x-request-id': 'a b' };
    const response = await run({ variables: { word: 'x', n: '1' } }, { headers });
    expect(response.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
    expect(lines()).toEqual([]);
  });
});

describe('LOG_RUNS=all', () => {
  it('logs every run by either interface, and other requests as before', async () => {
    const settings = {
      logRuns: 'all',
      accessLogEvery: 1_000_000,
      slowRequestMs: 3_600_000,
    } as const;
    const all = await openTestApp(settings, openLog('info', sink));
    try {
      const body = { name: 'one', query: 'SELECT 1 AS one' };
      await all.rest('POST', '/endpoints', { body });
      await all.rest('GET', '/endpoints');
      logged = '';
      for (let n = 0; n < 3; n += 1) {
        await all.rest('GET', '/endpoints/one/run');
        await all.graphql('{ runEndpoint(projectId: "@current", name: "one") { results } }');
        await all.rest('GET', '/endpoints');
      }
      const seen = lines().map(({ operation, endpoint, version }) => [
        operation,
        endpoint,
        version,
      ]);
      const each = [
        ['run_get', 'one', 1],
        ['graphql', 'one', 1],
      ];
      expect(seen).toEqual([...each, ...each, ...each]);
    } finally {
      await all.close();
    }
  });
});
