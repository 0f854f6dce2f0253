import { type RunLimits, runLimits } from '../access/effective-limits.ts';
import { type Principal, requireProject, requireScope } from '../access/principal.ts';
import { type Selected, selectRunnable } from '../endpoints/resolve-version.ts';
import { ServiceError, toServiceError } from '../errors/service-error.ts';
import { andThen, type MaybePromise } from '../lib/maybe-promise.ts';
import type { ValueSource } from '../query/variables.ts';
import { cachedResponse } from './cached-response.ts';
import { type Answered, answerAlone, answerFresh, type Plans, type Run } from './compute.ts';
import type { RunDeps } from './deps.ts';
import type { ApiInterface } from './execute.ts';
import { type PlannedRun, plannedRun, readRequest } from './prepared-runs.ts';
import { planInline, planStaleRead } from './run-plan.ts';
import type { RunInput, RunRequest } from './run-request.ts';
import { type RunResponse, toRunResponse } from './run-response.ts';
import type { RunStream } from './run-stream.ts';
import { answerWithin } from './serve-stale.ts';

/** One run as a door hands it over. */
export interface RunCall {
  readonly projectId: string;
  readonly name: string;
  readonly input: RunInput;
  readonly valueSource: ValueSource;
  readonly via: ApiInterface;
  /** Its signal is aborted when the caller goes away; it is read when something has to be waited for. */
  readonly caller: { readonly signal: AbortSignal | undefined };
}

/**
 * Runs a saved query: from the cache when a result is fresh enough, else by the engine, once for all who
 * ask for the same at the same time. The only way to run, for both doors. What the look-ups and the cache have at
 * hand is answered at once, without a promise.
 */
export function runEndpoint(
  deps: RunDeps,
  principal: Principal,
  call: RunCall,
): MaybePromise<RunResponse> {
  requireScope(principal, 'endpoint:read');
  const projectId = requireProject(principal, call.projectId);
  const request = readRequest(call.input, deps.config.maxRows);
  const { clientQueryId } = request;
  const ready = { call, principal, projectId, request };
  if (clientQueryId === null) return answerRun(deps, ready);
  const waiter = { projectId, clientQueryId, keyId: principal.keyId, signal: call.caller.signal };
  return deps.pendingCallers.during(waiter, async (signal) =>
    answerRun(deps, { ...ready, call: { ...call, caller: { signal } } }),
  );
}

/** A run whose caller is known and whose request is read. */
interface ReadyCall {
  readonly call: RunCall;
  readonly principal: Principal;
  readonly projectId: number;
  readonly request: RunRequest;
}

function answerRun(deps: RunDeps, ready: ReadyCall): MaybePromise<RunResponse> {
  const startedAt = deps.clock.now();
  const { call, principal, projectId } = ready;
  const wanted = { name: call.name, version: ready.request.version, now: startedAt };
  const found = selectRunnable(deps, projectId, wanted);
  return andThen(found, (selected) => {
    const limits = runLimits(deps.serverLimits, selected.endpoint.projectLimits, principal);
    const request = withinRows(ready.request, limits);
    const now = found instanceof Promise ? deps.clock.now() : startedAt;
    const planned = plannedRun(deps, selected, { request, form: call.valueSource, now });
    deps.recorder.recordEndpointUse(selected.endpoint.id, startedAt);
    const chosen = { call, principal, projectId, request, limits, selected, planned, startedAt };
    return answerNow(deps, chosen, now) ?? computeAnswer(deps, chosen);
  });
}

type WithRows = Answered & { readonly stream: RunStream | null };

/** A run of which is known what it runs, and how it is meant to be answered. */
interface Chosen extends ReadyCall {
  readonly selected: Selected;
  readonly limits: RunLimits;
  readonly planned: PlannedRun;
  readonly startedAt: Date;
}

