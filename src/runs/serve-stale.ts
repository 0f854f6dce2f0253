import { sideSlots } from '../access/effective-limits.ts';
import type { CachedResult } from '../cache/result-cache.ts';
import { toServiceError } from '../errors/service-error.ts';
import { compute, computeBy, type ServedResult } from './compute.ts';
import type { RunDeps } from './deps.ts';
import { outageCodeOf, type StaleReason } from './freshness.ts';
import { isWithin, readCache, takeCached } from './read-cache.ts';
import type { PlannedRun, RunPlan } from './run-plan.ts';

/**
 * Serves a run without a fresh cached result: a stale one if the caller accepts it, which a background run then
 * refreshes; else at the engine; and during an outage of the engine a stale result, if the caller accepts it then.
 *
 * @param cached what the cache holds for the run's plan.
 */
export async function serve(
  deps: RunDeps,
  run: PlannedRun,
  cached: CachedResult | null,
): Promise<ServedResult> {
  const stale = await serveWhileRevalidating(deps, run, cached);
  if (stale !== null) return stale;
  try {
    return await compute(deps, run);
  } catch (error) {
    const rescue = run.signal?.aborted === true ? null : serveAfterFailure(deps, run, error);
    if (rescue === null) throw error;
    return rescue;
  }
}

async function serveWhileRevalidating(
  deps: RunDeps,
  run: PlannedRun,
  cached: CachedResult | null,
): Promise<ServedResult | null> {
  const { plan } = run.plans;
  if (run.request.freshness.staleWhileRevalidateSeconds === 0 || !plan.readsCache) return null;
  const stale =
    serveRevalidating(deps, run, { plan, result: cached }) ?? (await readStaleTable(deps, run));
  if (stale !== null) revalidate(deps, run);
  return stale;
}

function serveRevalidating(
  deps: RunDeps,
  run: PlannedRun,
  found: { readonly plan: RunPlan; readonly result: CachedResult | null },
): ServedResult | null {
  const { staleWhileRevalidateSeconds: seconds } = run.request.freshness;
  return serveCached(deps, run, { ...found, seconds, reason: 'revalidating' });
}

/** A stored table past its cadence can be read at once, too. */
async function readStaleTable(deps: RunDeps, run: PlannedRun): Promise<ServedResult | null> {
  if (run.plans.plan.servedFrom === 'materialized') return null;
  const plan = run.plans.staleRead();
  if (plan === null || !isYoungEnough(deps, run, plan)) return null;
  const cached = serveRevalidating(deps, run, { plan, result: readCache(deps, plan) });
  if (cached !== null) return cached;
  try {
    const read = await computeBy(deps, run, plan);
    return countStale(deps, run, { ...read, staleReason: 'revalidating' });
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

/** Reads the cache again: another run may have computed a result meanwhile. */
function serveAfterFailure(deps: RunDeps, run: PlannedRun, error: unknown): ServedResult | null {
  const { staleIfErrorSeconds: seconds } = run.request.freshness;
  const reason = outageCodeOf(toServiceError(error).code);
  if (seconds === 0 || reason === null) return null;
  for (const plan of [run.plans.plan, run.plans.fallback(), run.plans.staleRead()]) {
    if (plan === null) continue;
    const result = readCache(deps, plan);
    const stale = serveCached(deps, run, { plan, result, seconds, reason });
    if (stale !== null) return stale;
  }
  return null;
}

function serveCached(
  deps: RunDeps,
  run: PlannedRun,
  by: {
    readonly plan: RunPlan;
    readonly result: CachedResult | null;
    readonly seconds: number;
    readonly reason: StaleReason;
  },
): ServedResult | null {
  const { plan, result, seconds, reason } = by;
  const now = deps.clock.now();
  if (result === null || !isWithin(plan, result, { staleSeconds: seconds, now })) return null;
  takeCached(deps, run, result);
  return countStale(deps, run, { plan, result, isCached: true, staleReason: reason });
}

function countStale(deps: RunDeps, { endpoint }: PlannedRun, served: ServedResult): ServedResult {
  const reason = served.staleReason ?? '';
  deps.metrics.staleAnswers.add({ project: String(endpoint.projectId), reason });
  return served;
}

/**
 * Refreshes the result in the background, once for all callers and even if the caller leaves. Without a free slot the
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
