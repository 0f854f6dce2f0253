import { sideSlots } from '../access/effective-limits.ts';
import { toServiceError } from '../errors/service-error.ts';
import {
  type Answered,
  answerBy,
  answerByPlan,
  findKept,
  type Plans,
  type Run,
  takeKept,
} from './compute.ts';
import type { RunDeps } from './deps.ts';
import { outageCodeOf, type StaleReason } from './freshness.ts';
import type { RunPlan } from './run-plan.ts';

/**
 * Within the bounds that the caller states: by a result that is fresh; else by a stale one, if the caller
 * allows it, while one run in the background computes anew; else by the engine; and when that is out, by a
 * stale one again, if the caller allows it then.
 */
export async function answerWithin(deps: RunDeps, run: Run, plans: Plans): Promise<Answered> {
  const stale = await answerWhileRevalidating(deps, run, plans);
  if (stale !== null) return stale;
  try {
    return await answerByPlan(deps, run, plans);
  } catch (error) {
    const kept = run.signal?.aborted === true ? null : answerIfError(deps, run, { plans, error });
    if (kept === null) throw error;
    return kept;
  }
}

async function answerWhileRevalidating(
  deps: RunDeps,
  run: Run,
  plans: Plans,
): Promise<Answered | null> {
  const { staleWhileRevalidateSeconds: seconds } = run.request.freshness;
  const { planned } = plans;
  if (seconds === 0 || !planned.readsCache) return null;
  if (findKept(deps, planned, { staleSeconds: 0, now: deps.clock.now() }) !== null) return null;
  const reason = 'revalidating';
  const stale =
    answerKept(deps, run, { plan: planned, seconds, reason }) ??
    (await readStaleTable(deps, run, plans));
  if (stale !== null) revalidate(deps, run, plans);
  return stale;
}

/** The rows of a stored table that is too old to answer by right are there at once, too. */
async function readStaleTable(deps: RunDeps, run: Run, plans: Plans): Promise<Answered | null> {
  if (plans.planned.servedFrom === 'materialized') return null;
  const plan = plans.staleRead();
  if (plan === null || !isYoungEnough(deps, run, plan)) return null;
  const { staleWhileRevalidateSeconds: seconds } = run.request.freshness;
  const kept = answerKept(deps, run, { plan, seconds, reason: 'revalidating' });
  if (kept !== null) return kept;
  try {
    const read = await answerBy(deps, run, plan);
    return told(deps, run, { ...read, staleReason: 'revalidating' });
  } catch (error) {
    // The source data answers then, as if there were no table; a caller who left is told so by that.
    deps.log.debug({ err: error }, 'a stored table could not be read for a stale answer');
    return null;
  }
}

function isYoungEnough(deps: RunDeps, { request }: Run, plan: RunPlan): boolean {
  if (plan.materializedAt === null || plan.dataAgeSeconds === null) return false;
  const ageMs = deps.clock.now().getTime() - plan.materializedAt.getTime();
  const mostSeconds = plan.dataAgeSeconds + request.freshness.staleWhileRevalidateSeconds;
  return ageMs < mostSeconds * 1000;
}

function answerIfError(
  deps: RunDeps,
  run: Run,
  { plans, error }: { readonly plans: Plans; readonly error: unknown },
): Answered | null {
  const { staleIfErrorSeconds: seconds } = run.request.freshness;
  const reason = outageCodeOf(toServiceError(error).code);
  if (seconds === 0 || reason === null) return null;
  const candidates = [plans.planned, plans.fallback(), plans.staleRead()];
  for (const plan of candidates) {
    const kept = plan === null ? null : answerKept(deps, run, { plan, seconds, reason });
    if (kept !== null) return kept;
  }
  return null;
}

function answerKept(
  deps: RunDeps,
  run: Run,
  by: { readonly plan: RunPlan; readonly seconds: number; readonly reason: StaleReason },
): Answered | null {
  const { plan, seconds, reason } = by;
  const result = findKept(deps, plan, { staleSeconds: seconds, now: deps.clock.now() });
  if (result === null) return null;
  takeKept(deps, run, result);
  return told(deps, run, { plan, result, isCached: true, staleReason: reason });
}

function told(deps: RunDeps, { endpoint }: Run, answered: Answered): Answered {
  const reason = answered.staleReason ?? '';
  deps.metrics.staleAnswers.add({ project: String(endpoint.projectId), reason });
  return answered;
}

/**
 * Computes anew for whoever asks next: once for all, as an execution of its own, and to its end though the
 * caller goes. Without a place for it the next stale answer tries again.
 */
function revalidate(deps: RunDeps, run: Run, plans: Plans): void {
  const project = String(run.endpoint.projectId);
  const request = { ...run.request, clientQueryId: null };
  const job = { key: plans.planned.cacheKey, group: project, most: sideSlots(run.limits) };
  const count = (outcome: string) => deps.metrics.revalidations.add({ project, outcome });
  const started = deps.background.start(job, async (signal) => {
    try {
      const { result } = await answerByPlan(deps, { ...run, request, signal }, plans);
      // A result too large to be kept refreshes nothing.
      result.large?.discard();
      count('ok');
    } catch (error) {
      count(toServiceError(error).code);
      throw error;
    }
  });
  if (!started) count('no_place');
}
