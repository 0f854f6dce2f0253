/** Malformed and ambiguous requests: each is refused with a code of the catalogue. */
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { exchangeBytes, openConnection, type RawResponse, toBytes } from './support/exchange.ts';
import { openTestWorld, type TestWorld } from './support/test-world.ts';
import { bearer, json, noBody } from './support/world.ts';

let all: TestWorld;

beforeAll(async () => {
  all = await openTestWorld();
});
afterAll(() => all.test.close());

async function send(text: string | Buffer, answers = 1): Promise<readonly RawResponse[]> {
  return exchangeBytes(all.world.port, Buffer.from(text), { responseCount: answers });
}

const bodyOf = (answer: RawResponse | undefined): unknown =>
  JSON.parse(answer?.body.toString('utf8') || '{}');

describe('bytes that are no request', () => {
  it.each([
    ['no HTTP', 'SSH-2.0-OpenSSH_9.0\r\n\r\n', 400, 'malformed_request'],
    ['no Host', 'GET /healthz HTTP/1.1\r\n\r\n', 400, 'malformed_request'],
    ['two of Host', 'GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n', 400, 'malformed_request'],
    [
      'two keys',
      'GET / HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer a\r\nAuthorization: Bearer b\r\n\r\n',
      400,
      'malformed_request',
    ],
    [
      'two lengths',
      'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n',
      400,
      'malformed_request',
    ],
    [
      'a chunk of no size',
      'POST /graphql HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n',
      400,
      'malformed_request',
    ],
    [
      'a header inside another',
      'GET / HTTP/1.1\r\nHost: a\r\nX: a\nB\r\n\r\n',
      400,
      'malformed_request',
    ],
    [
      'headers without end',
      `GET / HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(70_000)}`,
      431,
      'headers_too_large',
    ],
    ['a tunnel', 'CONNECT a.example:443 HTTP/1.1\r\nHost: a\r\n\r\n', 405, 'method_not_allowed'],
  ])('are refused as %s', async (_what, bytes, status, code) => {
    const [answer] = await send(bytes);
    expect([answer?.status, bodyOf(answer)]).toMatchObject([status, { code, attr: null }]);
    expect(answer?.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(answer?.headers.get('x-request-id')).toMatch(/^[\w-]{36}$/);
  });

  it('do not affect the requests before them', async () => {
    const good = `GET /api/projects/${all.world.own.projectId}/endpoints/plain/run HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${all.world.own.readKey}\r\n\r\n`;
    const answers = await send(`${good}${good}nonsense\r\n\r\n`, 3);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 400]);
  });
});

describe('a request that a server has to take', () => {
  it.each([
    [
      'the whole address',
      'GET http://querydock.test/healthz HTTP/1.1\r\nHost: querydock.test\r\n\r\n',
    ],
    ['an unknown expectation', 'GET /healthz HTTP/1.1\r\nHost: a\r\nExpect: tea\r\n\r\n'],
    [
      'an upgrade',
      'GET /healthz HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n',
    ],
    ['empty lines before it', '\r\n\r\nGET /healthz HTTP/1.1\r\nHost: a\r\n\r\n'],
  ])('may have %s', async (_what, bytes) => {
    const [answer] = await send(bytes);
    expect([answer?.status, answer?.body.toString()]).toEqual([200, 'ok\n']);
  });

  it('gets 100 Continue when it expects it, and 413 when its body would be too large', async () => {
    const head = (length: number) =>
      `POST /graphql HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nExpect: 100-continue\r\nContent-Length: ${length}\r\n\r\n`;
    const [large] = await send(head(50_000_000));
    expect([large?.status, bodyOf(large)]).toMatchObject([
      413,
      { errors: [{ extensions: { code: 'body_too_large' } }] },
    ]);
    const body = '{"query":"{__typename}"}';
    const [taken] = await send(head(body.length) + body);
    expect([taken?.status, bodyOf(taken)]).toEqual([200, { data: { __typename: 'Query' } }]);
  });
});

