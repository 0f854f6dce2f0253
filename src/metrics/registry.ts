/** The one place where counters, gauges and histograms are kept, whoever reads them. */
import type { HistogramReading, Labels, Metric, NumberReading } from './metric.ts';
import { labelText, toPrometheusText } from './prometheus-text.ts';

export interface MetricRegistry {
  counter(name: string, help: string): Counter;
  /** @param read called at each reading. */
  gauge(name: string, help: string, read: () => number): void;
  /** A gauge with labels, one value each. */
  gauges(name: string, help: string, read: () => readonly (readonly [Labels, number])[]): void;
  histogram(name: string, help: string, bounds: readonly number[]): Histogram;
  /** Called after each reading. */
  afterRead(work: () => void): void;
  /** Passes on every metric. The counts go on changing once `use` has returned. */
  read<T>(use: (metrics: readonly Metric[]) => T): T;
  /** The text of one scrape. */
  write(): string;
}

export interface Counter {
  add(labels: Labels, by?: number): void;
  /** The series with these labels, for callers that look it up once and count often. */
  of(labels: Labels): CounterSeries;
  /** Removes a series. Counts from callers that still hold it are lost. */
  drop(labels: Labels): void;
}

export interface CounterSeries {
  add(by: number): void;
}

export interface Histogram {
  observe(labels: Labels, value: number): void;
  /** As for a counter. */
  of(labels: Labels): HistogramSeries;
  drop(labels: Labels): void;
}

export interface HistogramSeries {
  observe(value: number): void;
}

/** Beyond this many label sets, a metric counts the rest under `other`, so that no caller can grow it without bound. */
const maxSeries = 2000;

export function openMetricRegistry(): MetricRegistry {
  const metrics: (() => Metric)[] = [];
  const works: (() => void)[] = [];
  const registry: MetricRegistry = {
    counter(name, help) {
      const series = new Map<string, Count>();
      metrics.push(() => ({ kind: 'counter', name, help, series: [...series.values()] }));
      const of = (labels: Labels) => seriesOf(series, labels, (kept) => new Count(kept));
      const drop = (labels: Labels) => void series.delete(labelText(labels));
      return { of, drop, add: (labels, by = 1) => of(labels).add(by) };
    },
    gauge(name, help, read) {
      registry.gauges(name, help, () => [[{}, read()]]);
    },
    gauges(name, help, read) {
      const series = () => read().map(([labels, value]) => ({ labels, value }));
      metrics.push(() => ({ kind: 'gauge', name, help, series: series() }));
    },
    histogram(name, help, bounds) {
      const series = new Map<string, Buckets>();
      metrics.push(() => ({ kind: 'histogram', name, help, bounds, series: [...series.values()] }));
      const of = (labels: Labels) => seriesOf(series, labels, (kept) => new Buckets(kept, bounds));
      const drop = (labels: Labels) => void series.delete(labelText(labels));
      return { of, drop, observe: (labels, value) => of(labels).observe(value) };
    },
    afterRead: (work) => void works.push(work),
    read(use) {
      const result = use(metrics.map((metric) => metric()));
      for (const work of works) work();
      return result;
    },
    write: () => registry.read(toPrometheusText),
  };
  return registry;
}

class Count implements CounterSeries, NumberReading {
  readonly labels: Labels;
  value = 0;

  constructor(labels: Labels) {
    this.labels = labels;
  }

  add(by: number): void {
    this.value += by;
  }
}

class Buckets implements HistogramSeries, HistogramReading {
  readonly labels: Labels;
  readonly counts: number[];
  sum = 0;
  readonly #bounds: readonly number[];

  constructor(labels: Labels, bounds: readonly number[]) {
    this.labels = labels;
    this.counts = Array.from({ length: bounds.length + 1 }, () => 0);
    this.#bounds = bounds;
  }

  observe(value: number): void {
    let slot = 0;
    // A linear scan: it runs for each request, and most values match the first bound.
    while (value > (this.#bounds[slot] ?? Number.POSITIVE_INFINITY)) slot += 1;
    this.counts[slot] = (this.counts[slot] ?? 0) + 1;
    this.sum += value;
  }
}

function seriesOf<S>(series: Map<string, S>, labels: Labels, open: (kept: Labels) => S): S {
  const known = series.get(labelText(labels));
  if (known !== undefined) return known;
  const kept = series.size < maxSeries ? labels : othersOf(labels);
  const key = labelText(kept);
  const opened = series.get(key) ?? open(kept);
  series.set(key, opened);
  return opened;
}

function othersOf(labels: Labels): Labels {
  return Object.fromEntries(Object.keys(labels).map((name) => [name, 'other']));
}
