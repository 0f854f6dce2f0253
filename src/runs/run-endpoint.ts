import { type RunLimits, runLimits } from '../access/effective-limits.ts';
import { type Principal, requireProject, requireScope } from '../access/principal.ts';
import type { CachedResult } from '../cache/result-cache.ts';
import { isUsageEndpoint } from '../endpoints/built-in/usage-endpoint.ts';
import { isEndpointName } from '../endpoints/endpoint-name.ts';
import { requireRunnable, type Selected, selectVersion } from '../endpoints/resolve-version.ts';
import { ServiceError, toServiceError } from '../errors/service-error.ts';
import { currentFacts } from '../http/request-facts.ts';
import { andThen, type MaybePromise } from '../lib/maybe-promise.ts';
import { okOutcome } from '../model/usage.ts';
import type { EndpointRecord } from '../store/endpoint-record.ts';
import { computeAlone, type ServedResult } from './compute.ts';
import { countEnd, type EndedRun, noResult, sizeOf } from './count-usage.ts';
import type { RunDeps } from './deps.ts';
import { fillRequested } from './fill-filters.ts';
import type { PreparedRun } from './prepared-runs.ts';
import { isWithin, readCache, takeCached } from './read-cache.ts';
import type { PlannedRun, RunPlans } from './run-plan.ts';
import { type RunResponse, toRunResponse } from './run-response.ts';
import type { RunStream } from './run-stream.ts';
import { serve } from './serve-stale.ts';
import { withinRunSpan } from './trace-run.ts';
import { requireUsageReadable } from './usage-rows.ts';

/**
 * The caller of a run. The signal is aborted when the caller leaves; it is read only when something has to be awaited.
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
  const work = () =>
    whileFound(deps, { run, principal, projectId, caller, endpoint }, (call) =>
      resolveAndRun(deps, call),
    );
  const { tracer } = deps;
  return tracer === null ? work() : withinRunSpan(tracer, { call: run.call, projectId }, work);
}

interface EndpointCall {
  readonly run: PreparedRun;
  readonly caller: RunCaller;
  /** The endpoint that the caller has just looked up; absent to look it up here. */
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

/** Does the work; until it ends, a run with a client query id can be found and cancelled by it. */
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
  const startedMs = deps.nowMs();
  const { run, projectId, endpoint } = call;
  const wanted = { name: run.call.name, version: run.request.version, now: startedAt, endpoint };
  const facts = currentFacts();
  facts?.noteRun(projectId, wanted);
  const resolved = selectVersion(deps, projectId, wanted);
  return andThen(resolved, (selected) => {
    if (facts !== null) facts.version = selected.version.version;
    const now = resolved instanceof Promise ? deps.clock.now() : startedAt;
    return runSelected(deps, call, { selected, startedAt, startedMs, now });
  });
}

interface StartedRun {
  readonly selected: Selected;
  readonly startedAt: Date;
  /** The same by the monotonic clock. */
  readonly startedMs: number;
  readonly now: Date;
}

/** Plans the run of a version and serves it. */
export function runSelected(
  deps: RunDeps,
  allowed: AllowedCall,
  started: StartedRun,
): MaybePromise<RunResponse> {
  const { endpoint } = started.selected;
  const limits = runLimits(deps.serverLimits, endpoint.projectLimits, allowed.principal);
  const planned = planSelected(deps, allowed, started, limits);
  return andThen(planned, (found) => {
    const now = planned instanceof Promise ? deps.clock.now() : started.now;
    return runPlanned(deps, allowed, { ...started, now }, { limits, ...found });
  });
}

interface FoundPlans {
  readonly plans: RunPlans;
  /** Whether the run has been counted against its rate limits. */
  readonly isCounted: boolean;
}

function runPlanned(
  deps: RunDeps,
  { run, principal, caller }: AllowedCall,
  { selected, startedAt, startedMs, now }: StartedRun,
  { limits, plans, isCounted }: FoundPlans & { readonly limits: RunLimits },
): MaybePromise<RunResponse> {
  const { endpoint, version } = selected;
  const { request } = plans;
  const { via, isLive = false } = run.call;
  if (isEndpointName(endpoint.name)) deps.recorder.recordEndpointUse(endpoint.id, startedAt);
  const planned = {
    endpoint,
    version,
    principal,
    limits,
    via,
    isLive,
    request,
    plans,
    isCounted,
    run,
    startedAt,
    startedMs,
  };
  const cached = plans.plan.readsCache ? readCache(deps, plans.plan) : null;
  if (cached !== null && isWithin(plans.plan, cached, { staleSeconds: 0, now }))
    return respondCached(deps, planned, { result: cached, now });
  return computeResponse(deps, { ...planned, caller }, cached);
}

