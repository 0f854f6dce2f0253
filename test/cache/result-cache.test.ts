import { describe, expect, it } from 'vitest';
import { type CachedResult, openResultCache } from '../../src/cache/result-cache.ts';

/** A result whose rows take that many bytes. */
const result = (bytes: number): CachedResult =>
  ({ rows: Buffer.alloc(bytes), contentTag: `${bytes}` }) as unknown as CachedResult;

describe('the result cache', () => {
  it('drops what was used least recently when its bytes are used up', () => {
    const cache = openResultCache(100_000);
    cache.set('a', result(40_000));
    cache.set('b', result(40_000));
    cache.get('a');
    cache.set('c', result(40_000));
    expect([cache.get('a')?.contentTag, cache.get('b')]).toEqual(['40000', undefined]);
    expect(cache.size()).toBeLessThanOrEqual(100_000);
  });

  it('does not store a result that is larger than the whole cache', () => {
    const cache = openResultCache(100_000);
    cache.set('a', result(40_000));
    cache.set('large', result(200_000));
    expect([cache.get('large'), cache.get('a')?.contentTag]).toEqual([undefined, '40000']);
  });

  it('counts keys and bookkeeping, so that many small results are bounded too', () => {
    const cache = openResultCache(100_000);
    for (let at = 0; at < 1000; at += 1) cache.set(`k${at}`, result(1));
    const stored = Array.from({ length: 1000 }, (_, at) => cache.get(`k${at}`)).filter(Boolean);
    expect(stored.length).toBeGreaterThan(10);
    expect(stored.length).toBeLessThan(100);
  });

  it('shares its bytes between results and response bodies, and never mixes them up', () => {
    const cache = openResultCache(100_000);
    cache.set('k', result(60_000));
    expect(cache.getBody('k')).toBeUndefined();
    cache.setBody('body', [Buffer.alloc(60_000), null]);
    expect([cache.get('k'), cache.get('body')]).toEqual([undefined, undefined]);
    expect(cache.getBody('body')).toHaveLength(2);
  });

  it('stores nothing when it is turned off', () => {
    const cache = openResultCache(0);
    cache.set('k', result(1));
    cache.setBody('body', 'text');
    expect([cache.get('k'), cache.getBody('body'), cache.size()]).toEqual([
      undefined,
      undefined,
      0,
    ]);
  });
});
