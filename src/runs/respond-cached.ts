/**
 * The response to a cached result. It reports its age in whole seconds and stays the same until that changes, so
 * everything built from it (headers, counters) is built once for all callers.
 */
import type { CachedResult } from '../cache/result-cache.ts';
import type { Selected } from '../endpoints/resolve-version.ts';
import type { CounterSeries, HistogramSeries } from '../metrics/registry.ts';
import type { ServiceMetrics } from '../metrics/service-metrics.ts';
import type { SharedResultUsage } from '../usage/usage-book.ts';
import type { UsageRecorder } from '../usage/usage-recorder.ts';
import { type CountedCall, countedAs, sizeOf } from './count-usage.ts';
import { dataAsOf } from './freshness.ts';
import type { RunPlans } from './run-plan.ts';
import { type RunResponse, toRunResponse } from './run-response.ts';

export interface CachedResponse {
  readonly response: RunResponse;
  readonly runs: CounterSeries;
  readonly runSeconds: HistogramSeries;
  readonly usage: SharedResultUsage;
  readonly endpoint: Selected['endpoint'];
  readonly plans: RunPlans;
  /** The response is valid from `fromMs`, up to but not including `untilMs`. */
  readonly fromMs: number;
  readonly untilMs: number;
}

interface CountDeps {
  readonly metrics: ServiceMetrics;
  readonly usage: Pick<UsageRecorder, 'sharedResult'>;
}

/** A result that is fresh according to the plan. */
export interface ServedFromCache extends Selected {
  readonly plans: RunPlans;
  readonly result: CachedResult;
  readonly startedAt: Date;
  readonly now: Date;
}

export function isCurrent(
  { endpoint, plans, fromMs, untilMs }: CachedResponse,
  served: ServedFromCache,
): boolean {
  const ms = served.now.getTime();
  return endpoint === served.endpoint && plans === served.plans && ms >= fromMs && ms < untilMs;
}

/** @param isShared whether other callers may get the same response. */
export function toCachedResponse(
  { metrics, usage }: CountDeps,
  served: ServedFromCache & { readonly call: CountedCall },
  isShared: boolean,
): CachedResponse {
  const { result, plans, endpoint, now } = served;
  const { plan, request } = plans;
  const facts = { isCached: true, staleReason: null, stream: null, isShared } as const;
  const since = dataAsOf(plan, result.computedAt).getTime();
  const seconds = Math.floor((now.getTime() - since) / 1000);
  return {
    response: toRunResponse({ ...served, ...facts, plan, request }),
    runs: metrics.runs.of({ project: String(endpoint.projectId), path: 'cache', outcome: 'ok' }),
    runSeconds: metrics.runSeconds.of({ path: 'cache' }),
    usage: usage.sharedResult({ ...countedAs(served, served.call), path: 'cache' }, sizeOf(result)),
    endpoint,
    plans,
    fromMs: now.getTime(),
    untilMs: since + 1000 * (seconds + 1),
  };
}
