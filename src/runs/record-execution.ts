import { isEndpointName } from '../endpoints/endpoint-name.ts';
import { originOf as originOfVersion } from '../endpoints/origin.ts';
import type { Selected } from '../endpoints/resolve-version.ts';
import type { EngineStats } from '../engine/engine-stats.ts';
import type { ExecutionOrigin } from '../engine/execution-origin.ts';
import type { EngineQuery } from '../engine/query-engine.ts';
import type { ServiceError } from '../errors/service-error.ts';
import type { EngineUse, LateWork } from '../model/usage.ts';
import type { ExecutionRecord } from '../store/execution-store.ts';
import type { EndedExecution } from '../usage/logged-work.ts';
import { countExecution, type EndedWork } from './count-usage.ts';
import type { RunDeps } from './deps.ts';
import type { PlannedRun, RunPlan } from './run-plan.ts';
import { isUnsaved } from './unsaved-query.ts';
import { shapesOf } from './variable-shapes.ts';

/** The query of one execution, and its caller. */
export interface ExecutionCall extends Omit<PlannedRun, 'plans' | 'signal'> {
  readonly plan: RunPlan;
}

/** The origin of its requests to the engine. */
export function originOf(selected: Selected): ExecutionOrigin {
  const origin = originOfVersion(selected);
  return isUnsaved(selected.endpoint) ? { ...origin, version: null } : origin;
}

/** A text that was never checked before is reported like one that is being saved. */
export function faultOf({ endpoint }: Selected): NonNullable<EngineQuery['fault']> {
  return isUnsaved(endpoint) ? 'invalid_query' : 'query_failed';
}

export function startExecution(deps: RunDeps, call: ExecutionCall, id: string): ExecutionRecord {
  const now = deps.clock.now();
  return {
    id,
    projectId: call.endpoint.projectId,
    endpointId: isEndpointName(call.endpoint.name) ? call.endpoint.id : null,
    endpointName: call.endpoint.name,
    version: call.version.version,
    clientQueryId: call.request.clientQueryId,
    apiKeyId: call.principal.keyId,
    door: call.via,
    servedFrom: call.plan.servedFrom,
    format: call.request.format,
    startTime: now,
    endTime: null,
    errorCode: null,
    errorMessage: null,
    resultRows: 0n,
    resultBytes: 0n,
    rowsRead: 0n,
    bytesRead: 0n,
    rowsTotal: 0n,
    timeElapsed: 0,
    processorMicros: null,
    variables: shapesOf(call.request.variables, call.endpoint.recordsValues),
    inlineReason: inlineReasonOf(call.plan),
    cacheReason: cacheReasonOf(deps, call),
    plan: null,
  };
}

/** Why it does not read a stored table. */
function inlineReasonOf({ servedFrom, inlineReason }: RunPlan): string | null {
  return servedFrom === 'materialized' ? null : (inlineReason ?? 'not_materialized');
}

/** Why the run was not served from the cache. */
function cacheReasonOf(deps: RunDeps, { endpoint, plan }: ExecutionCall): string {
  if (isUnsaved(endpoint)) return 'unsaved';
  if (!plan.readsCache) return 'bypassed';
  return deps.results.get(plan.cacheKey) === undefined ? 'absent' : 'expired';
}

/** What it has read by then is known later, from the engine's log, unless the engine has reported it. */
export function failExecution(
  started: ExecutionRecord,
  { code, message }: ServiceError,
  endTime: Date,
): ExecutionRecord {
  const { startTime, timeElapsed: reported } = started;
  const timeElapsed = reported || (endTime.getTime() - startTime.getTime()) / 1000;
  return { ...started, endTime, timeElapsed, errorCode: code, errorMessage: message };
}

/** The outcome of one execution. */
export interface EngineWork {
  readonly rowCount: number;
  /** Size of the rows as sent. */
  readonly bytes: number;
  readonly stats: EngineStats;
}

export function completeExecution(
  started: ExecutionRecord,
  result: EngineWork,
  endTime: Date,
): ExecutionRecord {
  return {
    ...started,
    endTime,
    resultRows: BigInt(result.rowCount),
    resultBytes: BigInt(result.bytes),
    rowsRead: BigInt(result.stats.rowsRead),
    bytesRead: BigInt(result.stats.bytesRead),
    rowsTotal: BigInt(result.stats.rowsTotal),
    timeElapsed: result.stats.timeElapsed,
  };
}

/** For an execution that succeeded, or failed after reading this much. */
export function countEngineWork(
  deps: RunDeps,
  call: ExecutionCall,
  work: EndedWork & { readonly stats: EngineStats },
): void {
  countExecution(deps, call, work);
  countReads(deps, call.endpoint.projectId, work.stats);
}

function countReads(
  { metrics }: Pick<RunDeps, 'metrics'>,
  projectId: number,
  { rowsRead, bytesRead }: EngineUse,
): void {
  const labels = { project: String(projectId) };
  metrics.engineRowsRead.add(labels, rowsRead);
  metrics.engineBytesRead.add(labels, bytesRead);
}

/** Adds what the engine's log says of an ended execution. */
export function recordLateWork(
  deps: Pick<RunDeps, 'metrics' | 'recorder'>,
  { id, of }: EndedExecution,
  work: LateWork,
): void {
  deps.recorder.recordLateWork(id, work);
  if (work.read !== null) countReads(deps, of.projectId, work.read);
}

/** Makes the run's status available under the caller's own id, whichever execution served it. */
export function recordServed(
  deps: RunDeps,
  { request, endpoint }: Pick<ExecutionCall, 'request' | 'endpoint'>,
  executionId: string | undefined,
): void {
  if (request.clientQueryId === null || executionId === undefined) return;
  deps.pendingCallers.noteExecution(endpoint.projectId, request.clientQueryId, executionId);
}
