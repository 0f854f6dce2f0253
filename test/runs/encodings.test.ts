/** Compressed answers of a run: which form a caller gets, its tag, and that it is never another result's. */
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openSalesApp, save } from '../rest/support/sales.ts';
import type { TestApp } from '../support/test-app.ts';

const unpack = { zstd: zstdDecompressSync, br: brotliDecompressSync, gzip: gunzipSync } as const;
type Encoding = keyof typeof unpack;
const encodings = Object.keys(unpack) as Encoding[];

let test: TestApp;
let name: string;
let number = 0;

beforeAll(async () => {
  test = await openSalesApp();
  await test.sql('CREATE TABLE words (n UInt32, word String) ENGINE = MergeTree ORDER BY n');
  await test.sql("INSERT INTO words SELECT number, 'gïbt es' FROM numbers(300)");
});
afterAll(() => test.close());

beforeEach(async () => {
  number += 1;
  name = `encoded_${number}`;
  await save(test, name, {
    query: 'SELECT n, word, (SELECT count() FROM words) AS c FROM words WHERE n < {most:UInt32}',
    cache_age_seconds: 60,
  });
});

interface Taken {
  readonly status: number;
  readonly headers: Headers;
  readonly bytes: Buffer;
}

async function take(
  headers: Readonly<Record<string, string>>,
  { most = 300, query = '', method = 'GET' } = {},
): Promise<Taken> {
  const path = `/api/projects/${test.project.id}/endpoints/${name}/run?variables[most]=${most}${query}`;
  const authorization = `Bearer ${test.project.readKey}`;
  const response = await test.app.fetch(
    new Request(`http://querydock.test${path}`, { method, headers: { authorization, ...headers } }),
  );
  const bytes = Buffer.from(await response.arrayBuffer());
  return { status: response.status, headers: response.headers, bytes };
}

const encodingOf = ({ headers }: Taken) => headers.get('content-encoding');
const tagOf = ({ headers }: Taken) => headers.get('etag') ?? '';

describe('a large response', () => {
  it.each(encodings)('by %s unpacks to the bytes that are sent without', async (encoding) => {
    await take({});
    const plain = await take({});
    expect(encodingOf(plain)).toBeNull();
    expect(plain.bytes.toString()).toContain('gïbt es');
    for (let time = 0; time < 2; time += 1) {
      const packed = await take({ 'accept-encoding': encoding });
      expect(encodingOf(packed)).toBe(encoding);
      expect(unpack[encoding](packed.bytes).toString()).toBe(plain.bytes.toString());
      expect(packed.bytes.length).toBeLessThan(plain.bytes.length / 2);
    }
  });

  it('is compressed when it was computed for its caller, too', async () => {
    const packed = await take({ 'accept-encoding': 'gzip' }, { query: '&refresh=force' });
    expect(JSON.parse(gunzipSync(packed.bytes).toString())).toMatchObject({ is_cached: false });
  });

  it('names what it depends on, whatever its encoding', async () => {
    for (const headers of [{}, { 'accept-encoding': 'br' }]) {
      expect((await take(headers)).headers.get('vary')).toMatch(
        /Authorization, Accept, Accept-Encoding/,
      );
    }
  });

  it('has a tag for each encoding', async () => {
    await take({});
    const plain = tagOf(await take({}));
    const tags = [plain];
    for (const encoding of encodings) tags.push(tagOf(await take({ 'accept-encoding': encoding })));
    expect(new Set(tags).size).toBe(4);
    expect(tags[1]).toBe(`${plain.slice(0, -1)}-zstd"`);
  });

  it('has the headers of its encoding by HEAD', async () => {
    await take({});
    const full = await take({ 'accept-encoding': 'br' });
    const head = await take({ 'accept-encoding': 'br' }, { method: 'HEAD' });
    expect(head.bytes.length).toBe(0);
    for (const header of ['etag', 'content-encoding', 'vary']) {
      expect(head.headers.get(header)).toBe(full.headers.get(header));
    }
  });

  it('is not compressed with debug', async () => {
    expect(encodingOf(await take({ 'accept-encoding': 'gzip' }, { query: '&debug=true' }))).toBe(
      null,
    );
  });
});

describe('a small response', () => {
  it('is never compressed', async () => {
    await take({}, { most: 2 });
    const small = await take({ 'accept-encoding': 'zstd, br, gzip' }, { most: 2 });
    expect(encodingOf(small)).toBeNull();
    expect(tagOf(small)).not.toContain('zstd');
  });
});

describe('304', () => {
  it.each([...encodings, 'identity'])('is sent for the tag of the encoding %s', async (form) => {
    await take({});
    const tag = tagOf(await take({ 'accept-encoding': form }));
    for (const accepted of ['gzip', 'identity']) {
      const again = await take({ 'accept-encoding': accepted, 'if-none-match': tag });
      expect([again.status, again.bytes.length]).toEqual([304, 0]);
      expect(tagOf(again)).toBe(tag);
      expect(again.headers.get('vary')).toMatch(/Accept-Encoding/);
      expect(encodingOf(again)).toBeNull();
    }
  });
});

describe('after new rows', () => {
  it('no encoding of the old result is served', async () => {
    const countIn = (taken: Taken, encoding: Encoding) =>
      (JSON.parse(unpack[encoding](taken.bytes).toString()) as { results: number[][] })
        .results[0]?.[2];
    const before = new Map<Encoding, Taken>();
    await take({});
    for (const encoding of encodings)
      before.set(encoding, await take({ 'accept-encoding': encoding }));
    await test.sql("INSERT INTO words VALUES (1000, 'more')");
    test.clock.advance(60_000);
    await take({});
    for (const [encoding, old] of before) {
      const now = await take({ 'accept-encoding': encoding, 'if-none-match': tagOf(old) });
      expect(now.status).toBe(200);
      expect(countIn(now, encoding)).toBe(Number(countIn(old, encoding)) + 1);
    }
  });
});

describe('the choice', () => {
  it.each([
    ['gzip, br, zstd', 'zstd'],
    ['gzip;q=1.0, br;q=0.8', 'gzip'],
    ['GZIP', 'gzip'],
    ['*', 'zstd'],
    ['zstd;q=0, *;q=0.5', 'br'],
    ['br;q=0.5, identity', null],
    ['deflate', null],
    ['gzip;q=0', null],
    ['gzip;q=2', null],
    ['', null],
  ])('for %s is %s', async (header, expected) => {
    expect(encodingOf(await take({ 'accept-encoding': header }))).toBe(expected);
  });
});

it('of several callers at once gives each its own encoding', async () => {
  await take({});
  const forms = [...encodings, ...encodings, 'identity'];
  const taken = await Promise.all(forms.map((form) => take({ 'accept-encoding': form })));
  expect(taken.map(encodingOf)).toEqual([...encodings, ...encodings, null]);
});
