import { type EndpointMetrics, openEndpointMetrics } from './endpoint-metrics.ts';
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
  readonly staleResponses: Counter;
  /** Runs in the background that stale responses started, by project and outcome. */
  readonly revalidations: Counter;
  /** Runs refused by load shedding, by project, path and reason. */
  readonly shedRuns: Counter;
  /** Throttled requests, by budget and its holder. */
  readonly throttled: Counter;
  /** Counts that Redis failed to record, so that this process counted by itself. */
  readonly rateFallbacks: Counter;
  /** Requests for results shared through Redis, by outcome. */
  readonly sharedResults: Counter;
  /** Seconds that runs waited for a slot at the engine, by path. */
  readonly queueSeconds: Histogram;
  /** Syncs that ended, by project and outcome. */
  readonly syncs: Counter;
  readonly syncSeconds: Histogram;
  /** Results sent to subscribers. */
  readonly liveEvents: Counter;
  /** Results that a subscriber was not sent, because a newer one came before it had read the previous one. */
  readonly liveSkipped: Counter;
  /** Requests by interface, operation and status. */
  readonly requests: Counter;
  readonly requestSeconds: Histogram;
}

/** Fewer bounds, because every ranked endpoint has them. */
const endpointBounds = [0.001, 0.005, 0.025, 0.1, 0.5, 2.5, 10];

const secondsBounds = [
  0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60,
];

/** Runs by endpoint; defines nothing when no endpoint has its own series. */
export function defineEndpointMetrics(
  registry: MetricRegistry,
  max: number,
): EndpointMetrics | null {
  if (max === 0) return null;
  const metrics = openEndpointMetrics(
    {
      runs: registry.counter(
        'querydock_endpoint_runs_total',
        'Runs of the endpoints that are run most, by project, endpoint and outcome (ok, error); of all others under other.',
      ),
      seconds: registry.histogram(
        'querydock_endpoint_run_seconds',
        'Their duration in seconds, by project and endpoint.',
        endpointBounds,
      ),
    },
    max,
  );
  registry.afterRead(() => metrics.rank());
  return metrics;
}

export function defineServiceMetrics(registry: MetricRegistry): ServiceMetrics {
  return {
    runs: registry.counter(
      'querydock_runs_total',
      'Endpoint runs by project, serving path and outcome.',
    ),
    runSeconds: registry.histogram(
      'querydock_run_seconds',
      'Run duration in seconds by serving path.',
      secondsBounds,
    ),
    engineRowsRead: registry.counter(
      'querydock_engine_rows_read_total',
      'Rows read by queries by project.',
    ),
    engineBytesRead: registry.counter(
      'querydock_engine_bytes_read_total',
      'Bytes read by queries by project.',
    ),
    materializedFallbacks: registry.counter(
      'querydock_materialized_fallbacks_total',
      'Runs that fell back to source data because their stored table could not be read, by project.',
    ),
    streamedBytes: registry.counter(
      'querydock_streamed_bytes_total',
      'Bytes of results in formats other than JSON by project and format.',
    ),
    staleResponses: registry.counter(
      'querydock_stale_answers_total',
      'Stale responses by project and reason.',
    ),
    revalidations: registry.counter(
      'querydock_revalidations_total',
      'Background runs that refresh stale results, by project and outcome.',
    ),
    shedRuns: registry.counter(
      'querydock_shed_runs_total',
      'Runs refused by load shedding, by project, path and reason.',
    ),
    throttled: registry.counter(
      'querydock_throttled_total',
      'Throttled requests by budget and its holder.',
    ),
    rateFallbacks: registry.counter(
      'querydock_rate_fallbacks_total',
      'Rate limit counts that Redis failed to record.',
    ),
    sharedResults: registry.counter(
      'querydock_shared_results_total',
      'Requests for results shared through Redis, by outcome.',
    ),
    queueSeconds: registry.histogram(
      'querydock_queue_seconds',
      'Queue wait of runs in seconds by path.',
      secondsBounds,
    ),
    syncs: registry.counter(
      'querydock_syncs_total',
      'Materialization syncs by project and outcome.',
    ),
    syncSeconds: registry.histogram(
      'querydock_sync_seconds',
      'Sync duration in seconds by outcome.',
      secondsBounds,
    ),
    liveEvents: registry.counter('querydock_live_events_total', 'Results sent to subscribers.'),
    liveSkipped: registry.counter(
      'querydock_live_skipped_total',
      'Results not sent to subscribers that were behind, because a newer one came.',
    ),
    requests: registry.counter(
      'querydock_http_requests_total',
      'HTTP requests by interface (label door), operation and status.',
    ),
    requestSeconds: registry.histogram(
      'querydock_http_request_seconds',
      'HTTP request duration in seconds by interface (label door) and operation.',
      secondsBounds,
    ),
  };
}
