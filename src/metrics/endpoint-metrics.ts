import type { Counter, CounterSeries, Histogram, HistogramSeries } from './registry.ts';

/** Metrics of runs for the busiest endpoints; all others share one series. */
export interface EndpointMetrics {
  /** The series of an endpoint until the next ranking. */
  of(endpoint: RankedEndpoint): EndpointSeries;
  /**
   * Ranks the endpoints by their runs, with recent ones weighing most. Called after each reading, so that no run is lost
   * between series.
   */
  rank(): void;
}

interface RankedEndpoint {
  readonly projectId: number;
  /** Endpoint name. */
  readonly endpoint: string;
}

export interface EndpointSeries {
  /** @param seconds duration of the run. */
  addRun(seconds: number, hasFailed: boolean): void;
}

/** Number of further candidates tracked per endpoint with its own series. */
const watchedPerSeries = 10;

/** @param max endpoints with their own series; from 1. */
export function openEndpointMetrics(
  { runs, seconds }: { readonly runs: Counter; readonly seconds: Histogram },
  max: number,
): EndpointMetrics {
  const ranked = new Map<string, Ranked>();
  const other = openSeries({ runs, seconds }, { project: 'other', endpoint: 'other' });
  let shown = 0;

  function of({ projectId, endpoint }: RankedEndpoint): EndpointSeries {
    const key = `${projectId}/${endpoint}`;
    const known = ranked.get(key);
    if (known !== undefined) return known;
    const isShown = shown < max;
    if (!isShown && ranked.size >= max * (1 + watchedPerSeries)) return other;
    const labels = { project: String(projectId), endpoint };
    const made = new Ranked(labels, isShown ? openSeries({ runs, seconds }, labels) : null, other);
    if (isShown) shown += 1;
    ranked.set(key, made);
    return made;
  }

  function rank(): void {
    const byRuns = [...ranked].sort(([, a], [, b]) => b.score() - a.score());
    shown = Math.min(max, byRuns.length);
    for (const [at, [key, one]] of byRuns.entries()) {
      const isShown = at < max;
      if (!isShown && one.own !== null) {
        runs.drop({ ...one.labels, outcome: 'ok' });
        runs.drop({ ...one.labels, outcome: 'error' });
        seconds.drop(one.labels);
        one.own = null;
      }
      if (isShown) one.own ??= openSeries({ runs, seconds }, one.labels);
      if (one.age() < 1 && !isShown) ranked.delete(key);
    }
  }

  return { of, rank };
}

type SeriesLabels = Readonly<Record<'project' | 'endpoint', string>>;

/** A tracked endpoint. */
class Ranked implements EndpointSeries {
  readonly labels: SeriesLabels;
  /** Null when its runs are counted among the others. */
  own: EndpointSeries | null;
  readonly #other: EndpointSeries;
  #recent = 0;
  #earlier = 0;

  constructor(labels: SeriesLabels, own: EndpointSeries | null, other: EndpointSeries) {
    this.labels = labels;
    this.own = own;
    this.#other = other;
  }

  addRun(seconds: number, hasFailed: boolean): void {
    this.#recent += 1;
    (this.own ?? this.#other).addRun(seconds, hasFailed);
  }

  score(): number {
    return this.#recent + this.#earlier;
  }

  /** Halves the weight of its runs. Returns the remainder. */
  age(): number {
    this.#earlier = this.score() / 2;
    this.#recent = 0;
    return this.#earlier;
  }
}

function openSeries(
  { runs, seconds }: { readonly runs: Counter; readonly seconds: Histogram },
  labels: SeriesLabels,
): EndpointSeries {
  const took: HistogramSeries = seconds.of(labels);
  const ok: CounterSeries = runs.of({ ...labels, outcome: 'ok' });
  let failed: CounterSeries | null = null;
  return {
    addRun(duration, hasFailed) {
      took.observe(duration);
      if (!hasFailed) return ok.add(1);
      failed ??= runs.of({ ...labels, outcome: 'error' });
      failed.add(1);
    },
  };
}
