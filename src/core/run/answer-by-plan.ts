import type { CachedResult } from '../../cache/result-cache.ts';
import { type ErrorCode, ServiceError } from '../../domain/errors.ts';
import type { RunPlan } from '../../domain/run-plan.ts';
import { type CoreDeps, endpointKey } from '../deps.ts';
import { type ExecutionCall, execute } from './execute.ts';
import type { Selected } from './select-version.ts';

/** A run before it is decided which path answers it. */
export type Run = Omit<ExecutionCall, 'plan'> & { readonly signal: AbortSignal | undefined };

export interface Answered {
  readonly plan: RunPlan;
  readonly result: CachedResult;
  readonly isCached: boolean;
}

/** By the plan; and when the stored table fails, once more on source data. */
export async function answerByPlan(
  deps: CoreDeps,
  run: Run,
  { planned, fallback }: { readonly planned: RunPlan; readonly fallback: () => RunPlan },
): Promise<Answered> {
  try {
    return await answerBy(deps, run, planned);
  } catch (error) {
    if (planned.servedFrom === 'inline' || !isFaultOfTable(error)) throw error;
    forgetTable(deps, run, error);
    return answerBy(deps, run, fallback());
  }
}

async function answerBy(deps: CoreDeps, run: Run, plan: RunPlan): Promise<Answered> {
  const fresh = findFresh(deps, plan);
  if (fresh !== null) {
    noteServed(deps, run, fresh.executionId);
    return { plan, result: fresh, isCached: true };
  }
  const { signal, ...call } = run;
  return { plan, result: await compute(deps, { ...call, plan }, signal), isCached: false };
}

/** What may go well on source data: neither a caller's fault nor an engine that has no room or is not there. */
const faultsOfTable: ReadonlySet<ErrorCode> = new Set([
  'query_failed',
  'invalid_query',
  'query_timeout',
  'query_memory_limit',
]);

function isFaultOfTable(error: unknown): boolean {
  return error instanceof ServiceError && faultsOfTable.has(error.code);
}

/** The table may have gone since its name was looked up: the next run asks the records again. */
function forgetTable(deps: CoreDeps, { endpoint, version }: Selected, error: unknown): void {
  const { projectId, name } = endpoint;
  deps.metrics.materializedFallbacks.add({ project: String(projectId) });
  deps.log.warn(
    { err: error, projectId, endpoint: name, version: version.version },
    'a stored table could not be read; the run was answered inline',
  );
  deps.lookups.endpoints.invalidate(endpointKey(projectId, name));
  deps.lookups.versions.invalidate(`${endpoint.id}/${version.version}`);
}

function findFresh(deps: CoreDeps, plan: RunPlan): CachedResult | null {
  if (plan.maxAgeSeconds === null) return null;
  const kept = deps.results.get(plan.cacheKey);
  if (kept === undefined) return null;
  const ageMs = deps.clock.now().getTime() - kept.computedAt.getTime();
  return ageMs >= 0 && ageMs < plan.maxAgeSeconds * 1000 ? kept : null;
}

/** Identical runs that arrive together are one execution; a forced run joins only forced ones. */
function compute(
  deps: CoreDeps,
  call: ExecutionCall,
  signal: AbortSignal | undefined,
): Promise<CachedResult> {
  const flight = `${call.request.refresh}:${call.plan.cacheKey}`;
  const result = deps.flights.join(
    flight,
    (aborted) => deps.waiters.fly(flight, (onStart) => execute(deps, call, aborted, onStart)),
    signal,
  );
  noteServed(deps, call, deps.waiters.executionOfFlight(flight));
  return result;
}

/** So that the status of the run is found by the caller's own id, whoever's execution answers it. */
function noteServed(
  deps: CoreDeps,
  { request, endpoint }: Pick<ExecutionCall, 'request' | 'endpoint'>,
  executionId: string | undefined,
): void {
  if (request.clientQueryId === null || executionId === undefined) return;
  deps.waiters.serves(endpoint.projectId, request.clientQueryId, executionId);
}
