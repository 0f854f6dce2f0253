import { sideSlots } from '../access/effective-limits.ts';
import type { CachedResult } from '../cache/result-cache.ts';
import { toServiceError } from '../errors/service-error.ts';
import { compute, computeBy, countRun, type ServedResult } from './compute.ts';
import type { RunDeps } from './deps.ts';
import { outageCodeOf, type StaleReason } from './freshness.ts';
import { isWithin, readCache, takeCached, useCached } from './read-cache.ts';
import type { PlannedRun, RunPlan } from './run-plan.ts';

/**
 * Serves a run without a fresh cached result: a stale one if the caller accepts it, which a background run then
 * refreshes; else from the engine; and during an engine outage a stale result, if the caller accepts that.
 *
 * @param cached what the cache holds for the run's plan.
 */
export async function serve(
  deps: RunDeps,
  run: PlannedRun,
  cached: CachedResult | null,
): Promise<ServedResult> {
  const stale = serveRevalidating(deps, run, cached);
  if (stale === null) await countRun(deps, run);
  const served = stale ?? (await readStaleTable(deps, run));
  if (served !== null) {
    revalidate(deps, run);
    return served;
  }
  try {
    return await compute(deps, run);
  } catch (error) {
    const rescue = run.signal?.aborted === true ? null : serveAfterFailure(deps, run, error);
    if (rescue === null) throw error;
    return rescue;
  }
}

/** Whether a stale result may be served while a background run refreshes it. */
function mayRevalidate({ request, plans }: PlannedRun): boolean {
  return request.freshness.staleWhileRevalidateSeconds > 0 && plans.plan.readsCache;
}

function serveRevalidating(
  deps: RunDeps,
  run: PlannedRun,
  cached: CachedResult | null,
): ServedResult | null {
  if (!mayRevalidate(run)) return null;
  const { plan } = run.plans;
  const { staleWhileRevalidateSeconds: seconds } = run.request.freshness;
  const reason = 'revalidating';
  return serveStale(deps, run, { plan, result: cached, seconds, reason, use: takeCached });
}

/** A stored table past its cadence can also be read at once. */
async function readStaleTable(deps: RunDeps, run: PlannedRun): Promise<ServedResult | null> {
  const { servedFrom, inlineReason } = run.plans.plan;
  if (!mayRevalidate(run) || servedFrom === 'materialized' || inlineReason === 'faster')
    return null;
  const plan = run.plans.staleRead();
  if (plan === null || !isYoungEnough(deps, run, plan)) return null;
  const { staleWhileRevalidateSeconds: seconds } = run.request.freshness;
  const reason = 'revalidating';
  const result = readCache(deps, plan);
  const cached = serveStale(deps, run, { plan, result, seconds, reason, use: useCached });
  if (cached !== null) return cached;
  try {
    const read = await computeBy(deps, run, plan);
    return countStale(deps, run, { ...read, staleReason: reason });
  } catch (error) {
    // Falls back to source data, as if there were no table. If the caller left, that read fails.
    deps.log.debug({ err: error }, 'a stored table could not be read for a stale response');
    return null;
  }
}

function isYoungEnough(deps: RunDeps, { request }: PlannedRun, plan: RunPlan): boolean {
  if (plan.materializedAt === null || plan.dataAgeSeconds === null) return false;
  const ageMs = deps.clock.now().getTime() - plan.materializedAt.getTime();
  const maxSeconds = plan.dataAgeSeconds + request.freshness.staleWhileRevalidateSeconds;
  return ageMs < maxSeconds * 1000;
}

/** Reads the cache again, because another run may have computed a result meanwhile. */
function serveAfterFailure(deps: RunDeps, run: PlannedRun, error: unknown): ServedResult | null {
  const { staleIfErrorSeconds: seconds } = run.request.freshness;
  const reason = outageCodeOf(toServiceError(error).code);
  if (seconds === 0 || reason === null) return null;
  for (const plan of [run.plans.plan, run.plans.fallback(), run.plans.staleRead()]) {
    if (plan === null) continue;
    const result = readCache(deps, plan);
    const stale = serveStale(deps, run, { plan, result, seconds, reason, use: useCached });
    if (stale !== null) return stale;
  }
  return null;
}

interface Found {
  readonly plan: RunPlan;
  readonly result: CachedResult | null;
  /** How long the result may be stale. */
  readonly seconds: number;
  readonly reason: StaleReason;
  /** `takeCached` for a run that is not counted yet, else `useCached`. */
  readonly use: typeof useCached;
}

/** Null when there is no result, or it has been stale for too long. */
function serveStale(
  deps: RunDeps,
  run: PlannedRun,
  { plan, result, seconds, reason, use }: Found,
): ServedResult | null {
  const now = deps.clock.now();
  if (result === null || !isWithin(plan, result, { staleSeconds: seconds, now })) return null;
  use(deps, run, result);
  return countStale(deps, run, { plan, result, isCached: true, staleReason: reason });
}

function countStale(deps: RunDeps, { endpoint }: PlannedRun, served: ServedResult): ServedResult {
  const reason = served.staleReason ?? '';
  deps.metrics.staleResponses.add({ project: String(endpoint.projectId), reason });
  return served;
}

/**
 * Refreshes the result in the background, once for all callers and even if the caller leaves. Without a free slot, the
 * next stale response tries again.
 */
function revalidate(deps: RunDeps, run: PlannedRun): void {
  const project = String(run.endpoint.projectId);
  const request = { ...run.request, clientQueryId: null };
  const job = { key: run.plans.plan.cacheKey, group: project, max: sideSlots(run.limits) };
  const count = (outcome: string) => deps.metrics.revalidations.add({ project, outcome });
  const started = deps.background.start(job, async (signal) => {
    try {
      const { result } = await compute(deps, { ...run, request, signal });
      // A result too large to be cached is discarded.
      result.large?.discard();
      count('ok');
    } catch (error) {
      count(toServiceError(error).code);
      throw error;
    }
  });
  if (!started) count('no_place');
}
