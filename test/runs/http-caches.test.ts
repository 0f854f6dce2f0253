/** What a cache that follows RFC 9111 does with responses: judged by a released implementation of one. */
import CachePolicy from 'http-cache-semantics';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { openSalesApp, save } from '../rest/support/sales.ts';
import type { TestApp, TestResponse } from '../support/test-app.ts';

let test: TestApp;
let name: string;
let number = 0;

beforeAll(async () => {
  test = await openSalesApp();
});
afterAll(() => test.close());

beforeEach(async () => {
  number += 1;
  name = `kept_${number}`;
  await save(test, name, { cache_age_seconds: 60 });
});

type Sent = Readonly<Record<string, string>>;

/** A caller's own cache, whose clock is that of the service. */
function openCache() {
  class Policy extends CachePolicy {
    now(): number {
      return test.clock.now().getTime();
    }
  }
  const path = () => `/endpoints/${name}/run`;
  const asked = (query: string, headers: Sent) => ({
    method: 'GET',
    url: `${path()}${query}`,
    headers: { host: 'querydock.test', authorization: 'Bearer k', ...headers },
  });
  const answer = ({ status, headers }: TestResponse) => ({
    status,
    headers: { date: test.clock.now().toUTCString(), ...Object.fromEntries(headers) },
  });
  const get = (query: string, headers: Sent) => test.rest('GET', `${path()}${query}`, { headers });
  return {
    async store(query = '', headers: Sent = {}) {
      const response = await get(query, headers);
      expect(response.status).toBe(200);
      const request = asked(query, headers);
      return { policy: new Policy(request, answer(response), { shared: false }), response };
    },
    reuses: (policy: CachePolicy, query = '', headers: Sent = {}) =>
      policy.satisfiesWithoutRevalidation(asked(query, headers)),
    async revalidate(policy: CachePolicy, query = '') {
      const request = asked(query, {});
      const headers = policy.revalidationHeaders(request) as Sent;
      const response = await get(query, { 'if-none-match': headers['if-none-match'] ?? '' });
      return { response, ...policy.revalidatedPolicy(request, answer(response)) };
    },
  };
}

const cache = openCache();
const wait = (seconds: number) => test.clock.advance(seconds * 1000);

describe('a private cache', () => {
  it('reuses a computed response for its whole lifetime, to the second', async () => {
    const { policy } = await cache.store();
    wait(59);
    expect(cache.reuses(policy)).toBe(true);
    wait(1);
    expect(cache.reuses(policy)).toBe(false);
  });

  it('reuses a response that the service had cached for exactly what is left', async () => {
    await cache.store();
    wait(25);
    const { policy, response } = await cache.store();
    expect(response.body).toMatchObject({ is_cached: true });
    expect(policy.age()).toBe(25);
    expect(policy.timeToLive()).toBe(35_000);
    wait(34);
    expect(cache.reuses(policy)).toBe(true);
    wait(1);
    expect(cache.reuses(policy)).toBe(false);
  });

  it('updates what it holds from a 304, and does not extend it', async () => {
    await cache.store();
    wait(20);
    const { policy } = await cache.store();
    wait(10);
    const { response, policy: updated, modified } = await cache.revalidate(policy);
    expect([response.status, modified]).toEqual([304, false]);
    expect(updated.age()).toBe(30);
    expect(updated.timeToLive()).toBe(30_000);
    wait(30);
    expect(cache.reuses(updated)).toBe(false);
  });

  it('gets new rows when it asks after the lifetime', async () => {
    const { policy } = await cache.store();
    wait(60);
    const { response, modified, policy: updated } = await cache.revalidate(policy);
    expect([response.status, modified]).toEqual([200, true]);
    expect(updated.timeToLive()).toBe(60_000);
  });

  it('asks each time about a run that names refresh=force', async () => {
    const { policy } = await cache.store('?refresh=force');
    expect(policy.storable()).toBe(true);
    expect(cache.reuses(policy, '?refresh=force')).toBe(false);
    const { response } = await cache.revalidate(policy, '?refresh=force');
    expect([response.status, response.body.is_cached]).toEqual([200, false]);
  });

  it('stores what a reload computed', async () => {
    await cache.store();
    wait(40);
    const { policy, response } = await cache.store('', { 'cache-control': 'no-cache' });
    expect(response.body).toMatchObject({ is_cached: false });
    expect(policy.timeToLive()).toBe(60_000);
    expect(cache.reuses(policy)).toBe(true);
  });

  it('does not reuse a stale response', async () => {
    const query = '?stale_while_revalidate_seconds=600';
    await cache.store(query);
    wait(75);
    const { policy, response } = await cache.store(query);
    expect(response.body).toMatchObject({ is_stale: true, stale_reason: 'revalidating' });
    expect(cache.reuses(policy, query)).toBe(false);
    await vi.waitFor(async () => {
      const { response: later } = await cache.store(query);
      expect(later.body).toMatchObject({ is_stale: false });
    });
  });

  it('reuses a run that bounds the age of its rows no longer than that', async () => {
    const query = '?max_age_seconds=10';
    const { policy } = await cache.store(query);
    wait(9);
    expect(cache.reuses(policy, query)).toBe(true);
    wait(1);
    expect(cache.reuses(policy, query)).toBe(false);
  });

  it('keeps the answers to different keys apart', async () => {
    const { policy } = await cache.store();
    expect(cache.reuses(policy, '', { authorization: 'Bearer other' })).toBe(false);
  });
});

it('is never stored by a shared cache', async () => {
  const response = await test.rest('GET', `/endpoints/${name}/run`);
  const request = { url: '/', method: 'GET', headers: {} };
  const answer = { status: 200, headers: Object.fromEntries(response.headers) };
  expect(new CachePolicy(request, answer, { shared: true }).storable()).toBe(false);
});
