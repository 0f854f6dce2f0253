import fc from 'fast-check';
import { expect, it } from 'vitest';
import { latencyAt, latencyBucketOf } from '../../src/model/latency-buckets.ts';

const countsOf = (latencies: readonly number[]) => {
  const counts = new Map<number, number>();
  for (const ms of latencies) {
    const bucket = latencyBucketOf(ms);
    counts.set(bucket, (counts.get(bucket) ?? 0) + 1);
  }
  return counts;
};

/** From 2 µs to an hour, evenly in their logarithm. */
const latency = fc.double({ min: Math.log(0.002), max: Math.log(3_600_000), noNaN: true });

it('give every percentile within 5 % of the exact one, also of two counts that were added', () => {
  fc.assert(
    fc.property(fc.array(latency, { minLength: 1, maxLength: 300 }), (logarithms) => {
      const latencies = logarithms.map(Math.exp).sort((a, b) => a - b);
      const half = latencies.length >> 1;
      const added = new Map(countsOf(latencies.slice(0, half)));
      for (const [bucket, runs] of countsOf(latencies.slice(half)))
        added.set(bucket, (added.get(bucket) ?? 0) + runs);
      expect(added).toEqual(countsOf(latencies));
      for (const share of [0.5, 0.95, 0.99, 1]) {
        const exact = latencies[Math.ceil(share * latencies.length) - 1] ?? 0;
        expect(Math.abs(Number(latencyAt(share, added)) / exact - 1)).toBeLessThan(0.05);
      }
    }),
  );
});

it('hold every latency that a clock can measure', () => {
  expect(latencyAt(0.5, new Map())).toBeNull();
  for (const ms of [0, -1, 1e-6, 1e12, Number.POSITIVE_INFINITY, Number.NaN])
    expect(latencyAt(0.5, countsOf([ms]))).toBeGreaterThan(0);
});
