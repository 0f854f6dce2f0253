/** A registry of counters, gauges and histograms that writes itself in the Prometheus text format. */
export interface MetricRegistry {
  counter(name: string, help: string): Counter;
  /** @param read called at each scrape. */
  gauge(name: string, help: string, read: () => number): void;
  /** One with labels, a line for each. */
  gauges(name: string, help: string, read: () => readonly (readonly [Labels, number])[]): void;
  histogram(name: string, help: string, bounds: readonly number[]): Histogram;
  /** Called after each scrape, whose text is written by then. */
  afterWrite(work: () => void): void;
  /** The text of one scrape. */
  write(): string;
}

export type Labels = Readonly<Record<string, string>>;

export interface Counter {
  add(labels: Labels, by?: number): void;
  /** The series of these labels, for callers that look it up once and count often. */
  of(labels: Labels): CounterSeries;
  /** Removes a series. Whoever holds it counts for nobody. */
  drop(labels: Labels): void;
}

export interface CounterSeries {
  add(by: number): void;
}

export interface Histogram {
  observe(labels: Labels, value: number): void;
  /** As that of a counter. */
  of(labels: Labels): HistogramSeries;
  drop(labels: Labels): void;
}

export interface HistogramSeries {
  observe(value: number): void;
}

/** Beyond this many label sets a metric counts the rest under `other`, so that no caller can grow it without bound. */
const maxSeries = 2000;

export function openMetricRegistry(): MetricRegistry {
  const writers: (() => string)[] = [];
  const works: (() => void)[] = [];
  return {
    counter(name, help) {
      const series = new Map<string, Count>();
      writers.push(
        () => head(name, help, 'counter') + lines(series, (labels) => `${name}${braces(labels)}`),
      );
      const of = (labels: Labels) => seriesOf(series, labels, () => new Count());
      const drop = (labels: Labels) => void series.delete(labelText(labels));
      return { of, drop, add: (labels, by = 1) => of(labels).add(by) };
    },
    gauge(name, help, read) {
      writers.push(() => `${head(name, help, 'gauge')}${name} ${read()}\n`);
    },
    gauges(name, help, read) {
      const line = ([labels, value]: readonly [Labels, number]) =>
        `${name}${braces(labelText(labels))} ${value}\n`;
      writers.push(() => head(name, help, 'gauge') + read().map(line).join(''));
    },
    histogram(name, help, bounds) {
      const series = new Map<string, Buckets>();
      writers.push(() => head(name, help, 'histogram') + writeHistogram(name, bounds, series));
      const of = (labels: Labels) => seriesOf(series, labels, () => new Buckets(bounds));
      const drop = (labels: Labels) => void series.delete(labelText(labels));
      return { of, drop, observe: (labels, value) => of(labels).observe(value) };
    },
    afterWrite: (work) => void works.push(work),
    write() {
      const text = writers.map((write) => write()).join('');
      for (const work of works) work();
      return text;
    },
  };
}

class Count implements CounterSeries {
  value = 0;

  add(by: number): void {
    this.value += by;
  }
}

class Buckets implements HistogramSeries {
  readonly counts: number[];
  sum = 0;
  readonly #bounds: readonly number[];

  constructor(bounds: readonly number[]) {
    this.counts = Array.from({ length: bounds.length + 1 }, () => 0);
    this.#bounds = bounds;
  }

  observe(value: number): void {
    let slot = 0;
    // In a loop: it runs for each request, and most of them end at the first bound.
    while (value > (this.#bounds[slot] ?? Number.POSITIVE_INFINITY)) slot += 1;
    this.counts[slot] = (this.counts[slot] ?? 0) + 1;
    this.sum += value;
  }
}

function seriesOf<S>(series: Map<string, S>, labels: Labels, open: () => S): S {
  const key = seriesKey(series, labels);
  const known = series.get(key);
  if (known !== undefined) return known;
  const opened = open();
  series.set(key, opened);
  return opened;
}

function seriesKey(series: ReadonlyMap<string, unknown>, labels: Labels): string {
  const key = labelText(labels);
  if (series.has(key) || series.size < maxSeries) return key;
  return labelText(Object.fromEntries(Object.keys(labels).map((name) => [name, 'other'])));
}

/** Labels in the given order, as the exposition format writes them. */
function labelText(labels: Labels): string {
  let text = '';
  for (const name in labels) {
    const value = labels[name] ?? '';
    const written = SPECIAL.test(value) ? value.replace(/[\\"\n]/g, escapeLabel) : value;
    text += text === '' ? `${name}="${written}"` : `,${name}="${written}"`;
  }
  return text;
}

const SPECIAL = /[\\"\n]/;

function escapeLabel(char: string): string {
  return char === '\n' ? '\\n' : `\\${char}`;
}

function head(name: string, help: string, type: string): string {
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n`;
}

function braces(labels: string, more = ''): string {
  const all = [labels, more].filter((part) => part !== '').join(',');
  return all === '' ? '' : `{${all}}`;
}

function lines(series: ReadonlyMap<string, Count>, name: (labels: string) => string): string {
  return [...series].map(([labels, { value }]) => `${name(labels)} ${value}\n`).join('');
}

function writeHistogram(
  name: string,
  bounds: readonly number[],
  series: ReadonlyMap<string, Buckets>,
): string {
  let text = '';
  for (const [labels, { counts, sum }] of series) {
    let total = 0;
    counts.forEach((count, at) => {
      total += count;
      text += `${name}_bucket${braces(labels, `le="${bounds[at] ?? '+Inf'}"`)} ${total}\n`;
    });
    text += `${name}_sum${braces(labels)} ${sum}\n${name}_count${braces(labels)} ${total}\n`;
  }
  return text;
}
