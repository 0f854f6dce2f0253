import { endpointKey } from '../cache/lookups.ts';
import type { Selected } from '../endpoints/resolve-version.ts';
import { type ErrorCode, ServiceError } from '../errors/service-error.ts';
import { uuidv7 } from '../lib/ids.ts';
import { slotGroupOf } from './admit.ts';
import type { RunDeps } from './deps.ts';
import { execute } from './execute.ts';
import { executeStream } from './execute-stream.ts';
import type { StaleReason } from './freshness.ts';
import { isWithin, readCache, useCached } from './read-cache.ts';
import { recordServed } from './record-execution.ts';
import type { PlannedRun, RunPlan } from './run-plan.ts';
import type { ComputedResult, FlightResult } from './run-stream.ts';
import { fly } from './shared-flight.ts';
import { joinTraced } from './trace-run.ts';

export interface ServedResult {
  readonly plan: RunPlan;
  readonly result: ComputedResult;
  readonly isCached: boolean;
  /** Why a stale result is served; null when it is fresh. */
  readonly staleReason: StaleReason | null;
}

/** Runs at the engine; falls back to source data when the stored table fails. */
export async function compute(deps: RunDeps, run: PlannedRun): Promise<ServedResult> {
  const { plan, fallback } = run.plans;
  try {
    return await computeBy(deps, run, plan);
  } catch (error) {
    if (plan.servedFrom === 'inline' || !isTableFault(error)) throw error;
    forgetTable(deps, run, error);
    return serveBy(deps, run, fallback());
  }
}

/** Runs the query at the engine as a new execution. */
export async function computeAlone(
  deps: RunDeps,
  run: PlannedRun,
  plan: RunPlan,
): Promise<ServedResult> {
  const { signal = new AbortController().signal } = run;
  const id = uuidv7(deps.clock.now());
  recordServed(deps, run, id);
  const result = await executeStream(deps, { ...run, plan }, { id, signal });
  return { plan, result, isCached: false, staleReason: null };
}

/** Serves the run by a plan other than its own: a fresh cached result, else the engine. */
async function serveBy(deps: RunDeps, run: PlannedRun, plan: RunPlan): Promise<ServedResult> {
  const result = plan.readsCache ? readCache(deps, plan) : null;
  if (result === null || !isWithin(plan, result, { staleSeconds: 0, now: deps.clock.now() }))
    return computeBy(deps, run, plan);
  useCached(deps, run, result);
  return { plan, result, isCached: true, staleReason: null };
}

/**
 * Counts the run against its rate limits, once however it is served. A run that joins an execution in progress is
 * counted like a cached one, without waiting for the shared count. Throws `throttled`.
 */
export async function countRun(deps: RunDeps, run: PlannedRun): Promise<void> {
  const { principal, endpoint } = run;
  if (run.isCounted) return;
  if (deps.flights.has(flightOf(run, run.plans.plan)))
    deps.rates.takeNow(principal, endpoint.projectId);
  else await deps.rates.take(principal, endpoint.projectId);
}

/**
 * The single flight key. Runs with different engine limits do not share an execution, since a limit that ends one must
 * not end the other; the same applies to limits of slots.
 */
function flightOf(run: PlannedRun, plan: RunPlan): string {
  return `${run.request.refresh}:${groupOf(run)}:${slotGroupOf(run)}:${plan.cacheKey}`;
}

function groupOf({ limits: { key } }: PlannedRun): string {
  return `${key.executionSeconds}/${key.memoryBytes}/${key.resultBytes}`;
}

/**
 * Runs at the engine, or uses a result that another process has computed. Concurrent identical runs share one
 * execution; a forced run joins only forced ones.
 */
export async function computeBy(
  deps: RunDeps,
  run: PlannedRun,
  plan: RunPlan,
): Promise<ServedResult> {
  const { result, isCached } = await joinFlight(deps, run, { plan, isShared: true });
  if (!isCached) return { plan, result, isCached, staleReason: null };
  // It may have been fetched by a run that accepts older results than this one.
  if (!isWithin(plan, result, { staleSeconds: 0, now: deps.clock.now() })) {
    const own = await joinFlight(deps, run, { plan, isShared: false });
    return { plan, ...own, staleReason: null };
  }
  useCached(deps, run, result);
  return { plan, result, isCached, staleReason: null };
}

async function joinFlight(
  deps: RunDeps,
  run: PlannedRun,
  { plan, isShared }: { readonly plan: RunPlan; readonly isShared: boolean },
): Promise<FlightResult> {
  const { pendingCallers, flights } = deps;
  const start = run.request.format === 'json' ? execute : executeStream;
  const flight = isShared ? flightOf(run, plan) : `own:${flightOf(run, plan)}`;
  const joined = joinTraced(deps.tracer, flight, (lead) =>
    flights.join(
      flight,
      (signal) => {
        const execution = { id: uuidv7(deps.clock.now()), signal };
        const call = { ...run, plan };
        const compute = () => start(deps, call, execution);
        const group = groupOf(run);
        const work = (onStart: (executionId: string) => void) => {
          onStart(execution.id);
          return fly(deps, { call, execution, group, isShared, compute });
        };
        return lead(() => pendingCallers.runFlight(flight, work));
      },
      run.signal,
    ),
  );
  const forget = pendingCallers.onExecution(flight, (id) => recordServed(deps, run, id));
  return joined.finally(forget);
}

/**
 * Failures of a stored table after which source data may succeed: excludes callers' errors, and a busy or unavailable
 * engine.
 */
const tableFaults: ReadonlySet<ErrorCode> = new Set([
  'query_failed',
  'invalid_query',
  'query_timeout',
  'query_memory_limit',
]);

function isTableFault(error: unknown): boolean {
  return error instanceof ServiceError && tableFaults.has(error.code);
}

/** The table may have been dropped since the lookup, so the next run reads the metadata again. */
function forgetTable(deps: RunDeps, { endpoint, version }: Selected, error: unknown): void {
  const { projectId, name } = endpoint;
  deps.metrics.materializedFallbacks.add({ project: String(projectId) });
  deps.log.warn(
    { err: error, projectId, endpoint: name, version: version.version },
    'a stored table could not be read; the run used source data',
  );
  deps.lookups.endpoints.expire(endpointKey(projectId, name));
  deps.lookups.versions.expire(`${endpoint.id}/${version.version}`);
}