/** A run that is refused here is still counted for its version. */
function planSelected(
  deps: RunDeps,
  { run, principal, caller }: AllowedCall,
  { selected, startedMs, now }: StartedRun,
  limits: RunLimits,
): MaybePromise<FoundPlans> {
  const { signal } = caller;
  const refuse = (error: unknown): never => {
    const failure = signal?.aborted === true ? callerLeft(signal) : error;
    const { code: outcome } = toServiceError(failure);
    const call = { ...selected, ...run.call, principal };
    countEnd(deps, call, { path: 'none', outcome, size: noResult, startedMs });
    throw failure;
  };
  const { request, call } = run;
  const { valueSource, isLive = false } = call;
  try {
    requireRunnable(selected);
    const fill = () => {
      const count = () => deps.rates.take(principal, selected.endpoint.projectId);
      const filtered = { ...selected, request, valueSource, principal, limits, now };
      return fillRequested(deps, { ...filtered, signal, count });
    };
    const filled = request.filtersOverride === null ? null : fill();
    const found = andThen(filled, (filters) => {
      const plans = run.plan(selected, limits, now, filters);
      if (isUsageEndpoint(selected.endpoint)) requireUsageReadable(principal, { ...plans, isLive });
      return { plans, isCounted: filters?.isCounted ?? false };
    });
    return found instanceof Promise ? found.catch(refuse) : found;
  } catch (error) {
    return refuse(error);
  }
}

interface PlannedCall extends Omit<PlannedRun, 'signal'> {
  readonly run: PreparedRun;
  readonly startedAt: Date;
  readonly startedMs: number;
}

/** A result above this caller's limits is refused, which metrics count as a failure. */
function respondCached(
  deps: RunDeps,
  call: PlannedCall,
  cached: { readonly result: CachedResult; readonly now: Date },
): RunResponse {
  const { endpoint, version, plans, startedAt, startedMs } = call;
  const { result, now } = cached;
  try {
    takeCached(deps, call, result);
    const served = { endpoint, version, plans, result, startedAt, now };
    const { response, runs, runSeconds, usage } = call.run.response(served);
    const ms = deps.nowMs() - startedMs;
    runs.add(1);
    runSeconds.observe(ms / 1000);
    usage.addRun(call.principal.keyId, now.getTime(), ms);
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
  const { endpoint, version, principal, limits, via, isLive, request, plans, isCounted } = call;
  const { signal } = call.caller;
  try {
    const of = { endpoint, version, principal, limits, via, isLive, request, plans, isCounted };
    const run = { ...of, signal };
    return respondComputed(deps, call, await withRows(deps, run, cached));
  } catch (error) {
    throw recordFailure(deps, call, signal?.aborted === true ? callerLeft(signal) : error);
  }
}

type WithRows = ServedResult & { readonly stream: RunStream | null };

/**
 * The result, with its stream if it is too large to be held in memory. Of several callers waiting for such a result one
 * gets the stream, and each of the others computes its own.
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
  const { stream } = served;
  if (stream === null)
    recordRun(deps, call, { path, outcome: okOutcome, size: sizeOf(served.result) });
  else
    void stream.outcome.then((outcome) =>
      recordRun(deps, call, { path, outcome, size: stream.sent() }),
    );
  const isShared = served.isCached && !request.debug;
  return toRunResponse({ endpoint, version, ...served, request, startedAt, now, isShared });
}

/** Distinguishes a caller that left, or whose run was cancelled, from internal errors in the log and the metrics. */
function callerLeft({ reason }: AbortSignal): ServiceError {
  if (reason instanceof ServiceError) return reason;
  return new ServiceError('query_cancelled', 'The caller went away before the run was answered.');
}

function recordFailure(deps: RunDeps, call: PlannedCall, error: unknown): ServiceError {
  const failure = toServiceError(error);
  const path = call.plans.plan.servedFrom;
  recordRun(deps, call, { path, outcome: failure.code, size: noResult });
  return failure;
}

function recordRun(
  deps: RunDeps,
  call: PlannedCall,
  { path, outcome, size }: Omit<EndedRun, 'startedMs'>,
): void {
  const { startedMs } = call;
  deps.metrics.runs.add({ project: String(call.endpoint.projectId), path, outcome });
  deps.metrics.runSeconds.observe({ path }, (deps.nowMs() - startedMs) / 1000);
  countEnd(deps, call, { path, outcome, size, startedMs });
}
