/** A metric as its readers get it: the scrape page, and the export by OpenTelemetry. */
export type Labels = Readonly<Record<string, string>>;

export type Metric = NumberMetric | HistogramMetric;

interface Described {
  readonly name: string;
  readonly help: string;
}

interface NumberMetric extends Described {
  readonly kind: 'counter' | 'gauge';
  readonly series: readonly NumberReading[];
}

export interface HistogramMetric extends Described {
  readonly kind: 'histogram';
  /** Upper bounds, inclusive, ascending. */
  readonly bounds: readonly number[];
  readonly series: readonly HistogramReading[];
}

/** A counter's reading is the same object for as long as the series exists. */
export interface NumberReading {
  readonly labels: Labels;
  readonly value: number;
}

/** The same object for as long as the series exists. */
export interface HistogramReading {
  readonly labels: Labels;
  /** One count for each bound, and one for the values above the last; not cumulative. */
  readonly counts: readonly number[];
  readonly sum: number;
}
