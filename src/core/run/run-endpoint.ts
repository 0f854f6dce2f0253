import type { CachedResult } from '../../cache/result-cache.ts';
import { type CompiledQuery, compileQuery, hasFilters } from '../../domain/compile-query.ts';
import { invalidInput, ServiceError, toServiceError } from '../../domain/errors.ts';
import { parseFilters } from '../../domain/filters.ts';
import { type Principal, requireProject, requireScope } from '../../domain/principal.ts';
import {
  type ParsedQuery,
  parseQuery,
  type QueryDefinition,
} from '../../domain/query-definition.ts';
import { planRun, type RunPlan } from '../../domain/run-plan.ts';
import { parseRunInput, type RunInput, type RunRequest } from '../../domain/run-request.ts';
import { requireWellFormedJson } from '../../domain/storable-text.ts';
import { bindVariables, type ValueForm } from '../../domain/variables.ts';
import type { VersionRecord } from '../../store/endpoint-record.ts';
import type { CoreDeps } from '../deps.ts';
import { type Door, execute } from './execute.ts';
import { type RunAnswer, toRunAnswer } from './run-answer.ts';
import { type Selected, selectRunnable } from './select-version.ts';

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
  const { principal, projectId, request } = call;
  const startedAt = deps.clock.now();
  const selected = await selectRunnable(deps, projectId, {
    name: call.name,
    version: request.version,
  });
  const plan = plannedRun(deps, selected, request, call.valueForm);
  const fresh = findFresh(deps, plan);
  const served = fresh === null ? plan.servedFrom : 'cache';
  deps.recorder.touchEndpoint(selected.endpoint.id, startedAt);
  noteServed(deps, { request, endpoint: selected.endpoint }, fresh?.executionId);
  try {
    const result =
      fresh ??
      (await compute(
        deps,
        { ...selected, principal, request, plan, door: call.door },
        call.signal,
      ));
    observe(deps, { projectId, served, outcome: 'ok', startedAt });
    return toRunAnswer({
      ...selected,
      request,
      plan,
      result,
      isCached: fresh !== null,
      cacheAgeSeconds: selected.version.cacheAgeSeconds ?? deps.config.defaultCacheAgeSeconds,
      startedAt,
      now: deps.clock.now(),
    });
  } catch (error) {
    const failure = call.signal?.aborted === true ? callerLeft(call.signal) : toServiceError(error);
    observe(deps, { projectId, served, outcome: failure.code, startedAt });
    throw failure;
  }
}

/** Keeps a caller's leaving, or being sent away, apart from our own faults in the log and the metrics. */
function callerLeft({ reason }: AbortSignal): ServiceError {
  if (reason instanceof ServiceError) return reason;
  return new ServiceError('query_cancelled', 'The caller went away before the run was answered.');
}

function plannedRun(
  deps: CoreDeps,
  { endpoint, version }: Selected,
  request: RunRequest,
  form: ValueForm,
): RunPlan {
  const query = parsedQueryOf(version);
  return planRun({
    projectId: endpoint.projectId,
    version: {
      id: version.id,
      cacheAgeSeconds: version.cacheAgeSeconds,
      materialized: version.materialization.enabled,
    },
    request,
    compiled: compileRun(deps, query, request, form),
    defaultCacheAgeSeconds: deps.config.defaultCacheAgeSeconds,
  });
}

function compileRun(
  deps: CoreDeps,
  query: ParsedQuery,
  request: RunRequest,
  form: ValueForm,
): CompiledQuery {
  requireWellFormedJson(request.variables, 'variables');
  const bound = bindVariables(query, request.variables, form);
  if (request.filtersOverride === null) return compileQuery(query, bound, null);
  if (!hasFilters(query)) {
    throw invalidInput(
      'filters_override',
      'filters_override is not allowed: this query has no {filters} placeholder. Use variables.',
    );
  }
  return compileQuery(query, bound, parseFilters(request.filtersOverride, deps.clock.now()));
}

const parsedQueries = new WeakMap<VersionRecord, ParsedQuery>();

/** The version's query, read once for each record that a look-up holds. */
export function parsedQueryOf(version: VersionRecord): ParsedQuery {
  const known = parsedQueries.get(version);
  if (known !== undefined) return known;
  const parsed = parseQuery(version.query as unknown as QueryDefinition);
  parsedQueries.set(version, parsed);
  return parsed;
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
  call: Parameters<typeof execute>[1],
  signal: AbortSignal | undefined,
): Promise<CachedResult> {
  const flight = `${call.request.refresh}:${call.plan.cacheKey}`;
  const result = deps.flights.join(
    flight,
    (aborted) =>
      execute(deps, call, aborted, (executionId) =>
        executionOfFlight.set(flight, executionId),
      ).finally(() => executionOfFlight.delete(flight)),
    signal,
  );
  noteServed(deps, call, executionOfFlight.get(flight));
  return result;
}

/** By flight, while it is under way: callers who join it have no execution of their own. */
const executionOfFlight = new Map<string, string>();

/** So that the status of the run is found by the caller's own id, whoever's execution answers it. */
function noteServed(
  deps: CoreDeps,
  { request, endpoint }: Pick<Parameters<typeof execute>[1], 'request' | 'endpoint'>,
  executionId: string | undefined,
): void {
  if (request.clientQueryId === null || executionId === undefined) return;
  deps.waiters.serves(endpoint.projectId, request.clientQueryId, executionId);
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
