import { runLimits } from '../access/effective-limits.ts';
import { type Principal, requireProject, requireScope } from '../access/principal.ts';
import type { CachedResult } from '../cache/result-cache.ts';
import { type Selected, selectRunnable } from '../endpoints/resolve-version.ts';
import { ServiceError, toServiceError } from '../errors/service-error.ts';
import { currentFacts } from '../http/request-facts.ts';
import { andThen, type MaybePromise } from '../lib/maybe-promise.ts';
import type { EndpointRecord } from '../store/endpoint-record.ts';
import { computeAlone, type ServedResult } from './compute.ts';
import type { RunDeps } from './deps.ts';
import type { PreparedRun } from './prepared-runs.ts';
import { isWithin, readCache, takeCached } from './read-cache.ts';
import type { PlannedRun } from './run-plan.ts';
import { type RunResponse, toRunResponse } from './run-response.ts';
import type { RunStream } from './run-stream.ts';
import { serve } from './serve-stale.ts';
import { isUnsaved } from './unsaved-query.ts';

/**
 * The caller of a run. The signal is aborted when the caller goes away; it is read only when something has to be waited
 * for.
 */
export interface RunCaller {
  readonly signal: AbortSignal | undefined;
}

/**
 * Runs a saved query for both interfaces: from the cache when a result is fresh enough, else at the engine, once for
 * concurrent identical runs. The steps: prepare (done by the interface), resolve, plan, read the cache; on a miss
 * admit, execute, record; then respond. A run that finds everything in memory is returned without a promise.
 */
export function runEndpoint(
  deps: RunDeps,
  principal: Principal,
  { run, caller, endpoint }: EndpointCall,
): MaybePromise<RunResponse> {
  requireScope(principal, 'endpoint:read');
  const projectId = requireProject(principal, run.call.projectId);
  return whileFound(deps, { run, principal, projectId, caller, endpoint }, (call) =>
    resolveAndRun(deps, call),
  );
}

interface EndpointCall {
  readonly run: PreparedRun;
  readonly caller: RunCaller;
  /** The endpoint of that name as the caller has just looked it up; absent: it is looked up. */
  readonly endpoint?: EndpointRecord | undefined;
}

/** A run whose caller is authorized for the project. */
interface AllowedCall {
  readonly run: PreparedRun;
  readonly principal: Principal;
  readonly projectId: number;
  readonly caller: RunCaller;
  readonly endpoint?: EndpointRecord | undefined;
}

/** Does the work; until it ends, a run with a client query id can be found and cancelled by that. */
export function whileFound(
  deps: RunDeps,
  call: AllowedCall,
  work: (call: AllowedCall) => MaybePromise<RunResponse>,
): MaybePromise<RunResponse> {
  const { run, principal, projectId, caller } = call;
  const { clientQueryId } = run.request;
  if (clientQueryId === null) return work(call);
  const pending = { projectId, clientQueryId, keyId: principal.keyId, signal: caller.signal };
  return deps.pendingCallers.during(pending, async (signal) =>
    work({ ...call, caller: { signal } }),
  );
}

function resolveAndRun(deps: RunDeps, call: AllowedCall): MaybePromise<RunResponse> {
  const startedAt = deps.clock.now();
  const { run, projectId, endpoint } = call;
  const wanted = { name: run.call.name, version: run.request.version, now: startedAt, endpoint };
  const facts = currentFacts();
  facts?.noteRun(projectId, wanted);
  const resolved = selectRunnable(deps, projectId, wanted);
  return andThen(resolved, (selected) => {
    if (facts !== null) facts.version = selected.version.version;
    const now = resolved instanceof Promise ? deps.clock.now() : startedAt;
    return runSelected(deps, call, { selected, startedAt, now });
  });
}

