import { type HrTime, ValueType } from '@opentelemetry/api';
import { millisToHrTime } from '@opentelemetry/core';
import {
  AggregationTemporality,
  type DataPoint,
  DataPointType,
  type MetricData,
} from '@opentelemetry/sdk-metrics';
import type { HistogramReading, Labels, Metric } from '../../metrics/metric.ts';

/** Start and end of what a series counts. */
type Period = Pick<DataPoint<number>, 'startTime' | 'endTime'>;

/** @param at when the metrics are read. */
export type Conversion = (metrics: readonly Metric[], at: Date) => readonly MetricData[];

/**
 * Converts the registry's metrics to OpenTelemetry's, as totals. A series that the previous conversion did not have starts with
 * that one, so that the periods of a series that is dropped and opened again do not overlap.
 *
 * @param startedAt when the process began to count.
 */
export function openConversion(startedAt: Date): Conversion {
  const starts = new WeakMap<object, HrTime>();
  let previous = millisToHrTime(startedAt.getTime());
  return (metrics, at) => {
    const endTime = millisToHrTime(at.getTime());
    const periodOf = (series: object): Period => {
      const startTime = starts.get(series) ?? previous;
      starts.set(series, startTime);
      return { startTime, endTime };
    };
    const converted = metrics
      .filter(({ series }) => series.length > 0)
      .map((metric) => toMetricData(metric, periodOf));
    previous = endTime;
    return converted;
  };
}

function toMetricData(metric: Metric, periodOf: (series: object) => Period): MetricData {
  const { name, help: description } = metric;
  const shared = {
    descriptor: { name, description, unit: unitOf(name), valueType: ValueType.DOUBLE },
    aggregationTemporality: AggregationTemporality.CUMULATIVE,
  };
  if (metric.kind === 'histogram') {
    const { bounds, series } = metric;
    const dataPoints = series.map((one) => toPoint(one, periodOf(one), toHistogram(one, bounds)));
    return { ...shared, dataPointType: DataPointType.HISTOGRAM, dataPoints };
  }
  const dataPoints = metric.series.map((one) => toPoint(one, periodOf(one), one.value));
  if (metric.kind === 'gauge') return { ...shared, dataPointType: DataPointType.GAUGE, dataPoints };
  return { ...shared, dataPointType: DataPointType.SUM, isMonotonic: true, dataPoints };
}

function toPoint<T>(
  { labels }: { readonly labels: Labels },
  period: Period,
  value: T,
): DataPoint<T> {
  return { ...period, attributes: labels, value };
}

function toHistogram({ counts, sum }: HistogramReading, bounds: readonly number[]) {
  const count = counts.reduce((total, one) => total + one, 0);
  return { buckets: { boundaries: [...bounds], counts: [...counts] }, sum, count };
}

/** In UCUM. Plain counts have none: with the unit 1, collectors take a gauge for a ratio and rename it. */
function unitOf(name: string): string {
  if (name.endsWith('_seconds')) return 's';
  return /_bytes(?:_|$)/.test(name) ? 'By' : '';
}