/** By a fresh result; null when there is none. One that may not be taken is refused, and counted as any failure is. */
function answerNow(deps: RunDeps, chosen: Chosen, now: Date): RunResponse | null {
  const { principal, limits, request, selected, planned, startedAt } = chosen;
  const { endpoint, version } = selected;
  const { plan } = planned;
  try {
    const fresh = answerFresh(deps, { principal, limits, request, endpoint }, { plan, now });
    if (fresh === null) return null;
    const { result } = fresh;
    const asked = { endpoint, version, request, plan, result, startedAt, now };
    const { answer, runs, runSeconds } = cachedResponse(deps.metrics, asked);
    runs.add(1);
    runSeconds.observe((deps.clock.now().getTime() - startedAt.getTime()) / 1000);
    return answer;
  } catch (error) {
    throw failed(deps, chosen, error);
  }
}

async function computeAnswer(deps: RunDeps, chosen: Chosen): Promise<RunResponse> {
  const { call, principal, limits, request, selected, planned } = chosen;
  const { via } = call;
  const { signal } = call.caller;
  const { input, plan } = planned;
  try {
    const run = { ...selected, principal, limits, request, via, signal };
    const answered = await withItsRows(deps, run, {
      planned: plan,
      fallback: () => planInline(input, 'failed'),
      staleRead: () => planStaleRead(input),
    });
    return finish(deps, chosen, answered);
  } catch (error) {
    throw failed(deps, chosen, signal?.aborted === true ? callerLeft(signal) : error);
  }
}

function failed(deps: RunDeps, chosen: Chosen, error: unknown): ServiceError {
  const failure = toServiceError(error);
  const served = chosen.planned.plan.servedFrom;
  observe(deps, chosen, { served, outcome: failure.code, now: deps.clock.now() });
  return failure;
}

/** A stream is counted when it has ended. */
function finish(deps: RunDeps, chosen: Chosen, answered: WithRows): RunResponse {
  const { selected, request, startedAt } = chosen;
  const now = deps.clock.now();
  const served = answered.isCached ? 'cache' : answered.plan.servedFrom;
  const { stream } = answered;
  const end = (outcome: string) =>
    observe(deps, chosen, { served, outcome, now: deps.clock.now() });
  if (stream === null) end('ok');
  else void stream.outcome.then(end);
  return toRunResponse({ ...selected, ...answered, request, startedAt, now });
}

/**
 * The answer, with the rows of a result that is too large to be held. Of callers who waited for the same one has
 * them, and the others compute their own, each for itself.
 */
async function withItsRows(deps: RunDeps, run: Run, plans: Plans): Promise<WithRows> {
  const first = await answerWithin(deps, run, plans);
  const { large } = first.result;
  if (large === undefined) return { ...first, stream: null };
  const stream = large.take(run.signal);
  if (stream !== null) return { ...first, stream };
  const own = await answerAlone(deps, run, first.plan);
  return { ...own, stream: own.result.large?.take(run.signal) ?? null };
}

/** A higher limit is lowered, and the answer says so. The server's maximum is for what is held in memory. */
function withinRows(request: RunRequest, { key, own }: RunLimits): RunRequest {
  const most = request.format === 'json' ? key.resultRows : own.resultRows;
  return most === undefined || request.limit <= most ? request : { ...request, limit: most };
}

/** Keeps a caller's leaving, or being sent away, apart from our own faults in the log and the metrics. */
function callerLeft({ reason }: AbortSignal): ServiceError {
  if (reason instanceof ServiceError) return reason;
  return new ServiceError('query_cancelled', 'The caller went away before the run was answered.');
}

function observe(
  deps: RunDeps,
  { projectId, startedAt }: Chosen,
  run: { readonly served: string; readonly outcome: string; readonly now: Date },
): void {
  deps.metrics.runs.add({ project: String(projectId), path: run.served, outcome: run.outcome });
  const seconds = (run.now.getTime() - startedAt.getTime()) / 1000;
  deps.metrics.runSeconds.observe({ path: run.served }, seconds);
}
