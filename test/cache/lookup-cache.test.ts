import { beforeEach, describe, expect, it } from 'vitest';
import { type LookupCache, openLookupCache } from '../../src/cache/lookup-cache.ts';
import { ServiceError } from '../../src/errors/service-error.ts';
import { type TestClock, testClock } from '../support/clock.ts';

let clock: TestClock;
let cache: LookupCache<string>;
let loads: number;

beforeEach(() => {
  clock = testClock();
  cache = openLookupCache({
    clock,
    maxEntries: 2,
    maxMissing: 2,
    maxAgeMs: 5000,
    outageMs: 60_000,
  });
  loads = 0;
});

const load = (value: string | null) => async () => {
  loads += 1;
  return value;
};

describe('the lookup cache', () => {
  it('returns a cached value without a promise', async () => {
    expect(await cache.get('k', load('v'))).toBe('v');
    expect(cache.get('k', load('other'))).toBe('v');
    expect(loads).toBe(1);
  });

  it('caches that there is no record', async () => {
    expect(await cache.get('k', load(null))).toBeNull();
    expect(cache.get('k', load('v'))).toBeNull();
  });

  it('loads again once a value is as old as the bound, also when the clock was set back', async () => {
    await cache.get('k', load('v1'));
    clock.advance(4999);
    expect(cache.get('k', load('v2'))).toBe('v1');
    clock.advance(1);
    expect(await cache.get('k', load('v2'))).toBe('v2');
    clock.advance(-1);
    expect(await cache.get('k', load('v3'))).toBe('v3');
  });

  it('keeps nothing for a key that is longer than any name', async () => {
    const name = 'k'.repeat(501);
    await cache.get(name, load(null));
    await cache.get(name, load(null));
    expect(loads).toBe(2);
  });

  it('loads once for all callers meanwhile', async () => {
    const values = await Promise.all([cache.get('k', load('v')), cache.get('k', load('v'))]);
    expect([values, loads]).toEqual([['v', 'v'], 1]);
  });

  it('never caches what was read before its key was invalidated', async () => {
    const { promise, resolve } = Promise.withResolvers<string>();
    const early = cache.get('k', () => promise);
    cache.invalidate('k');
    const late = cache.get('k', load('new'));
    resolve('old');
    expect([await early, await late]).toEqual(['old', 'new']);
    expect(cache.get('k', load('newest'))).toBe('new');
  });

  it('never caches what was read before everything was invalidated', async () => {
    const { promise, resolve } = Promise.withResolvers<string>();
    const early = cache.get('k', () => promise);
    cache.clear();
    resolve('old');
    expect(await early).toBe('old');
    expect(await cache.get('k', load('new'))).toBe('new');
  });

  it('does not cache a failure', async () => {
    const failing = cache.get('k', () => Promise.reject(new Error('away')));
    await expect(failing).rejects.toThrow('away');
    expect(await cache.get('k', load('v'))).toBe('v');
  });

  it('drops what was used least recently beyond its number of entries', async () => {
    for (const key of ['a', 'b']) await cache.get(key, load(key));
    await cache.get('a', load('a'));
    await cache.get('c', load('c'));
    expect(cache.get('a', load('again'))).toBe('a');
    expect(await cache.get('b', load('again'))).toBe('again');
  });

  it('keeps its records however many keys have none', async () => {
    for (const key of ['a', 'b']) await cache.get(key, load(key));
    for (const key of ['x', 'y', 'z']) await cache.get(key, load(null));
    for (const key of ['a', 'b']) expect(cache.get(key, load('again'))).toBe(key);
    expect(cache.get('z', load('again'))).toBeNull();
    expect(await cache.get('x', load('made'))).toBe('made');
    expect(cache.get('x', load('again'))).toBe('made');
    cache.clear();
    expect(await cache.get('z', load('made'))).toBe('made');
  });

  it('drops entries beyond its bytes', async () => {
    const options = {
      clock,
      maxEntries: 10,
      maxMissing: 10,
      maxAgeMs: 5000,
      outageMs: 0,
      maxBytes: 3000,
    };
    const bounded = openLookupCache<string>({ ...options, weigh: (value) => value.length });
    await bounded.get('a', load('x'.repeat(1000)));
    await bounded.get('b', load('x'.repeat(1400)));
    expect(await bounded.get('a', load('again'))).toBe('again');
  });
});

describe('while the metadata database is away', () => {
  const away = async () => {
    loads += 1;
    throw new ServiceError('service_unavailable', 'away');
  };

  it('a known record is used until its bound, and is tried again every second', async () => {
    await cache.get('k', load('v'));
    clock.advance(5000);
    expect(await cache.get('k', away)).toBe('v');
    expect(cache.get('k', away)).toBe('v');
    expect(loads).toBe(2);
    clock.advance(1000);
    expect(await cache.get('k', away)).toBe('v');
    expect(loads).toBe(3);
    clock.advance(53_999);
    expect(await cache.get('k', away)).toBe('v');
    clock.advance(1);
    await expect(cache.get('k', away)).rejects.toThrow('away');
  });

  it('its bound ends it also between two tries', async () => {
    await cache.get('k', load('v'));
    clock.advance(59_500);
    expect(await cache.get('k', away)).toBe('v');
    clock.advance(500);
    await expect(cache.get('k', away)).rejects.toThrow('away');
  });

  it('what is not known, not there, or invalidated is not made up', async () => {
    await expect(cache.get('k', away)).rejects.toThrow('away');
    await cache.get('k', load(null));
    clock.advance(5000);
    await expect(cache.get('k', away)).rejects.toThrow('away');
    await cache.get('k', load('v'));
    cache.invalidate('k');
    await expect(cache.get('k', away)).rejects.toThrow('away');
    await cache.get('k', load('v'));
    cache.clear();
    await expect(cache.get('k', away)).rejects.toThrow('away');
  });

  it('what is invalidated while it is read again is not used', async () => {
    await cache.get('k', load('v'));
    clock.advance(5000);
    const { promise, reject } = Promise.withResolvers<string>();
    const reading = cache.get('k', () => promise);
    cache.invalidate('k');
    reject(new ServiceError('service_unavailable', 'away'));
    await expect(reading).rejects.toThrow('away');
  });

  it('an expired record is read again, and used only if that fails', async () => {
    await cache.get('a', load('a1'));
    await cache.get('b', load('b1'));
    cache.expire('a');
    expect(cache.get('b', load('b2'))).toBe('b1');
    expect(await cache.get('a', away)).toBe('a1');
    cache.expire();
    expect(await cache.get('a', load('a2'))).toBe('a2');
    expect(await cache.get('b', away)).toBe('b1');
  });

  it('another failure is a failure, and a clock that was set back makes nothing younger', async () => {
    await cache.get('k', load('v'));
    clock.advance(5000);
    await expect(cache.get('k', () => Promise.reject(new Error('wrong')))).rejects.toThrow('wrong');
    clock.advance(-6000);
    await expect(cache.get('k', away)).rejects.toThrow('away');
  });
});
