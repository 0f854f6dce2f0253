/** Rows in formats other than JSON, compressed while they are sent. */
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import http, { type IncomingMessage } from 'node:http';
import { promisify } from 'node:util';
import {
  brotliDecompressSync,
  createBrotliDecompress,
  createGunzip,
  createZstdDecompress,
  gunzipSync,
  zstdDecompressSync,
} from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { HttpListener } from '../../src/server/node-server.ts';
import { eventually } from '../support/eventually.ts';
import { fetchBytes } from '../support/formats.ts';
import { openTestApp, type TestApp } from '../support/test-app.ts';

const unpack = { gzip: gunzipSync, br: brotliDecompressSync, zstd: zstdDecompressSync } as const;
const unpackers = {
  gzip: createGunzip,
  br: createBrotliDecompress,
  zstd: createZstdDecompress,
} as const;
type Encoding = keyof typeof unpack;
const encodings = Object.keys(unpack) as Encoding[];

let test: TestApp;
let listener: HttpListener;
const rows = 300_000;
const hashes = (from: number | string) =>
  `SELECT number, toString(cityHash64(number)) AS hash FROM numbers(${from})`;

beforeAll(async () => {
  test = await openTestApp({ port: 0 });
  listener = await test.app.start();
  const queries = {
    large: hashes(rows),
    small: hashes(500),
    endless: hashes('1000000000000'),
    failing: `SELECT number, toString(cityHash64(number)) AS hash, throwIf(number = 1000000, 'boom') AS x FROM numbers(2000000)`,
  };
  for (const [name, query] of Object.entries(queries)) {
    const { status } = await test.rest('POST', '/endpoints', { body: { name, query } });
    expect(status).toBe(201);
  }
});
afterAll(() => test.close());

const target = (name: string, query: string) =>
  `/api/projects/${test.project.id}/endpoints/${name}/run?${query}`;

async function open(
  name: string,
  encoding: string,
  query = 'format=csv',
): Promise<IncomingMessage> {
  const { host, port } = listener;
  const authorization = `Bearer ${test.project.writeKey}`;
  const headers = { authorization, 'accept-encoding': encoding };
  const request = http.request({ host, port, path: target(name, query), headers, agent: false });
  request.on('error', () => undefined);
  request.end();
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  response.on('error', () => undefined);
  return response;
}

function take(response: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  response.on('data', (chunk: Buffer) => chunks.push(chunk));
  return new Promise((resolve) => response.once('close', () => resolve(Buffer.concat(chunks))));
}

const engineIsIdle = () =>
  eventually('the engine stops', async () => {
    const reader = `project_${test.project.id}_reader`;
    const running = `SELECT count() FROM system.processes WHERE user = '${reader}'`;
    return Number(await test.sql(running)) === 0;
  });

describe('a large result', () => {
  it.each(['csv', 'ndjson', 'arrow'])('as %s unpacks to what is sent without', async (format) => {
    const query = `format=${format}`;
    const plain = await take(await open('large', 'identity', query));
    expect(plain.length).toBeGreaterThan(rows * 20);
    for (const encoding of encodings) {
      const response = await open('large', encoding, query);
      expect(response.headers).toMatchObject({
        'content-encoding': encoding,
        'transfer-encoding': 'chunked',
        'cache-control': 'no-store',
      });
      expect(response.headers.vary).toContain('Accept-Encoding');
      const packed = await take(response);
      expect(response.complete).toBe(true);
      expect(unpack[encoding](packed).equals(plain)).toBe(true);
      expect(packed.length).toBeLessThan(plain.length * 0.8);
      expect(response.trailers).toEqual({
        'querydock-has-more': 'false',
        'querydock-rows': String(rows),
      });
    }
  });

  it.each(encodings)('by %s can be read as far as it was sent', async (encoding) => {
    const response = await open('endless', encoding);
    const unpacker = unpackers[encoding]();
    unpacker.on('error', () => undefined);
    response.pipe(unpacker);
    let text = '';
    unpacker.on('data', (bytes: Buffer) => {
      if (text.length < 500_000) text += bytes.toString();
    });
    await eventually('rows arrive', () => text.length >= 500_000);
    expect(text).toMatch(/^"number","hash"\r\n0,"\d+"\r\n1,"\d+"\r\n/);
    response.destroy();
    await engineIsIdle();
  });

  it('is not made faster than its caller reads', async () => {
    const response = await open('endless', 'zstd');
    response.pause();
    const reader = `project_${test.project.id}_reader`;
    let last = '';
    let unchanged = 0;
    await eventually('the engine waits', async () => {
      const read = `SELECT read_rows FROM system.processes WHERE user = '${reader}'`;
      const now = await test.sql(read);
      unchanged = now === last && now !== '' ? unchanged + 1 : 0;
      last = now;
      return unchanged === 20;
    });
    response.destroy();
    await engineIsIdle();
  });

  it.each(encodings)('that fails midway is visibly incomplete by %s', async (encoding) => {
    const response = await open('failing', encoding);
    expect(response.statusCode).toBe(200);
    const packed = await take(response);
    expect([response.complete, response.trailers]).toEqual([false, {}]);
    expect(() => unpack[encoding](packed)).toThrow();
  });

  it('is not compressed as Parquet, whose columns are, nor for who refuses it', async () => {
    for (const [encoding, format] of [
      ['gzip', 'parquet'],
      ['gzip;q=0', 'csv'],
    ] as const) {
      const response = await open('large', encoding, `format=${format}`);
      expect(response.headers).not.toHaveProperty('content-encoding');
      response.destroy();
    }
    await engineIsIdle();
  });
});

describe('a small result', () => {
  const get = (headers: Readonly<Record<string, string>>, format = 'csv') =>
    fetchBytes(test, `small/run?format=${format}`, { headers });

  it.each(encodings)('has a tag of its own by %s, and 304 for it', async (encoding) => {
    await get({});
    const plain = await get({});
    for (let time = 0; time < 2; time += 1) {
      const packed = await get({ 'accept-encoding': encoding });
      expect(packed.headers.get('content-encoding')).toBe(encoding);
      expect(unpack[encoding](packed.bytes).equals(plain.bytes)).toBe(true);
      expect(packed.headers.get('querydock-rows')).toBe('500');
      const tag = packed.headers.get('etag') ?? '';
      expect(tag).toBe(`${plain.headers.get('etag')?.slice(0, -1)}-${encoding}"`);
      const again = await get({ 'accept-encoding': encoding, 'if-none-match': tag });
      expect([again.status, again.bytes.length]).toEqual([304, 0]);
    }
  });
});

it('curl --compressed saves the rows as they are', async () => {
  const { host, port } = listener;
  const url = `http://${host}:${port}${target('large', 'format=csv')}`;
  const curl = (...more: string[]) =>
    promisify(execFile)(
      'curl',
      ['-sS', '--fail', '-H', `Authorization: Bearer ${test.project.readKey}`, ...more, url],
      { encoding: 'buffer', maxBuffer: 64_000_000 },
    );
  const [plain, packed] = [await curl(), await curl('--compressed')];
  expect(packed.stdout.equals(plain.stdout)).toBe(true);
});
