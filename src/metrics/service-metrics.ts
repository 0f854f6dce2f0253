import type { Counter, Histogram, MetricRegistry } from './registry.ts';

/** The metrics of the service. Labels never contain a key, a variable's value or a query. */
export interface ServiceMetrics {
  /** Runs by project, by what served them (cache, inline, materialized) and by outcome. */
  readonly runs: Counter;
  readonly runSeconds: Histogram;
  readonly engineRowsRead: Counter;
  readonly engineBytesRead: Counter;
  /** Runs that fell back to source data because their stored table could not be read. */
  readonly materializedFallbacks: Counter;
  /** Bytes of results in formats other than JSON, by project and format. */
  readonly streamedBytes: Counter;
  /** Stale responses, by project and reason. */
  readonly staleAnswers: Counter;
  /** Runs in the background that stale responses started, by project and outcome. */
  readonly revalidations: Counter;
  /** Runs refused by load shedding, by project, path and reason. */
  readonly shedRuns: Counter;
  /** Throttled requests, by budget and its holder. */
  readonly throttled: Counter;
  /** Counts that Redis failed to record, so that this process counted by itself. */
  readonly rateFallbacks: Counter;
  /** Seconds that runs waited for a slot at the engine, by path. */
  readonly queueSeconds: Histogram;
  /** Syncs that ended, by project and outcome. */
  readonly syncs: Counter;
  readonly syncSeconds: Histogram;
  /** Requests by interface, operation and status. */
  readonly requests: Counter;
  readonly requestSeconds: Histogram;
}

const secondsBounds = [
  0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60,
];

export function defineServiceMetrics(registry: MetricRegistry): ServiceMetrics {
  return {
    runs: registry.counter(
      'querydock_runs_total',
      'Runs of endpoints by project, path served and outcome.',
    ),
    runSeconds: registry.histogram(
      'querydock_run_seconds',
      'Seconds from request to result by path served.',
      secondsBounds,
    ),
    engineRowsRead: registry.counter(
      'querydock_engine_rows_read_total',
      'Rows that queries read at the engine by project.',
    ),
    engineBytesRead: registry.counter(
      'querydock_engine_bytes_read_total',
      'Bytes that queries read at the engine by project.',
    ),
    materializedFallbacks: registry.counter(
      'querydock_materialized_fallbacks_total',
      'Runs whose stored table could not be read, answered inline, by project.',
    ),
    streamedBytes: registry.counter(
      'querydock_streamed_bytes_total',
      'Bytes of results in formats other than JSON, by project and format.',
    ),
    staleAnswers: registry.counter(
      'querydock_stale_answers_total',
      'Runs that were answered stale, as their callers allow, by project and reason.',
    ),
    revalidations: registry.counter(
      'querydock_revalidations_total',
      'Runs in the background that stale answers started, by project and outcome.',
    ),
    shedRuns: registry.counter(
      'querydock_shed_runs_total',
      'Runs refused because too many wait for the engine, by project, path and reason.',
    ),
    throttled: registry.counter(
      'querydock_throttled_total',
      'Requests answered throttled by budget and by whose it was.',
    ),
    rateFallbacks: registry.counter(
      'querydock_rate_fallbacks_total',
      'Counts of rate limits that Redis did not take.',
    ),
    queueSeconds: registry.histogram(
      'querydock_queue_seconds',
      'Seconds that runs waited for a place at the engine by path.',
      secondsBounds,
    ),
    syncs: registry.counter(
      'querydock_syncs_total',
      'Syncs of materializations by project and outcome.',
    ),
    syncSeconds: registry.histogram(
      'querydock_sync_seconds',
      'Seconds that a sync took by outcome.',
      secondsBounds,
    ),
    requests: registry.counter(
      'querydock_http_requests_total',
      'Requests by door, operation and status.',
    ),
    requestSeconds: registry.histogram(
      'querydock_http_request_seconds',
      'Seconds to answer a request by door and operation.',
      secondsBounds,
    ),
  };
}
