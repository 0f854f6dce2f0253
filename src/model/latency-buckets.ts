/**
 * Histogram of latencies with buckets that grow by a tenth: counts can be added, and percentiles are within 5 % of
 * the true value.
 */

/** Ratio of the upper bounds of successive buckets. */
const growth = 1.1;
const inverseLog = 1 / Math.log(growth);

/** The first bucket holds up to a microsecond; the last one everything from about a day. */
export const latencyBuckets = 266;

/** The bucket of a latency in milliseconds. */
export function latencyBucketOf(ms: number): number {
  const micros = ms * 1000;
  if (!(micros > 1)) return 0;
  return Math.min(latencyBuckets - 1, Math.ceil(Math.log(micros) * inverseLog));
}

/**
 * The latency in milliseconds that represents a bucket, rounded to four digits: its relative distance to both bounds
 * is the same.
 */
function latencyOfBucket(bucket: number): number {
  return Number(((2 * growth ** bucket) / (growth + 1) / 1000).toPrecision(4));
}

/** Runs per bucket; empty buckets are absent. */
export type LatencyCounts = ReadonlyMap<number, number>;

/**
 * The percentile in milliseconds for a share such as 0.95; null without runs. A latency of 0, which only a stopped
 * clock measures, counts in the first bucket.
 */
export function latencyAt(share: number, counts: LatencyCounts): number | null {
  const buckets = [...counts].sort(([a], [b]) => a - b);
  const runs = buckets.reduce((sum, [, count]) => sum + count, 0);
  const rank = Math.max(1, Math.ceil(share * runs));
  let passed = 0;
  for (const [bucket, count] of buckets) {
    passed += count;
    if (passed >= rank) return latencyOfBucket(bucket);
  }
  return null;
}
