import { createHash } from 'node:crypto';
import type { CachedResult } from '../cache/result-cache.ts';
import { isEndpointName } from '../endpoints/endpoint-name.ts';
import { withOrigin } from '../engine/execution-origin.ts';
import type { Column, EngineResult, EngineShare } from '../engine/query-engine.ts';
import { okOutcome } from '../model/usage.ts';
import { type Execution, whenAdmitted } from './admit.ts';
import { countRecomputation } from './count-usage.ts';
import { nextCursor } from './cursor.ts';
import type { RunDeps } from './deps.ts';
import { endFailed } from './end-failed.ts';
import {
  completeExecution,
  countEngineWork,
  type ExecutionCall,
  faultOf,
  originOf,
  startExecution,
} from './record-execution.ts';
import { recordPlan } from './record-plan.ts';
import { isUnsaved } from './unsaved-query.ts';
import { withSource } from './usage-rows.ts';

/**
 * Queries the engine once, when it is the run's turn, caches the result and records the execution from start to end,
 * however it ends. A query that never reached the engine is not an execution.
 */
export async function execute(
  deps: RunDeps,
  call: ExecutionCall,
  execution: Execution,
): Promise<CachedResult> {
  const { id } = execution;
  return whenAdmitted(deps, call, execution, async (share, signal) =>
    queryEngine(deps, await withSource(deps, call), { id, share, signal }),
  );
}

interface EngineCall {
  readonly id: string;
  readonly share: EngineShare;
  readonly signal: AbortSignal;
}

async function queryEngine(
  deps: RunDeps,
  call: ExecutionCall,
  { id, share, signal }: EngineCall,
): Promise<CachedResult> {
  const started = startExecution(deps, call, id);
  deps.recorder.record(started);
  try {
    const query = () =>
      deps.engine.query(
        {
          projectId: started.projectId,
          sql: call.plan.sql,
          params: call.plan.params,
          queryId: id,
          limit: call.request.limit,
          offset: call.plan.offset,
          selection: call.plan.selection,
          integers: call.request.integers,
          share,
          limits: call.limits.own,
          fault: faultOf(call),
          dataRevision: call.endpoint.dataRevision,
        },
        signal,
      );
    const result = await withOrigin(originOf(call), query);
    const { rows, rowCount, stats } = result;
    const work = { rowCount, bytes: rows.length, stats };
    deps.recorder.record(completeExecution(started, work, deps.clock.now()));
    countEngineWork(deps, call, { started, stats, outcome: okOutcome });
    noteColumns(deps, call, result.columns);
    recordPlan(deps, call, { id, seconds: stats.timeElapsed, failure: null });
    return cacheResult(deps, call, result, id);
  } catch (error) {
    endFailed(deps, call, started, error);
    throw error;
  }
}

/** Only for a result with all columns of its query. */
function noteColumns(deps: RunDeps, call: ExecutionCall, columns: readonly Column[]): void {
  const { endpoint, plan } = call;
  const isWhole = plan.servedFrom === 'inline' && (plan.selection?.columns ?? null) === null;
  if (isWhole && isEndpointName(endpoint.name)) deps.columns.note(call, columns);
}

export function cacheResult(
  deps: RunDeps,
  call: ExecutionCall,
  result: EngineResult,
  executionId: string,
): CachedResult {
  const cached: CachedResult = {
    ...result,
    nextCursor: cursorAfter(call, result),
    computedAt: deps.clock.now(),
    executionId,
    contentTag: contentTag(call, result, executionId),
  };
  if (isUnsaved(call.endpoint)) return cached;
  const expired = deps.results.get(call.plan.cacheKey);
  if (expired !== undefined && call.request.refresh === 'cache')
    countRecomputation(deps, call, { before: expired.rows, after: cached.rows });
  deps.results.set(call.plan.cacheKey, cached);
  return cached;
}

/** Null when the run is not paged by cursors, or this is its last page. */
export function cursorAfter(
  { plan, request }: ExecutionCall,
  end: Pick<EngineResult, 'hasMore' | 'pageEnd'>,
): string | null {
  return plan.paging === null ? null : nextCursor(plan.paging, end, request.limit);
}

/** The response contains the execution's id, so the tag includes it: one tag per computation. */
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