/** Plans the run of a version and serves it. */
export function runSelected(
  deps: RunDeps,
  { run, principal, caller }: AllowedCall,
  {
    selected,
    startedAt,
    now,
  }: { readonly selected: Selected; readonly startedAt: Date; readonly now: Date },
): MaybePromise<RunResponse> {
  const { endpoint, version } = selected;
  const limits = runLimits(deps.serverLimits, endpoint.projectLimits, principal);
  const plans = run.plan(selected, limits, now);
  const { request } = plans;
  const { via } = run.call;
  if (!isUnsaved(endpoint)) deps.recorder.recordEndpointUse(endpoint.id, startedAt);
  const planned = { endpoint, version, principal, limits, via, request, plans, run, startedAt };
  const cached = plans.plan.readsCache ? readCache(deps, plans.plan) : null;
  if (cached !== null && isWithin(plans.plan, cached, { staleSeconds: 0, now }))
    return respondCached(deps, planned, { result: cached, now });
  return computeResponse(deps, { ...planned, caller }, cached);
}

interface PlannedCall extends Omit<PlannedRun, 'signal'> {
  readonly run: PreparedRun;
  readonly startedAt: Date;
}

/** A result above this caller's limits is refused, which metrics count as a failure. */
function respondCached(
  deps: RunDeps,
  call: PlannedCall,
  cached: { readonly result: CachedResult; readonly now: Date },
): RunResponse {
  const { endpoint, version, plans, startedAt } = call;
  const { result, now } = cached;
  try {
    takeCached(deps, call, result);
    const served = { endpoint, version, plans, result, startedAt, now };
    const { response, runs, runSeconds } = call.run.response(served);
    runs.add(1);
    runSeconds.observe((deps.clock.now().getTime() - startedAt.getTime()) / 1000);
    return response;
  } catch (error) {
    throw recordFailure(deps, call, error);
  }
}

async function computeResponse(
  deps: RunDeps,
  call: PlannedCall & { readonly caller: RunCaller },
  cached: CachedResult | null,
): Promise<RunResponse> {
  const { endpoint, version, principal, limits, via, request, plans } = call;
  const { signal } = call.caller;
  try {
    const run = { endpoint, version, principal, limits, via, request, plans, signal };
    return respondComputed(deps, call, await withRows(deps, run, cached));
  } catch (error) {
    throw recordFailure(deps, call, signal?.aborted === true ? callerLeft(signal) : error);
  }
}

type WithRows = ServedResult & { readonly stream: RunStream | null };

/**
 * The result, with its stream if it is too large to be held in memory. Of several callers who waited for such a result
 * one gets the stream, and each of the others computes its own.
 */
async function withRows(
  deps: RunDeps,
  run: PlannedRun,
  cached: CachedResult | null,
): Promise<WithRows> {
  const first = await serve(deps, run, cached);
  const { large } = first.result;
  if (large === undefined) return { ...first, stream: null };
  const stream = large.take(run.signal);
  if (stream !== null) return { ...first, stream };
  const own = await computeAlone(deps, run, first.plan);
  return { ...own, stream: own.result.large?.take(run.signal) ?? null };
}

/** A stream is counted when it ends. */
function respondComputed(deps: RunDeps, call: PlannedCall, served: WithRows): RunResponse {
  const { endpoint, version, request, startedAt } = call;
  const now = deps.clock.now();
  const path = served.isCached ? 'cache' : served.plan.servedFrom;
  const end = (outcome: string) => recordRun(deps, call, { path, outcome, now: deps.clock.now() });
  if (served.stream === null) end('ok');
  else void served.stream.outcome.then(end);
  const isShared = served.isCached && !request.debug;
  return toRunResponse({ endpoint, version, ...served, request, startedAt, now, isShared });
}

/** Distinguishes a caller who left, or whose run was cancelled, from internal errors in the log and the metrics. */
function callerLeft({ reason }: AbortSignal): ServiceError {
  if (reason instanceof ServiceError) return reason;
  return new ServiceError('query_cancelled', 'The caller went away before the run was answered.');
}

function recordFailure(deps: RunDeps, call: PlannedCall, error: unknown): ServiceError {
  const failure = toServiceError(error);
  const path = call.plans.plan.servedFrom;
  recordRun(deps, call, { path, outcome: failure.code, now: deps.clock.now() });
  return failure;
}

function recordRun(
  deps: RunDeps,
  { endpoint, startedAt }: PlannedCall,
  { path, outcome, now }: { readonly path: string; readonly outcome: string; readonly now: Date },
): void {
  deps.metrics.runs.add({ project: String(endpoint.projectId), path, outcome });
  deps.metrics.runSeconds.observe({ path }, (now.getTime() - startedAt.getTime()) / 1000);
}
