/**
 * Latencies counted in buckets whose bounds grow by a tenth: sums of two counts are the counts of both, and every
 * percentile that is read from them is within 5 % of the true one.
 */

/** Each bucket's upper bound is this many times that of the one before. */
const growth = 1.1;
const inverseLog = 1 / Math.log(growth);

/** The first bucket is up to a microsecond; the last one, from about a day on, holds everything above. */
export const latencyBuckets = 266;

/** The bucket of a latency in milliseconds. */
export function latencyBucketOf(ms: number): number {
  const micros = ms * 1000;
  if (!(micros > 1)) return 0;
  return Math.min(latencyBuckets - 1, Math.ceil(Math.log(micros) * inverseLog));
}

/**
 * The latency in milliseconds that stands for a bucket, in four digits: as far, in proportion, from its lower bound as
 * from its upper.
 */
function latencyOfBucket(bucket: number): number {
  return Number(((2 * growth ** bucket) / (growth + 1) / 1000).toPrecision(4));
}

/** How many runs each bucket holds; buckets without any are absent. */
export type LatencyCounts = ReadonlyMap<number, number>;

/**
 * The latency in milliseconds that a share of the runs does not exceed, as 0.95; null without runs. A latency of 0, which
 * only a clock that stands still measures, counts as that of the first bucket.
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
