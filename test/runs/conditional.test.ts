/** ETag, If-None-Match, Age and Cache-Control of a run. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { change, openSalesApp, save } from '../rest/support/sales.ts';
import type { TestApp } from '../support/test-app.ts';

let test: TestApp;
let name: string;
let number = 0;

beforeAll(async () => {
  test = await openSalesApp();
});
afterAll(() => test.close());

beforeEach(async () => {
  number += 1;
  name = `tagged_${number}`;
  await save(test, name, { cache_age_seconds: 60 });
});

function get(headers: Readonly<Record<string, string>> = {}, query = '', method = 'GET') {
  return test.rest(method, `/endpoints/${name}/run${query}`, { headers });
}

async function tagOf(query = ''): Promise<string> {
  const { headers } = await get({}, query);
  return headers.get('etag') ?? '';
}

describe('200', () => {
  it('has a strong tag, the age and how long it may be cached', async () => {
    const { headers } = await get();
    expect(headers.get('etag')).toMatch(/^"[\w-]{20,}"$/);
    expect(headers.get('age')).toBe('0');
    expect(headers.get('cache-control')).toBe('private, max-age=60');
    expect(headers.get('vary')).toContain('Authorization');
  });

  it('has the age of a cached result and its whole lifetime', async () => {
    await get();
    test.clock.advance(12_345);
    const { headers, body } = await get();
    expect(body).toMatchObject({ is_cached: true });
    expect(headers.get('age')).toBe('12');
    expect(headers.get('cache-control')).toBe('private, max-age=60');
  });

  it('may not be stored at all when the version is not cached', async () => {
    await change(test, name, { cache_age_seconds: 0 });
    expect((await get()).headers.get('cache-control')).toBe('private, max-age=0');
  });

  it('has equal tags for equal bodies and only for them', async () => {
    const bodies = new Map<string, string>();
    for (const query of [
      '',
      '',
      '?limit=1',
      '?integers=string',
      '?refresh=force',
      '',
      '?limit=1',
    ]) {
      const { headers, text } = await get({}, query);
      const tag = headers.get('etag') ?? '';
      expect(bodies.get(tag) ?? text).toBe(text);
      bodies.set(tag, text);
    }
    expect(new Set(bodies.values()).size).toBe(bodies.size);
  });

  it('is sent in full for another tag', async () => {
    await get();
    const { status, text } = await get({ 'if-none-match': '"other"' });
    expect(status).toBe(200);
    expect(text).not.toBe('');
  });

  it('is sent in full when the rows were computed anew', async () => {
    const tag = await tagOf();
    expect((await get({ 'if-none-match': tag }, '?refresh=force')).status).toBe(200);
    test.clock.advance(60_000);
    expect((await get({ 'if-none-match': tag })).status).toBe(200);
  });

  it('is sent in full with debug, which is never cached', async () => {
    const tag = await tagOf();
    const { status, headers } = await get({ 'if-none-match': tag }, '?debug=true');
    expect(status).toBe(200);
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('etag')).toBeNull();
  });

  it('has the same headers by HEAD, without a body', async () => {
    await get();
    const full = await get();
    const { status, headers, text } = await get({}, '', 'HEAD');
    expect(status).toBe(200);
    expect(text).toBe('');
    for (const header of ['etag', 'age', 'cache-control', 'content-type']) {
      expect(headers.get(header)).toBe(full.headers.get(header));
    }
  });
});

describe('304', () => {
  it.each([
    ['its tag', (tag: string) => tag],
    ['its tag as a weak one', (tag: string) => `W/${tag}`],
    ['a list with its tag', (tag: string) => `"a", ${tag} , W/"b"`],
    ['a star', () => '*'],
  ])('is answered for %s, without a body and with the headers', async (_what, headerOf) => {
    const tag = await tagOf();
    test.clock.advance(1000);
    const { status, text, headers } = await get({ 'if-none-match': headerOf(tag) });
    expect(status).toBe(304);
    expect(text).toBe('');
    expect(headers.get('etag')).toMatch(/^"/);
    expect(headers.get('age')).toBe('1');
    expect(headers.get('cache-control')).toBe('private, max-age=60');
  });

  it('is sent for HEAD', async () => {
    const tag = await tagOf();
    expect((await get({ 'if-none-match': tag }, '', 'HEAD')).status).toBe(304);
  });

  it('is not sent to a key that may not read', async () => {
    const tag = await tagOf();
    const { status } = await test.rest('GET', `/endpoints/${name}/run`, {
      headers: { 'if-none-match': tag },
      key: test.other.readKey,
    });
    expect(status).toBe(403);
  });

  it('is not sent for a tag of another limit', async () => {
    const tag = await tagOf('?limit=1');
    expect((await get({ 'if-none-match': tag })).status).toBe(200);
  });
});
