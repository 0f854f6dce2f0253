/** What a connection that repeats its requests must not be given: another's answer, an old one, or a head of its own kind. */
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { HttpListener } from '../../src/server/node-server.ts';
import {
  exchangeBytes,
  type HeaderPair,
  type OpenConnection,
  openConnection,
  type RawResponse,
  toBytes,
} from '../hostile/support/exchange.ts';
import { eventually } from '../support/eventually.ts';
import { openTestApp, type TestApp } from '../support/test-app.ts';

let test: TestApp;
let listener: HttpListener;
let connection: OpenConnection;

beforeAll(async () => {
  test = await openTestApp({ port: 0, publicUrl: '', corsOrigins: 'https://one.test' });
  listener = await test.app.start();
  const query = 'SELECT {n:UInt8} AS n, repeat({text:String}, 2000) AS text';
  const { status, text } = await test.rest('POST', '/endpoints', { body: { name: 'kept', query } });
  if (status !== 201) throw new Error(text);
  connection = await openConnection(listener.port);
});
afterAll(async () => {
  connection.socket.destroy();
  await test.close();
});

interface RequestSpec {
  readonly method?: string;
  readonly target?: string;
  readonly key?: string;
  readonly headers?: readonly HeaderPair[];
  readonly body?: unknown;
}

const runPath = () => `/api/projects/${test.project.id}/endpoints/kept/run`;
const variables = (n: number) => ({ variables: { n, text: 'x' } });
const document = (n: number) =>
  `{ runEndpoint(projectId: "@current", name: "kept", input: {variables: {n: ${n}, text: "x"}}) { results isCached } }`;

function bytesOf({ method = 'POST', target, key, headers = [], body }: RequestSpec): Buffer {
  const authorization = `Bearer ${key ?? test.project.readKey}`;
  return toBytes({
    method,
    target: target ?? runPath(),
    headers: [
      ['Authorization', authorization],
      ['Connection', 'keep-alive'],
      ['Content-Type', 'application/json'],
      ...headers,
    ],
    body: body === undefined ? Buffer.alloc(0) : Buffer.from(JSON.stringify(body)),
  });
}

/** On the one connection. */
async function ask(asked: RequestSpec): Promise<RawResponse> {
  const before = connection.answers().length;
  connection.socket.write(bytesOf(asked));
  await eventually('the answer is here', async () => connection.answers().length > before);
  const response = connection.answers()[before];
  if (response === undefined) throw new Error('no answer');
  return response;
}

/** Until it is one that is kept. */
async function askRepeated(asked: RequestSpec): Promise<RawResponse> {
  for (let time = 0; time < 3; time += 1) await ask(asked);
  return ask(asked);
}

const json = ({ body }: RawResponse) => JSON.parse(body.toString()) as Record<string, unknown>;

describe('a connection that repeats its requests', () => {
  it('gets what it requests now, not what it requested before', async () => {
    const one = json(await askRepeated({ body: variables(1) }));
    expect(one).toMatchObject({ results: [[1, expect.any(String)]], is_cached: true });
    const two = json(await ask({ body: variables(2) }));
    expect(two).toMatchObject({ results: [[2, expect.any(String)]], is_cached: false });
    expect(json(await ask({ body: variables(1) }))).toEqual(one);
    const other = await ask({ body: variables(1), target: runPath().replace('kept', 'none') });
    expect(other.status).toBe(404);
  });

  it('is decided by the key of this request, through both interfaces', async () => {
    for (const [target, body] of [
      [runPath(), variables(1)],
      ['/graphql', { query: document(1) }],
    ] as const) {
      const asked = { target, body };
      expect((await askRepeated(asked)).status).toBe(200);
      const wrong = json(await ask({ ...asked, key: 'qdk_wrong-key-wrong-key' }));
      expect(JSON.stringify(wrong)).toContain('authentication_failed');
      const other = json(await ask({ ...asked, key: test.other.readKey }));
      expect(JSON.stringify(other)).toMatch(/permission_denied|not_found/);
      expect((await ask(asked)).body.toString()).toContain('[[1,');
    }
  });

  it('is refused once its key is revoked', async () => {
    const { id, key } = await test.issueKey({
      scopes: ['endpoint:read'],
      projects: [test.project],
    });
    const asked = { key, body: variables(1) };
    expect((await askRepeated(asked)).status).toBe(200);
    const revoke = 'mutation ($id: ID!) { revokeApiKey(id: $id) }';
    await test.graphql(revoke, { id }, { key: test.adminKey });
    await eventually('the key is refused', async () => (await ask(asked)).status === 401);
  });

  it('shows another age as time passes', async () => {
    const asked = { body: variables(3) };
    const first = await askRepeated(asked);
    // Less than the look-ups last: a record that is read anew would have it made anew anyway.
    test.clock.advance(3000);
    const later = await ask(asked);
    const age = (response: RawResponse) => Number(response.headers.get('age'));
    expect(age(later) - age(first)).toBe(3);
    expect(later.headers.get('cache-control')).toBe(first.headers.get('cache-control'));
    expect(later.body).toEqual(first.body);
  });

  it('gets each encoding, condition and origin that it requests', async () => {
    const asked = { target: `${runPath()}?variables[n]=4&variables[text]=x`, method: 'GET' };
    const plain = await askRepeated(asked);
    const etag = plain.headers.get('etag') ?? '';
    const gzipped = await askRepeated({ ...asked, headers: [['Accept-Encoding', 'gzip']] });
    expect(gzipped.headers.get('content-encoding')).toBe('gzip');
    const matched = await ask({ ...asked, headers: [['If-None-Match', etag]] });
    expect([matched.status, matched.body.length]).toEqual([304, 0]);
    expect(matched.headers.get('etag')).toBe(etag);
    const from = (origin: string) => ask({ ...asked, headers: [['Origin', origin]] });
    const allowed = (response: RawResponse) => response.headers.get('access-control-allow-origin');
    expect(allowed(await from('https://one.test'))).toBe('https://one.test');
    expect(allowed(await from('https://two.test'))).toBeUndefined();
    expect((await ask(asked)).body).toEqual(plain.body);
  });

  it('has an id of its own for each request, or the one it gives', async () => {
    const asked = { body: variables(1) };
    const ids = [await askRepeated(asked), await ask(asked)].map((a) =>
      a.headers.get('x-request-id'),
    );
    expect(new Set(ids).size).toBe(2);
    const named = await ask({ ...asked, headers: [['X-Request-Id', 'mine.1']] });
    expect(named.headers.get('x-request-id')).toBe('mine.1');
  });
});

