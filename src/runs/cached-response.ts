/**
 * The answer by a kept result as it was made for whoever asked last by the same plan. It stays the same until one of
 * the whole seconds that it tells has passed, so what is made of it (headers, counters) is made once for all of them.
 */
import type { CachedResult } from '../cache/result-cache.ts';
import type { Selected } from '../endpoints/resolve-version.ts';
import type { CounterSeries, HistogramSeries } from '../metrics/registry.ts';
import type { ServiceMetrics } from '../metrics/service-metrics.ts';
import { dataAsOf } from './freshness.ts';
import type { RunPlan } from './run-plan.ts';
import type { RunRequest } from './run-request.ts';
import { type RunResponse, toRunResponse } from './run-response.ts';

export interface CachedResponse extends Selected {
  readonly answer: RunResponse;
  readonly runs: CounterSeries;
  readonly runSeconds: HistogramSeries;
  /** It holds from the first of these times, and up to the second. */
  readonly fromMs: number;
  readonly untilMs: number;
}

interface Asked extends Selected {
  readonly request: RunRequest;
  readonly plan: RunPlan;
  readonly result: CachedResult;
  readonly startedAt: Date;
  readonly now: Date;
}

/** Under the result first: what the cache lets go of must not be held by the plans that outlive it. */
const made = new WeakMap<CachedResult, WeakMap<RunPlan, CachedResponse>>();

/** For a result that is fresh by the plan, and a plan that was made for the request and the version. */
export function cachedResponse(metrics: ServiceMetrics, asked: Asked): CachedResponse {
  const { result, plan, endpoint, version, now } = asked;
  const byPlan = made.get(result);
  const known = byPlan?.get(plan);
  const ms = now.getTime();
  if (
    known !== undefined &&
    known.endpoint === endpoint &&
    known.version === version &&
    ms >= known.fromMs &&
    ms < known.untilMs
  ) {
    return known;
  }
  const answered = makeAnswer(metrics, asked);
  if (asked.request.debug) return answered;
  if (byPlan === undefined) made.set(result, new WeakMap([[plan, answered]]));
  else byPlan.set(plan, answered);
  return answered;
}

function makeAnswer(metrics: ServiceMetrics, asked: Asked): CachedResponse {
  const { result, plan, endpoint, version, now } = asked;
  const told = { isCached: true, staleReason: null, stream: null } as const;
  const nextSecond = (since: Date): number => {
    const ms = now.getTime() - since.getTime();
    return since.getTime() + 1000 * (Math.floor(ms / 1000) + 1);
  };
  return {
    endpoint,
    version,
    answer: toRunResponse({ ...asked, ...told }),
    runs: metrics.runs.of({ project: String(endpoint.projectId), path: 'cache', outcome: 'ok' }),
    runSeconds: metrics.runSeconds.of({ path: 'cache' }),
    fromMs: now.getTime(),
    untilMs: Math.min(nextSecond(result.computedAt), nextSecond(dataAsOf(plan, result.computedAt))),
  };
}