describe('a body', () => {
  const runRoutes = () =>
    [
      ['POST', `/api/projects/${all.world.own.projectId}/endpoints/plain/run`],
      ['POST', '/graphql'],
    ] as const;

  const codeOf = (answer: RawResponse): unknown => {
    const body = bodyOf(answer) as { code?: string; errors?: { extensions: { code: string } }[] };
    return body.code ?? body.errors?.[0]?.extensions.code;
  };

  it.each([
    ['gzip', gzipSync('{}'), 'unsupported_media_type'],
    ['identity', Buffer.from('{"\xff":1}', 'latin1'), 'malformed_json'],
    ['', Buffer.from('{"a":"\xc3"}', 'latin1'), 'malformed_json'],
  ])('coded as %j is refused by both interfaces alike', async (coding, body, code) => {
    for (const [method, target] of runRoutes()) {
      const headers = [bearer(all.world.own.readKey), json, ['Content-Encoding', coding] as const];
      expect(codeOf(await all.world.ask({ method, target, headers, body }))).toBe(code);
    }
  });

  it('far over the limit still gets its response, which its sender reads when all is sent', async () => {
    for (const [method, target] of runRoutes()) {
      const connection = await openConnection(all.world.port);
      const { socket } = connection;
      const headers = [bearer(all.world.own.readKey), json];
      socket.pause();
      const sent = toBytes({ method, target, headers, body: Buffer.alloc(8_000_000) });
      await Promise.race([new Promise((done) => socket.write(sent, done)), connection.closed]);
      socket.resume();
      await connection.closed;
      expect(connection.answers().map((a) => [a.status, codeOf(a)])).toEqual([
        [413, 'body_too_large'],
      ]);
    }
  });
});

describe('GraphQL', () => {
  it('refuses what is no document under a hash', async () => {
    const persistedQuery = { version: 1, sha256Hash: '0'.repeat(64) };
    for (const query of [false, 5, {}, []]) {
      const body = JSON.stringify({ query, extensions: { persistedQuery } });
      const headers = [bearer(all.world.own.readKey), json];
      const target = '/graphql';
      const sent = Buffer.from(body);
      const answer = await all.world.ask({ method: 'POST', target, headers, body: sent });
      expect(bodyOf(answer)).toMatchObject({ errors: [{ extensions: { code: 'BAD_REQUEST' } }] });
    }
  });

  it('declares the type of a repeated response', async () => {
    const query = '{ runEndpoint(projectId: "@current", name: "plain") { results } }';
    for (const _time of [1, 2, 3, 4]) {
      const { headers, body } = await all.test.graphql(query);
      expect(headers.get('content-type')).toMatch(/^application\/.*json/);
      expect(body).toEqual({ data: { runEndpoint: { results: [[1]] } } });
    }
  });

  const ask = async (method: string, search: string) =>
    all.world.ask({
      method,
      target: `/graphql${search}`,
      headers: [bearer(all.world.own.readKey)],
      body: noBody,
    });

  it.each(['TRACE', 'DELETE', 'PATCH', 'PROPFIND'])('refuses %s', async (method) => {
    const answer = await ask(method, '?query={__typename}');
    expect([answer.status, bodyOf(answer)]).toMatchObject([
      405,
      {
        errors: [
          { extensions: { code: 'method_not_allowed', type: 'invalid_request', attr: null } },
        ],
      },
    ]);
    expect(answer.headers.get('allow')).toBe('GET, HEAD, OPTIONS, POST, PUT, DELETE');
  });

  it.each([
    ['?query={__typename}&variables=[', 'malformed_json'],
    ['?query={__typename}&variables=%7B%22a%22', 'malformed_json'],
    ['?query={__typename}&extensions=x', 'malformed_json'],
    ['?query={__typename}&query={__typename}', 'invalid_input'],
    ['?query=', 'GRAPHQL_PARSE_FAILED'],
    ['?query={__typename}&operationName=Q', 'OPERATION_RESOLUTION_FAILURE'],
  ])('refuses GET %s', async (search, code) => {
    expect(bodyOf(await ask('GET', search))).toMatchObject({ errors: [{ extensions: { code } }] });
  });

  it('repeats no more of a long text than a sentence holds', async () => {
    const query = `{ endpoints(projectId: "@current", first: ${'9'.repeat(5000)}) { totalCount } }`;
    const { body } = await all.test.graphql(query);
    expect(body.errors?.[0]?.message).toMatch(/^.{100,501}$/);
  });
});