describe('a stored response', () => {
  const passing = new Set([
    ...['date', 'connection', 'keep-alive', 'x-request-id'],
    ...['ratelimit-remaining', 'ratelimit-reset'],
  ]);
  const lasting = ({ headers }: RawResponse) =>
    [...headers].filter(([name]) => !passing.has(name)).sort(([a], [b]) => (a < b ? -1 : 1));

  it('has the headers that Node itself would write, and keeps the connection alive as Node does', async () => {
    const asked = { body: variables(5) };
    const kept = await askRepeated(asked);
    const bytes = bytesOf(asked).toString().replace('keep-alive', 'close');
    const [closing] = await exchangeBytes(listener.port, Buffer.from(bytes));
    if (closing === undefined) throw new Error('no answer');
    expect(lasting(kept)).toEqual(lasting(closing));
    expect(kept.body).toEqual(closing.body);
    expect(closing.headers.get('connection')).toBe('close');
    expect(kept.headers.get('connection')).toBe('keep-alive');
    const list = await ask({ method: 'GET', target: runPath().replace('/kept/run', '') });
    expect(kept.headers.get('keep-alive')).toBe(list.headers.get('keep-alive'));
    const seconds = (response: RawResponse) =>
      Date.parse(response.headers.get('date') ?? '') / 1000;
    expect(Math.abs(seconds(kept) - seconds(list))).toBeLessThan(120);
  });

  it('is closed behind for a client of HTTP/1.0, and has no body for HEAD', async () => {
    const asked = { method: 'GET', target: `${runPath()}?variables[n]=6&variables[text]=x` };
    const kept = await askRepeated(asked);
    const old = bytesOf(asked)
      .toString()
      .replace('HTTP/1.1', 'HTTP/1.0')
      .replace('keep-alive', 'close');
    const [response] = await exchangeBytes(listener.port, Buffer.from(old));
    expect([response?.status, response?.headers.get('connection')]).toEqual([200, 'close']);
    expect(response?.body).toEqual(kept.body);
    const head = bytesOf({ ...asked, method: 'HEAD' })
      .toString()
      .replace('keep-alive', 'close');
    const [told] = await exchangeBytes(listener.port, Buffer.from(head), { isHead: true });
    expect(told?.headers.get('content-length')).toBe(kept.headers.get('content-length'));
    expect(told?.body.length).toBe(0);
  });

  it('comes in its turn when requests are pipelined', async () => {
    await askRepeated({ body: variables(7) });
    await askRepeated({ body: variables(8) });
    const ahead = [7, 8, 7, 7, 8].map((n) => bytesOf({ body: variables(n) }));
    const responses = await exchangeBytes(listener.port, Buffer.concat(ahead), {
      responseCount: 5,
    });
    const rows = responses.map((response) => (json(response).results as unknown[][])[0]?.[0]);
    expect(rows).toEqual([7, 8, 7, 7, 8]);
  });

  it('stays as it is for a caller who reads late, whoever else is answered meanwhile', async () => {
    const asked = (n: number, text: string) => ({ body: { variables: { n, text } } });
    const [own, others] = [asked(9, 'mine---'), asked(10, '--other')];
    const expected = (await askRepeated(own)).body;
    await askRepeated(others);
    const runs = async () => {
      const text = await (await fetch(`http://127.0.0.1:${listener.port}/metrics`)).text();
      const [, count] = /^querydock_runs_total\{.*path="cache".*\} (\d+)$/m.exec(text) ?? [];
      return Number(count);
    };
    const late = connect({ port: listener.port, host: '127.0.0.1' });
    const pieces: Buffer[] = [];
    late.on('data', (piece) => pieces.push(piece));
    late.pause();
    const before = await runs();
    let [sent, between, isFull] = [0, 0, false];
    /** Runs that the service has not begun: the response before them is not taken yet. */
    const missing = async (asks: number) => {
      for (let time = 0; time < asks; time += 1) await ask(others);
      between += asks;
      return before + between + sent - (await runs());
    };
    while (!isFull) {
      for (let time = 0; time < 50; time += 1) late.write(bytesOf(own));
      sent += 50;
      isFull = (await missing(2)) > 0 && (await missing(20)) > 0;
      expect(sent, 'nothing fills the connection').toBeLessThan(10_000);
    }
    late.resume();
    const bodyEnd = expected.subarray(-20);
    await eventually('all is read', () => {
      const all = pieces.splice(0);
      pieces.push(Buffer.concat(all));
      return (
        pieces[0]?.subarray(-20).equals(bodyEnd) === true &&
        countOf(pieces[0], 'HTTP/1.1 200') === sent
      );
    });
    late.destroy();
    expect(countOf(pieces[0], expected.toString('latin1'))).toBe(sent);
  });
});

function countOf(bytes: Buffer | undefined, text: string): number {
  return (bytes?.toString('latin1') ?? '').split(text).length - 1;
}
