import { type Attributes, decodeMetrics, type KeyValues, toRecord } from './messages.ts';

/** The metrics of one request. */
export interface CollectedExport {
  readonly resource: Attributes;
  readonly metrics: readonly CollectedMetric[];
}

export interface CollectedMetric {
  readonly name: string;
  readonly description: string;
  readonly unit: string;
  /** The kind of OpenTelemetry's data, with what makes it a counter. */
  readonly kind: 'monotonic cumulative sum' | 'gauge' | 'cumulative histogram' | 'other';
  readonly points: readonly CollectedPoint[];
}

export interface CollectedPoint {
  readonly labels: Attributes;
  /** Milliseconds since 1970. */
  readonly start: number;
  readonly end: number;
  /** Undefined for a histogram. */
  readonly value: number | undefined;
  /** Of a histogram. */
  readonly sum: number | undefined;
  readonly count: number | undefined;
  readonly bounds: readonly number[];
  readonly bucketCounts: readonly number[];
}

interface SentPoint {
  readonly attributes: KeyValues;
  readonly startTimeUnixNano: string;
  readonly timeUnixNano: string;
  readonly asDouble?: number;
  readonly sum?: number;
  readonly count?: string;
  readonly explicitBounds?: readonly number[];
  readonly bucketCounts?: readonly string[];
}

interface SentData {
  readonly aggregationTemporality?: string;
  readonly isMonotonic?: boolean;
  readonly dataPoints: readonly SentPoint[];
}

interface SentMetric {
  readonly name: string;
  readonly description: string;
  readonly unit: string;
  /** Which of the following there is. */
  readonly data: 'sum' | 'gauge' | 'histogram';
  readonly sum?: SentData;
  readonly gauge?: SentData;
  readonly histogram?: SentData;
}

interface SentMetrics {
  readonly resourceMetrics: readonly {
    readonly resource: { readonly attributes: KeyValues };
    readonly scopeMetrics: readonly { readonly metrics: readonly SentMetric[] }[];
  }[];
}

export function readMetrics(body: Buffer): readonly CollectedExport[] {
  const { resourceMetrics } = decodeMetrics(body) as SentMetrics;
  return resourceMetrics.map(({ resource, scopeMetrics }) => ({
    resource: toRecord(resource.attributes),
    metrics: scopeMetrics.flatMap(({ metrics }) => metrics.map(toCollected)),
  }));
}

function toCollected(metric: SentMetric): CollectedMetric {
  const { name, description, unit, data } = metric;
  const points = (metric[data]?.dataPoints ?? []).map(toPoint);
  return { name, description, unit, kind: kindOf(metric), points };
}

function kindOf({ data, sum, histogram }: SentMetric): CollectedMetric['kind'] {
  const cumulative = 'AGGREGATION_TEMPORALITY_CUMULATIVE';
  if (data === 'gauge') return 'gauge';
  if (histogram?.aggregationTemporality === cumulative) return 'cumulative histogram';
  if (sum?.aggregationTemporality === cumulative && sum.isMonotonic === true)
    return 'monotonic cumulative sum';
  return 'other';
}

function toPoint(point: SentPoint): CollectedPoint {
  return {
    labels: toRecord(point.attributes),
    start: toMs(point.startTimeUnixNano),
    end: toMs(point.timeUnixNano),
    value: point.asDouble,
    sum: point.sum,
    count: point.count === undefined ? undefined : Number(point.count),
    bounds: point.explicitBounds ?? [],
    bucketCounts: (point.bucketCounts ?? []).map(Number),
  };
}

function toMs(nanoseconds: string): number {
  return Number(BigInt(nanoseconds) / 1_000_000n);
}
