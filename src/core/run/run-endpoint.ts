import { ServiceError, toServiceError } from '../../domain/errors.ts';
import { type Principal, requireProject, requireScope } from '../../domain/principal.ts';
import { planInline, planRun } from '../../domain/run-plan.ts';
import { parseRunInput, type RunInput, type RunRequest } from '../../domain/run-request.ts';
import type { ValueForm } from '../../domain/variables.ts';
import type { CoreDeps } from '../deps.ts';
import { answerByPlan } from './answer-by-plan.ts';
import type { Door } from './execute.ts';
import { runPlanInput } from './plan-run.ts';
import { type RunAnswer, toRunAnswer } from './run-answer.ts';
import { selectRunnable } from './select-version.ts';

/** One run as a door hands it over. */
export interface RunCall {
  readonly projectId: string;
  readonly name: string;
  readonly input: RunInput;
  readonly valueForm: ValueForm;
  readonly door: Door;
  /** Aborted when the caller goes away. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Runs a saved query: from the cache when a result is fresh enough, else by the engine, once for all who
 * ask for the same at the same time. The only way to run, for both doors.
 */
export async function runEndpoint(
  deps: CoreDeps,
  principal: Principal,
  call: RunCall,
): Promise<RunAnswer> {
  requireScope(principal, 'endpoint:read');
  const projectId = requireProject(principal, call.projectId);
  const request = parseRunInput(call.input, deps.config.maxRows);
  const { clientQueryId } = request;
  if (clientQueryId === null) return answerRun(deps, { ...call, principal, projectId, request });
  const waiter = { projectId, clientQueryId, keyId: principal.keyId, signal: call.signal };
  return deps.waiters.during(waiter, (signal) =>
    answerRun(deps, { ...call, principal, projectId, request, signal }),
  );
}

/** A run whose caller is known and whose request is read. */
interface ReadyCall extends Omit<RunCall, 'projectId'> {
  readonly principal: Principal;
  readonly projectId: number;
  readonly request: RunRequest;
}

async function answerRun(deps: CoreDeps, call: ReadyCall): Promise<RunAnswer> {
  const { principal, projectId, request, door, signal } = call;
  const startedAt = deps.clock.now();
  const selected = await selectRunnable(deps, projectId, {
    name: call.name,
    version: request.version,
  });
  const input = runPlanInput(deps, selected, { request, form: call.valueForm });
  const planned = planRun(input);
  const began = { projectId, startedAt };
  deps.recorder.touchEndpoint(selected.endpoint.id, startedAt);
  try {
    const run = { ...selected, principal, request, door, signal };
    const fallback = () => planInline(input, 'failed');
    const answered = await answerByPlan(deps, run, { planned, fallback });
    const { plan, isCached } = answered;
    observe(deps, { ...began, served: isCached ? 'cache' : plan.servedFrom, outcome: 'ok' });
    return toRunAnswer({
      ...selected,
      ...answered,
      request,
      cacheAgeSeconds: selected.version.cacheAgeSeconds ?? deps.config.defaultCacheAgeSeconds,
      startedAt,
      now: deps.clock.now(),
    });
  } catch (error) {
    const failure = signal?.aborted === true ? callerLeft(signal) : toServiceError(error);
    observe(deps, { ...began, served: planned.servedFrom, outcome: failure.code });
    throw failure;
  }
}

/** Keeps a caller's leaving, or being sent away, apart from our own faults in the log and the metrics. */
function callerLeft({ reason }: AbortSignal): ServiceError {
  if (reason instanceof ServiceError) return reason;
  return new ServiceError('query_cancelled', 'The caller went away before the run was answered.');
}

function observe(
  deps: CoreDeps,
  run: {
    readonly projectId: number;
    readonly served: string;
    readonly outcome: string;
    readonly startedAt: Date;
  },
): void {
  deps.metrics.runs.add({ project: String(run.projectId), path: run.served, outcome: run.outcome });
  const seconds = (deps.clock.now().getTime() - run.startedAt.getTime()) / 1000;
  deps.metrics.runSeconds.observe({ path: run.served }, seconds);
}
