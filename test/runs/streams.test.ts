/** Large results over a socket: as fast as the caller takes them, to their end or visibly broken off. */
import { once } from 'node:events';
import http, { type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { HttpListener } from '../../src/server/node-server.ts';
import { eventually } from '../support/eventually.ts';
import { loadBytes } from '../support/formats.ts';
import { openTestApp, type TestApp } from '../support/test-app.ts';

let test: TestApp;
let listener: HttpListener;
let name = '';
let number = 0;
const million = 1_000_000;

beforeAll(async () => {
  test = await openTestApp({ port: 0, maxConcurrentQueries: 4, maxStreamBytes: 60_000_000 });
  listener = await test.app.start();
});
afterAll(() => test.close());

beforeEach(() => {
  number += 1;
  name = `large_${number}`;
});

async function save(query: string): Promise<void> {
  const { status, body } = await test.rest('POST', '/endpoints', { body: { name, query } });
  expect([status, body.code]).toEqual([201, undefined]);
}
const saveRows = (rows: number) =>
  save(`SELECT number, toString(cityHash64(number)) AS hash FROM numbers(${rows})`);

/** Resolves with the headers; the body is not read. */
async function open(
  query: string,
  options: { readonly method?: string; readonly headers?: http.OutgoingHttpHeaders } = {},
): Promise<IncomingMessage> {
  const request = http.request({
    host: listener.host,
    port: listener.port,
    path: `/api/projects/${test.project.id}/endpoints/${name}/run?${query}`,
    method: options.method ?? 'GET',
    headers: { authorization: `Bearer ${test.project.writeKey}`, ...options.headers },
    agent: false,
  });
  request.on('error', () => undefined);
  request.end();
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  response.on('error', () => undefined);
  return response;
}

interface Taken {
  readonly bytes: Buffer;
  readonly isWhole: boolean;
  readonly trailers: NodeJS.Dict<string>;
}

function take(response: IncomingMessage): Promise<Taken> {
  const chunks: Buffer[] = [];
  response.on('data', (chunk: Buffer) => chunks.push(chunk));
  return new Promise((resolve) => {
    response.once('close', () => {
      const { complete: isWhole, trailers } = response;
      resolve({ bytes: Buffer.concat(chunks), isWhole, trailers });
    });
  });
}

function linesIn(bytes: Buffer): number {
  let lines = 0;
  for (const byte of bytes) if (byte === 0x0a) lines += 1;
  return lines;
}

const running = async () =>
  Number(
    await test.sql(
      `SELECT count() FROM system.processes WHERE user = 'project_${test.project.id}_reader'`,
    ),
  );
const stopped = () => eventually('the engine stops', async () => (await running()) === 0);

async function statuses() {
  await test.app.core.recorder.flush();
  return test.backends.metadata.prisma.queryStatus.findMany({
    where: { projectId: test.project.id, endpointName: name },
    orderBy: { id: 'asc' },
  });
}

async function ended(code: string | null) {
  await eventually('the status has ended', async () =>
    (await statuses()).every((status) => status.endTime !== null),
  );
  const all = await statuses();
  expect(all.map((status) => status.errorCode)).toEqual([code]);
  expect(test.app.core.streams.size()).toBe(0);
  return all[0];
}

describe('a large result', () => {
  it('comes whole, with the number of rows in a trailer, and is not cached', async () => {
    await saveRows(million);
    const response = await open('format=csv');
    expect(response.statusCode).toBe(200);
    expect(response.headers).toMatchObject({
      'transfer-encoding': 'chunked',
      'cache-control': 'no-store',
      'querydock-has-more': 'false',
      'querydock-is-cached': 'false',
      trailer: 'Querydock-Has-More, Querydock-Rows, Querydock-Next-Cursor',
    });
    expect(response.headers).not.toHaveProperty('etag');
    const { bytes, isWhole, trailers } = await take(response);
    expect(isWhole).toBe(true);
    expect(linesIn(bytes)).toBe(million + 1);
    expect(trailers).toEqual({ 'querydock-has-more': 'false', 'querydock-rows': String(million) });
    expect(await ended(null)).toMatchObject({
      id: response.headers['querydock-execution-id'],
      format: 'csv',
      resultRows: BigInt(million),
      resultBytes: BigInt(bytes.length),
    });
    expect((await open('format=csv', { method: 'HEAD' })).headers['querydock-is-cached']).toBe(
      'false',
    );
    await stopped();
  });

  it.each([
    ['csv', 200_000, 'true'],
    ['ndjson', 200_000, 'true'],
    ['arrow', 200_000, 'true'],
    ['parquet', 200_000, 'true'],
    ['arrow', 300_000, 'false'],
    ['parquet', 300_001, 'false'],
  ] as const)(
    'as %s with limit %i tells truly whether there is more',
    async (format, limit, more) => {
      await saveRows(300_000);
      const response = await open(`format=${format}&limit=${limit}`);
      expect(response.headers).not.toHaveProperty('querydock-has-more');
      const { bytes, trailers } = await take(response);
      const rows = Math.min(limit, 300_000);
      expect(trailers).toEqual({ 'querydock-has-more': more, 'querydock-rows': String(rows) });
      const table = `large_${number}`;
      await test.sql(`CREATE TABLE ${table} (number UInt64, hash String) ENGINE = Memory`);
      await loadBytes(test, { table, format, bytes });
      const sums = (from: string) =>
        test.sql(`SELECT count(), sum(number), sum(cityHash64(hash)) FROM ${from} FORMAT CSV`);
      expect(await sums(table)).toBe(
        await sums(`(SELECT number, toString(cityHash64(number)) AS hash FROM numbers(${rows}))`),
      );
      expect(await ended(null)).toMatchObject({ resultRows: BigInt(rows) });
    },
  );

  it('goes to each of two callers at once', async () => {
    await saveRows(200_000);
    const both = await Promise.all([open('format=csv'), open('format=csv')]);
    const taken = await Promise.all(both.map(take));
    expect(taken.map(({ isWhole, bytes }) => [isWhole, linesIn(bytes)])).toEqual([
      [true, 200_001],
      [true, 200_001],
    ]);
    expect(await statuses()).toHaveLength(2);
  });

  it('by HEAD has headers alone, and ends at the engine', async () => {
    await saveRows(1e12);
    const response = await open('format=csv', { method: 'HEAD' });
    expect([response.statusCode, response.headers['content-type']]).toEqual([
      200,
      'text/csv; charset=utf-8; header=present',
    ]);
    await stopped();
    await ended('query_cancelled');
  });
});

describe('a query that fails in the middle', () => {
  it.each(['csv', 'ndjson', 'arrow'])(
    'breaks %s off, and is a failure in its status',
    async (format) => {
      await save(
        `SELECT number, toString(cityHash64(number)) AS hash, throwIf(number = ${million}, 'boom') AS x FROM numbers(2000000)`,
      );
      const response = await open(`format=${format}`);
      expect(response.statusCode).toBe(200);
      const { bytes, isWhole, trailers } = await take(response);
      expect(isWhole).toBe(false);
      expect(trailers).toEqual({});
      expect(bytes.length).toBeGreaterThan(million);
      expect(bytes.includes('boom')).toBe(false);
      expect(bytes.includes('__exception__')).toBe(false);
      expect(await ended('query_failed')).toMatchObject({
        format,
        errorMessage: expect.stringContaining('boom'),
        resultBytes: expect.any(BigInt),
      });
      const metrics = await test.app.fetch(new Request('http://querydock.test/metrics'));
      expect(await metrics.text()).toContain(
        `querydock_runs_total{project="${test.project.id}",path="inline",outcome="query_failed"}`,
      );
    },
  );

  it('resets the connection of HTTP/1.0, where its end is that of the body', async () => {
    await save(`SELECT number, throwIf(number = ${million}, 'boom') AS x FROM numbers(2000000)`);
    const socket = connect(listener.port, listener.host);
    socket.write(
      `GET /api/projects/${test.project.id}/endpoints/${name}/run?format=csv HTTP/1.0\r\nauthorization: Bearer ${test.project.writeKey}\r\n\r\n`,
    );
    let received = 0;
    socket.on('data', (chunk: Buffer) => (received += chunk.length));
    expect(
      await new Promise((resolve) => socket.once('error', resolve).once('end', resolve)),
    ).toMatchObject({
      code: 'ECONNRESET',
    });
    expect(received).toBeGreaterThan(million);
  });

  it('and one that is larger than a stream may be', async () => {
    await saveRows(1e12);
    const { isWhole, bytes } = await take(await open('format=ndjson'));
    expect(isWhole).toBe(false);
    expect(bytes.length).toBeLessThanOrEqual(60_000_000);
    await ended('query_too_large');
    await stopped();
  });

  it('and one that somebody stops', async () => {
    await saveRows(1e12);
    const response = await open(`format=csv&client_query_id=mine_${number}`);
    const { body } = await test.graphql(
      'mutation ($id: ID!) { cancelQuery(projectId: "@current", id: $id) { id } }',
      { id: `mine_${number}` },
    );
    expect(body.errors).toBeUndefined();
    const { isWhole } = await take(response);
    expect(isWhole).toBe(false);
    await ended('query_cancelled');
  });
});

describe('a caller', () => {
  it('who goes away ends the query at the engine', async () => {
    await saveRows(1e12);
    const response = await open('format=csv');
    await once(response, 'data');
    expect(await running()).toBe(1);
    response.destroy();
    await stopped();
    await ended('query_cancelled');
  });

  it('who goes away without a socket does so, too', async () => {
    await saveRows(1e12);
    const response = await test.app.fetch(
      new Request(
        `http://querydock.test/api/projects/${test.project.id}/endpoints/${name}/run?format=csv`,
        { headers: { authorization: `Bearer ${test.project.writeKey}` } },
      ),
    );
    expect(await running()).toBe(1);
    await response.body?.cancel();
    await stopped();
    await ended('query_cancelled');
  });

  it('who does not read is waited for: the engine goes no further', async () => {
    await saveRows(1e12);
    const response = await open('format=csv');
    response.pause();
    const read = () =>
      test.sql(
        `SELECT read_rows FROM system.processes WHERE user = 'project_${test.project.id}_reader'`,
      );
    let last = '';
    let unchanged = 0;
    await eventually('the engine waits', async () => {
      const now = await read();
      unchanged = now === last && now !== '' ? unchanged + 1 : 0;
      last = now;
      return unchanged === 20;
    });
    expect(Number(last)).toBeLessThan(20 * million);
    response.destroy();
    await stopped();
  });

  it('finds only so many streams of a project at once, and other runs beside them', async () => {
    await saveRows(1e12);
    const first = await open('format=csv');
    const second = await open('format=csv&limit=900000000000');
    const third = await open('format=csv&offset=1');
    expect(third.statusCode).toBe(429);
    expect(third.headers['retry-after']).toBe('1');
    expect(JSON.parse((await take(third)).bytes.toString())).toMatchObject({
      code: 'too_many_concurrent_queries',
    });
    expect((await open('limit=1')).statusCode).toBe(200);
    first.destroy();
    await eventually('a slot is free', () => test.app.core.streams.size() === 1);
    const fourth = await open('format=csv&offset=1');
    expect(fourth.statusCode).toBe(200);
    second.destroy();
    fourth.destroy();
    await stopped();
  });
});

it('a conditional request by fetch, which adds no-cache by itself, gets 304', async () => {
  await saveRows(3);
  const url = `http://${listener.host}:${listener.port}/api/projects/${test.project.id}/endpoints/${name}/run`;
  const headers = { authorization: `Bearer ${test.project.writeKey}` };
  const tag = (await fetch(url, { headers })).headers.get('etag') ?? '';
  const again = await fetch(url, { headers: { ...headers, 'if-none-match': tag } });
  expect(again.status).toBe(304);
});
