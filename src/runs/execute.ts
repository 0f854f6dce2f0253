import { createHash } from 'node:crypto';
import type { AdmissionRequest } from '../access/admission/admission.ts';
import type { RunLimits } from '../access/effective-limits.ts';
import type { Principal } from '../access/principal.ts';
import type { CachedResult } from '../cache/result-cache.ts';
import { originOf } from '../endpoints/origin.ts';
import type { Selected } from '../endpoints/resolve-version.ts';
import { withOrigin } from '../engine/execution-origin.ts';
import type { EngineResult, EngineShare, EngineStats } from '../engine/query-engine.ts';
import { type ServiceError, toServiceError } from '../errors/service-error.ts';
import { uuidv7 } from '../lib/ids.ts';
import type { ExecutionRecord } from '../store/execution-store.ts';
import type { RunDeps } from './deps.ts';
import type { RunPlan } from './run-plan.ts';
import type { RunRequest } from './run-request.ts';

/** The interface a call came through. */
export type ApiInterface = 'rest' | 'graphql';

export interface ExecutionCall extends Selected {
  readonly principal: Principal;
  readonly limits: RunLimits;
  readonly via: ApiInterface;
  readonly request: RunRequest;
  readonly plan: RunPlan;
}

/**
 * Asks the engine once, when it is the run's turn, keeps the result and records the execution from its start
 * to its end, however it ends. A query that the engine was not asked for is not an execution.
 *
 * @param onStart is told the execution's id at once, before the run waits for its turn.
 */
export async function execute(
  deps: RunDeps,
  call: ExecutionCall,
  signal: AbortSignal,
  onStart: (executionId: string) => void,
): Promise<CachedResult> {
  const id = uuidv7(deps.clock.now());
  onStart(id);
  return inTurn(deps, call, { id, signal }, (share) =>
    askEngine(deps, call, { id, share, signal }),
  );
}

/** Does the work when it is the run's turn. Until then the run is found, and can be cancelled, as one that has begun. */
export async function inTurn<T>(
  deps: RunDeps,
  call: ExecutionCall,
  { id, signal }: { readonly id: string; readonly signal: AbortSignal },
  work: (share: EngineShare) => Promise<T>,
): Promise<T> {
  const cancelled = new AbortController();
  const goOn = deps.pendingCallers.queue({
    execution: startExecution(deps, call, id),
    leave: (error) => cancelled.abort(error),
  });
  const either = AbortSignal.any([signal, cancelled.signal]);
  try {
    return await deps.admission.during(placeOf(call), either, (share) => {
      goOn();
      return work(share);
    });
  } finally {
    goOn();
  }
}

function placeOf({ endpoint, principal, plan, limits }: ExecutionCall): AdmissionRequest {
  return {
    projectId: endpoint.projectId,
    keyId: principal.keyId,
    pool: plan.servedFrom,
    project: limits.project,
    key: limits.key,
  };
}

interface EngineCall {
  /** Of the execution. */
  readonly id: string;
  readonly share: EngineShare;
  readonly signal: AbortSignal;
}

async function askEngine(
  deps: RunDeps,
  call: ExecutionCall,
  { id, share, signal }: EngineCall,
): Promise<CachedResult> {
  const started = startExecution(deps, call, id);
  deps.recorder.record(started);
  try {
    const ask = () =>
      deps.engine.query(
        {
          projectId: started.projectId,
          sql: call.plan.sql,
          params: call.plan.params,
          queryId: id,
          limit: call.request.limit,
          offset: call.request.offset,
          integers: call.request.integers,
          share,
          limits: call.limits.own,
        },
        signal,
      );
    const result = await withOrigin(originOf(call), ask);
    const { rows, rowCount, stats } = result;
    const work = { rowCount, bytes: rows.length, stats };
    deps.recorder.record(completeExecution(started, work, deps.clock.now()));
    countEngineWork(deps, started.projectId, stats);
    return keep(deps, call, result, id);
  } catch (error) {
    deps.recorder.record(failExecution(started, toServiceError(error), deps.clock.now()));
    throw error;
  }
}

export function failExecution(
  started: ExecutionRecord,
  { code, message }: ServiceError,
  endTime: Date,
): ExecutionRecord {
  return { ...started, endTime, errorCode: code, errorMessage: message };
}

export function startExecution(deps: RunDeps, call: ExecutionCall, id: string): ExecutionRecord {
  const now = deps.clock.now();
  return {
    id,
    projectId: call.endpoint.projectId,
    endpointId: call.endpoint.id,
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
  };
}

/** What one execution came to. */
export interface EngineWork {
  readonly rowCount: number;
  /** Of the rows as they are passed on. */
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

export function keep(
  deps: RunDeps,
  call: ExecutionCall,
  result: EngineResult,
  executionId: string,
): CachedResult {
  const kept: CachedResult = {
    ...result,
    computedAt: deps.clock.now(),
    executionId,
    contentTag: contentTag(call, result, executionId),
  };
  deps.results.set(call.plan.cacheKey, kept);
  return kept;
}

/** The answer names its execution, so the tag does too: one computation, one tag. */
function contentTag(call: ExecutionCall, result: EngineResult, executionId: string): string {
  const { limit, offset, integers } = call.request;
  return createHash('sha256')
    .update(
      JSON.stringify([
        call.version.id,
        executionId,
        limit,
        offset,
        integers,
        result.columns,
        result.hasMore,
      ]),
    )
    .update(result.rows)
    .digest('base64url')
    .slice(0, 27);
}

export function countEngineWork(deps: RunDeps, projectId: number, stats: EngineStats): void {
  const labels = { project: String(projectId) };
  deps.metrics.engineRowsRead.add(labels, stats.rowsRead);
  deps.metrics.engineBytesRead.add(labels, stats.bytesRead);
}
