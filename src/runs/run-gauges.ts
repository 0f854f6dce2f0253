import type { MetricRegistry } from '../metrics/registry.ts';
import type { RunDeps } from './deps.ts';

export function defineRunGauges(registry: MetricRegistry, deps: RunDeps): void {
  registry.gauge('querydock_result_cache_bytes', 'Bytes held by the result cache.', () =>
    deps.results.size(),
  );
  registry.gauge('querydock_engine_queries', 'Queries of runs running at the engine.', () =>
    deps.admission.running(),
  );
  registry.gauge('querydock_runs_waiting', 'Runs waiting for a slot.', () =>
    deps.admission.waiting(),
  );
  registry.gauge('querydock_streams_in_flight', 'Results being streamed.', () =>
    deps.streams.size(),
  );
  registry.gauge('querydock_runs_in_flight', 'Running executions.', () => deps.flights.size());
}
