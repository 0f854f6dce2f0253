import type { CachedResult } from '../cache/result-cache.ts';
import { resultTooLarge } from '../errors/service-error.ts';
import { resultMarginBytes } from '../model/query-limits.ts';
import type { RunDeps } from './deps.ts';
import { staleForMs } from './freshness.ts';
import { recordServed } from './record-execution.ts';
import type { PlannedRun, RunPlan } from './run-plan.ts';

/** The cached result for the plan, fresh or stale. A run looks once and passes the result on. */
export function readCache(deps: RunDeps, { cacheKey }: RunPlan): CachedResult | null {
  return deps.results.get(cacheKey) ?? null;
}

/** Whether the result is fresh, or stale for less than `staleSeconds`. */
export function isWithin(
  plan: RunPlan,
  { computedAt }: CachedResult,
  { staleSeconds, now }: { readonly staleSeconds: number; readonly now: Date },
): boolean {
  return staleForMs(plan, computedAt, now) < staleSeconds * 1000;
}

/** Counts the run if it is not counted yet, then serves the cached result. Throws `throttled`, and as `useCached` does. */
export function takeCached(
  deps: RunDeps,
  run: Omit<PlannedRun, 'signal'>,
  cached: CachedResult,
): void {
  if (!run.isCounted) deps.rates.takeNow(run.principal, run.endpoint.projectId);
  useCached(deps, run, cached);
}

/** The same without counting. Throws `query_too_large` for a result above this caller's limit. */
export function useCached(
  deps: RunDeps,
  { request, endpoint, limits }: Omit<PlannedRun, 'signal'>,
  { rows, executionId }: CachedResult,
): void {
  if (rows.length > limits.key.resultBytes + resultMarginBytes) throw resultTooLarge();
  recordServed(deps, { request, endpoint }, executionId);
}
