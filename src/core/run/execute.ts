import { createHash } from 'node:crypto';
import type { CachedResult } from '../../cache/result-cache.ts';
import { toServiceError } from '../../domain/errors.ts';
import type { Principal } from '../../domain/principal.ts';
import type { RunPlan } from '../../domain/run-plan.ts';
import type { RunRequest } from '../../domain/run-request.ts';
import type { EngineResult } from '../../engine/query-engine.ts';
import { uuidv7 } from '../../lib/ids.ts';
import type { ExecutionRecord } from '../../store/execution-store.ts';
import type { CoreDeps } from '../deps.ts';
import type { Selected } from './select-version.ts';

/** The interface a call came through. */
export type Door = 'rest' | 'graphql';

export interface ExecutionCall extends Selected {
  readonly principal: Principal;
  readonly door: Door;
  readonly request: RunRequest;
  readonly plan: RunPlan;
}

/**
 * Asks the engine once, keeps the result and records the execution from its start to its end, however
 * it ends. A query that the engine was not asked for is not an execution.
 */
export async function execute(
  deps: CoreDeps,
  call: ExecutionCall,
  signal: AbortSignal,
  onStart: (executionId: string) => void,
): Promise<CachedResult> {
  const started = startExecution(deps, call);
  onStart(started.id);
  deps.recorder.record(started);
  try {
    const result = await deps.engine.query(
      {
        projectId: started.projectId,
        sql: call.plan.sql,
        params: call.plan.params,
        queryId: started.id,
        limit: call.request.limit,
        offset: call.request.offset,
        integers: call.request.integers,
      },
      signal,
    );
    deps.recorder.record(completeExecution(started, result, deps.clock.now()));
    countEngineWork(deps, started.projectId, result);
    return keep(deps, call, result, started.id);
  } catch (error) {
    const failure = toServiceError(error);
    deps.recorder.record({
      ...started,
      endTime: deps.clock.now(),
      errorCode: failure.code,
      errorMessage: failure.message,
    });
    throw error;
  }
}

function startExecution(deps: CoreDeps, call: ExecutionCall): ExecutionRecord {
  const now = deps.clock.now();
  return {
    id: uuidv7(now),
    projectId: call.endpoint.projectId,
    endpointId: call.endpoint.id,
    endpointName: call.endpoint.name,
    version: call.version.version,
    clientQueryId: call.request.clientQueryId,
    apiKeyId: call.principal.keyId,
    door: call.door,
    servedFrom: call.plan.servedFrom,
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

function completeExecution(
  started: ExecutionRecord,
  result: EngineResult,
  endTime: Date,
): ExecutionRecord {
  return {
    ...started,
    endTime,
    resultRows: BigInt(result.rowCount),
    resultBytes: BigInt(result.rows.length),
    rowsRead: BigInt(result.stats.rowsRead),
    bytesRead: BigInt(result.stats.bytesRead),
    rowsTotal: BigInt(result.stats.rowsTotal),
    timeElapsed: result.stats.timeElapsed,
  };
}

function keep(
  deps: CoreDeps,
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

function countEngineWork(deps: CoreDeps, projectId: number, result: EngineResult): void {
  const labels = { project: String(projectId) };
  deps.metrics.engineRowsRead.add(labels, result.stats.rowsRead);
  deps.metrics.engineBytesRead.add(labels, result.stats.bytesRead);
}
