import type { CollectedMetric, CollectedPoint } from './read-metrics.ts';

const types: Readonly<Record<CollectedMetric['kind'], string>> = {
  'monotonic cumulative sum': 'counter',
  gauge: 'gauge',
  'cumulative histogram': 'histogram',
  other: 'untyped',
};

/** The lines that /metrics has for what was exported, sorted. */
export function toText(metrics: readonly CollectedMetric[]): readonly string[] {
  return metrics
    .flatMap((metric) => [
      `# HELP ${metric.name} ${metric.description}`,
      `# TYPE ${metric.name} ${types[metric.kind]}`,
      ...metric.points.flatMap((point) => linesOf(metric.name, point)),
    ])
    .sort();
}

function linesOf(name: string, point: CollectedPoint): readonly string[] {
  const { labels, value, sum, count, bounds, bucketCounts } = point;
  if (value !== undefined) return [`${name}${braces(labels)} ${value}`];
  let total = 0;
  const buckets = bucketCounts.map((inBucket, at) => {
    total += inBucket;
    return `${name}_bucket${braces({ ...labels, le: String(bounds[at] ?? '+Inf') })} ${total}`;
  });
  return [
    ...buckets,
    `${name}_sum${braces(labels)} ${sum}`,
    `${name}_count${braces(labels)} ${count}`,
  ];
}

function braces(labels: CollectedPoint['labels']): string {
  const pairs = Object.entries(labels).map(([key, value]) => `${key}=${JSON.stringify(value)}`);
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
}
