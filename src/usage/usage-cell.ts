/** In-memory counts of one minute, in an object that frequent callers keep. */
import type { EndpointMetrics, EndpointSeries } from '../metrics/endpoint-metrics.ts';
import { latencyBucketOf, latencyBuckets } from '../model/latency-buckets.ts';
import {
  type EngineUse,
  okOutcome,
  startOfStep,
  stepMs,
  type UsageCounts,
  type UsageOf,
  type UsageSums,
  usageSumNames,
} from '../model/usage.ts';

/** Rows and bytes of a run's result. */
export interface ResultSize {
  readonly rows: number;
  readonly bytes: number;
}

/** Sums of one minute that are not written yet. */
export class Tally {
  readonly of: UsageOf;
  /** Equal for tallies of the same group. */
  readonly key: string;
  readonly minuteMs: number;
  /** Nothing is added from this time on. */
  untilMs: number;
  readonly sums: Record<keyof UsageSums, number>;
  readonly latency = new Uint32Array(latencyBuckets);

  constructor(cell: Pick<Tally, 'of' | 'key'>, atMs: number) {
    this.of = cell.of;
    this.key = cell.key;
    this.minuteMs = startOfStep(atMs, 'minute');
    this.untilMs = this.minuteMs + stepMs.minute;
    this.sums = {
      runs: 0,
      rows: 0,
      bytes: 0,
      executions: 0,
      rowsRead: 0,
      bytesRead: 0,
      engineMicros: 0,
      measuredExecutions: 0,
      processorMicros: 0,
      latencyMicros: 0,
      recomputed: 0,
      unchanged: 0,
    };
  }

  addRead({ rowsRead, bytesRead, timeElapsed }: EngineUse): void {
    this.sums.rowsRead += rowsRead;
    this.sums.bytesRead += bytesRead;
    this.sums.engineMicros += timeElapsed * 1e6;
  }

  /** As whole numbers. */
  counts(): UsageCounts {
    const sums = Object.fromEntries(
      usageSumNames.map((name) => [name, Math.round(this.sums[name])]),
    ) as unknown as UsageSums;
    const latency = new Map<number, number>();
    for (const [bucket, runs] of this.latency.entries()) if (runs > 0) latency.set(bucket, runs);
    return { ...sums, latency };
  }
}

/** Counts runs of one group: version, key, interface, path and outcome. */
export class UsageCell {
  readonly of: UsageOf;
  readonly key: string;
  readonly #open: (tally: Tally) => void;
  readonly #metrics: EndpointMetrics | null;
  readonly #hasFailed: boolean;
  #tally: Tally | null = null;
  #series: EndpointSeries | null = null;

  /** @param open called with each new tally. */
  constructor(
    of: UsageOf,
    key: string,
    {
      open,
      metrics,
    }: { readonly open: (tally: Tally) => void; readonly metrics: EndpointMetrics | null },
  ) {
    this.of = of;
    this.key = key;
    this.#open = open;
    this.#metrics = metrics;
    this.#hasFailed = of.outcome !== okOutcome;
  }

  /** @param ms duration of the run. */
  addRun(atMs: number, ms: number, { rows, bytes }: ResultSize): void {
    const { sums, latency } = this.#at(atMs);
    const bucket = latencyBucketOf(ms);
    sums.runs += 1;
    sums.rows += rows;
    sums.bytes += bytes;
    sums.latencyMicros += ms * 1000;
    latency[bucket] = (latency[bucket] ?? 0) + 1;
    this.#series?.addRun(ms / 1000, this.#hasFailed);
  }

  /** @param read null if it is not known yet. */
  addExecution(atMs: number, read: EngineUse | null): void {
    const tally = this.#at(atMs);
    tally.sums.executions += 1;
    if (read !== null) tally.addRead(read);
  }

  addRecomputation(atMs: number, isUnchanged: boolean): void {
    const { sums } = this.#at(atMs);
    sums.recomputed += 1;
    if (isUnchanged) sums.unchanged += 1;
  }

  #at(atMs: number): Tally {
    const tally = this.#tally;
    if (tally !== null && atMs < tally.untilMs) return tally;
    const opened = new Tally(this, atMs);
    const { projectId, endpointName: endpoint } = this.of;
    this.#tally = opened;
    this.#series = this.#metrics?.of({ projectId, endpoint }) ?? null;
    this.#open(opened);
    return opened;
  }
}
