import { describe, expect, it } from 'vitest';
import { type ErrorCode, errorStatus } from '../../src/errors/service-error.ts';
import { outageCodeOf, staleForMs } from '../../src/runs/freshness.ts';

const at = (seconds: number) => new Date(seconds * 1000);

describe('how long a result is past being fresh', () => {
  it.each([
    ['by the cache age', { materializedAt: null, dataAgeSeconds: null }, 160, 0],
    ['by the stated age of rows', { materializedAt: null, dataAgeSeconds: 10 }, 115, 5],
    ['by the stricter of both', { materializedAt: null, dataAgeSeconds: 600 }, 170, 10],
    ['by the age of a table', { materializedAt: at(50), dataAgeSeconds: 60 }, 111, 1],
    ['by the cache age of a young table', { materializedAt: at(50), dataAgeSeconds: 600 }, 165, 5],
  ] as const)('%s', (_how, limits, now, seconds) => {
    expect(staleForMs({ ...limits, cacheAgeSeconds: 60 }, at(100), at(now))).toBe(seconds * 1000);
  });

  it('is for ever when it comes from a time to come', () => {
    const limits = { materializedAt: null, dataAgeSeconds: null, cacheAgeSeconds: 60 };
    expect(staleForMs(limits, at(100), at(99))).toBe(Number.POSITIVE_INFINITY);
  });
});

it('a stale result stands in for outages alone', () => {
  const codes = Object.keys(errorStatus) as ErrorCode[];
  expect(codes.filter((code) => outageCodeOf(code) !== null).sort()).toEqual([
    'engine_unavailable',
    'query_capacity',
    'query_timeout',
    'too_many_concurrent_queries',
  ]);
});
