import type { RunLimits } from '../access/effective-limits.ts';
import { endpointKey } from '../cache/lookups.ts';
import type { CachedResult } from '../cache/result-cache.ts';
import type { Selected } from '../endpoints/resolve-version.ts';
import { type ErrorCode, resultTooLarge, ServiceError } from '../errors/service-error.ts';
import { resultMarginBytes } from '../model/query-limits.ts';
import type { RunDeps } from './deps.ts';
import { type ExecutionCall, execute } from './execute.ts';
import { executeStream } from './execute-stream.ts';
import { type StaleReason, staleForMs } from './freshness.ts';
import type { RunPlan } from './run-plan.ts';
import type { ComputedResult } from './run-stream.ts';

/** A run before it is decided which path answers it. */
export type Run = Omit<ExecutionCall, 'plan'> & { readonly signal: AbortSignal | undefined };

export interface Answered {
  readonly plan: RunPlan;
  readonly result: ComputedResult;
  readonly isCached: boolean;
  /** Why a result answers that is past being fresh; null: it is fresh. */
  readonly staleReason: StaleReason | null;
}

/** What a run may be answered by. */
export interface Plans {
  readonly planned: RunPlan;
  /** On source data, for when the stored table fails. */
  readonly fallback: () => RunPlan;
  /** On a stored table that is too old to answer by right; null when there is none. */
  readonly staleRead: () => RunPlan | null;
}

/** By the plan; and when the stored table fails, once more on source data. */
export async function answerByPlan(
  deps: RunDeps,
  run: Run,
  { planned, fallback }: Pick<Plans, 'planned' | 'fallback'>,
): Promise<Answered> {
  try {
    return await answerBy(deps, run, planned);
  } catch (error) {
    if (planned.servedFrom === 'inline' || !isFaultOfTable(error)) throw error;
    forgetTable(deps, run, error);
    return answerBy(deps, run, fallback());
  }
}

/** By a kept result that is fresh, else by the engine. */
export async function answerBy(deps: RunDeps, run: Run, plan: RunPlan): Promise<Answered> {
  const fresh = answerFresh(deps, run, { plan, now: deps.clock.now() });
  if (fresh !== null) return fresh;
  const { signal, ...call } = run;
  const result = await compute(deps, { ...call, plan }, signal);
  return { plan, result, isCached: false, staleReason: null };
}

/** By the engine, in an execution that nobody else has a part in. */
export async function answerAlone(deps: RunDeps, run: Run, plan: RunPlan): Promise<Answered> {
  const { signal = new AbortController().signal, ...call } = run;
  const onStart = (executionId: string) => noteServed(deps, run, executionId);
  await deps.rates.take(run.principal, run.endpoint.projectId);
  const result = await executeStream(deps, { ...call, plan }, signal, onStart);
  return { plan, result, isCached: false, staleReason: null };
}

/** What an answer by a kept result takes to know of its run. */
type KeptFor = Pick<Run, 'request' | 'endpoint' | 'principal' | 'limits'>;

/**
 * By a kept result that is fresh; null when there is none, or the run wants none. Throws `throttled` and
 * `query_too_large`.
 */
export function answerFresh(
  deps: RunDeps,
  run: KeptFor,
  { plan, now }: { readonly plan: RunPlan; readonly now: Date },
): Answered | null {
  const fresh = plan.readsCache ? findKept(deps, plan, { staleSeconds: 0, now }) : null;
  if (fresh === null) return null;
  takeKept(deps, run, fresh);
  return { plan, result: fresh, isCached: true, staleReason: null };
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
function forgetTable(deps: RunDeps, { endpoint, version }: Selected, error: unknown): void {
  const { projectId, name } = endpoint;
  deps.metrics.materializedFallbacks.add({ project: String(projectId) });
  deps.log.warn(
    { err: error, projectId, endpoint: name, version: version.version },
    'a stored table could not be read; the run was answered inline',
  );
  deps.lookups.endpoints.invalidate(endpointKey(projectId, name));
  deps.lookups.versions.invalidate(`${endpoint.id}/${version.version}`);
}

/** What is kept for the plan, unless it is past being fresh for as long as `staleSeconds` or longer. */
export function findKept(
  deps: RunDeps,
  plan: RunPlan,
  { staleSeconds, now }: { readonly staleSeconds: number; readonly now: Date },
): CachedResult | null {
  const kept = deps.results.get(plan.cacheKey);
  if (kept === undefined) return null;
  return staleForMs(plan, kept.computedAt, now) < staleSeconds * 1000 ? kept : null;
}

/**
 * Identical runs that arrive together are one execution; a forced run joins only forced ones. Joining one
 * waits for nothing, so it is counted as a cached response is.
 */
async function compute(
  deps: RunDeps,
  call: ExecutionCall,
  signal: AbortSignal | undefined,
): Promise<ComputedResult> {
  const ask = call.request.format === 'json' ? execute : executeStream;
  const flight = `${call.request.refresh}:${limitsTag(call.limits)}:${call.plan.cacheKey}`;
  const { principal, endpoint } = call;
  if (deps.flights.has(flight)) deps.rates.takeNow(principal, endpoint.projectId);
  else await deps.rates.take(principal, endpoint.projectId);
  const result = deps.flights.join(
    flight,
    (aborted) =>
      deps.pendingCallers.runFlight(flight, (onStart) => ask(deps, call, aborted, onStart)),
    signal,
  );
  noteServed(deps, call, deps.pendingCallers.executionOfFlight(flight));
  return result;
}

/** Runs that may take different amounts of the engine are not one execution: what ends one must not end the other. */
function limitsTag({ key }: RunLimits): string {
  return `${key.executionSeconds}/${key.memoryBytes}/${key.resultBytes}`;
}

/** Answers by a kept result, within what the caller may still have of them and may have in size. */
export function takeKept(deps: RunDeps, run: KeptFor, kept: CachedResult): void {
  deps.rates.takeNow(run.principal, run.endpoint.projectId);
  if (kept.rows.length > run.limits.key.resultBytes + resultMarginBytes) throw resultTooLarge();
  noteServed(deps, run, kept.executionId);
}

/** So that the status of the run is found by the caller's own id, whoever's execution answers it. */
function noteServed(
  deps: RunDeps,
  { request, endpoint }: Pick<ExecutionCall, 'request' | 'endpoint'>,
  executionId: string | undefined,
): void {
  if (request.clientQueryId === null || executionId === undefined) return;
  deps.pendingCallers.serves(endpoint.projectId, request.clientQueryId, executionId);
}
