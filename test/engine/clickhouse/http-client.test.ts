import { createServer, type RequestListener } from 'node:http';
import { createServer as createTcpServer, type Socket } from 'node:net';
import { Readable } from 'node:stream';
import { afterEach, describe, expect, it } from 'vitest';
import { remoteConnection } from '../../../src/engine/clickhouse/http/connection.ts';
import {
  type EngineRequest,
  openEngineClient,
} from '../../../src/engine/clickhouse/http/http-client.ts';

/** What a peer may do instead of answering well; a real socket each time. */
const closers: (() => void)[] = [];
afterEach(() => {
  for (const close of closers.splice(0)) close();
});

function listen(handler: RequestListener): Promise<string> {
  const server = createServer(handler);
  closers.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      resolve(`http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`);
    });
  });
}

const request = (given: Partial<EngineRequest> = {}): EngineRequest => ({
  login: { user: 'u', password: 'p' },
  sql: 'SELECT 1',
  timeoutMs: 60_000,
  ...given,
});

function open(url: string, whenReady?: () => Promise<boolean>) {
  const client = openEngineClient({ url, ...(whenReady === undefined ? {} : { whenReady }) });
  closers.push(() => client.close());
  return client;
}

describe('a peer that', () => {
  it('never responds is given up', async () => {
    const url = await listen(() => undefined);
    await expect(open(url).send(request({ timeoutMs: 50 }))).rejects.toMatchObject({
      code: 'engine_unavailable',
    });
  });

  it('stops in the middle of a response is given up', async () => {
    const url = await listen((_req, res) => {
      res.writeHead(200, { 'Content-Length': 100 });
      res.write('half', () => res.destroy());
    });
    await expect(open(url).send(request())).rejects.toMatchObject({ code: 'engine_unavailable' });
  });

  it('sends more than may be buffered is cut off', async () => {
    let ended = false;
    const url = await listen((_req, res) => {
      const more = () => {
        if (!ended) res.write(Buffer.alloc(65_536), more);
      };
      res.once('close', () => {
        ended = true;
      });
      more();
    });
    await expect(open(url).send(request({ maxBytes: 100_000 }))).rejects.toMatchObject({
      code: 'query_too_large',
    });
  });

  it('is not there is unavailable at once', async () => {
    const url = await listen(() => undefined);
    for (const close of closers.splice(0)) close();
    await expect(open(url).send(request({ repeatable: true }))).rejects.toMatchObject({
      code: 'engine_unavailable',
      retryAfterSeconds: 1,
    });
  });

  it('refuses an upload early is heard', async () => {
    const url = await listen((_req, res) => {
      res.writeHead(400, { 'X-ClickHouse-Exception-Code': '27', Connection: 'close' });
      res.end('bad rows');
    });
    const rows = Readable.from(
      (function* () {
        for (let i = 0; i < 1000; i += 1) yield Buffer.alloc(65_536);
      })(),
    );
    await expect(open(url).send(request({ rows }))).rejects.toMatchObject({ code: 27 });
    expect(rows.destroyed).toBe(true);
  });
});

describe('a lost connection', () => {
  const dropFirst =
    (calls: { count: number }): RequestListener =>
    (_req, res) => {
      calls.count += 1;
      if (calls.count === 1) res.destroy();
      else res.end('well');
    };

  it('is made up for once, for a question', async () => {
    const calls = { count: 0 };
    const url = await listen(dropFirst(calls));
    const response = await open(url).send(request({ repeatable: true }));
    expect(response.body.toString()).toBe('well');
    expect(calls.count).toBe(2);
  });

  it('is not made up for where repeating could do a thing twice', async () => {
    const calls = { count: 0 };
    const url = await listen(dropFirst(calls));
    await expect(open(url).send(request())).rejects.toMatchObject({ code: 'engine_unavailable' });
    expect(calls.count).toBe(1);
  });

  it('ends soon when the engine does not come back', async () => {
    const calls = { count: 0 };
    const url = await listen(dropFirst(calls));
    const client = open(url, () => Promise.resolve(false));
    await expect(client.send(request({ repeatable: true }))).rejects.toMatchObject({
      code: 'engine_unavailable',
    });
    expect(calls.count).toBe(1);
  });
});

describe('an aborted request', () => {
  it('closes its connection', async () => {
    const sockets: Socket[] = [];
    const server = createTcpServer((socket) => sockets.push(socket));
    closers.push(() => server.close());
    const port = await new Promise<number>((resolve) => {
      server.listen(0, '127.0.0.1', () => {
        const address = server.address();
        resolve(typeof address === 'object' ? (address?.port ?? 0) : 0);
      });
    });
    const abort = new AbortController();
    const sent = open(`http://127.0.0.1:${port}`).send(request({ signal: abort.signal }));
    const socket = await new Promise<Socket>((resolve) => server.once('connection', resolve));
    await new Promise((resolve) => socket.once('data', resolve));
    const closed = new Promise((resolve) => socket.once('close', resolve));
    abort.abort();
    await expect(sent).rejects.toMatchObject({ code: 'query_cancelled' });
    await closed;
  });
});

describe('remoteConnection', () => {
  it('takes the administrator out of the address', () => {
    const connection = remoteConnection('https://ad%40min:p%3Aw@db.example:8443/path/', '');
    expect(connection.url).toBe('https://db.example:8443/path');
    expect(connection.admin).toEqual({ user: 'ad@min', password: 'p:w' });
  });

  it('derives the same passwords on every process, others for another secret', () => {
    const first = remoteConnection('http://a:b@h', 's').credentials(1, 'reader');
    expect(remoteConnection('http://a:c@h', 's').credentials(1, 'reader')).toEqual(first);
    expect(remoteConnection('http://a:b@h', 't').credentials(1, 'reader')).not.toEqual(first);
    expect(first).toMatchObject({ user: 'project_1_reader', database: 'project_1' });
  });

  it('refuses to derive passwords from nothing', () => {
    expect(() => remoteConnection('http://default@h', '')).toThrow(/not configured/);
  });
});
