import { sideSlots } from '../access/effective-limits.ts';
import { parsedQueryOf } from '../endpoints/version-query.ts';
import { withOrigin } from '../engine/execution-origin.ts';
import type {
  EngineQuery,
  EngineResult,
  EngineShare,
  EngineStream,
  StreamTotals,
} from '../engine/query-engine.ts';
import { invalidInput, ServiceError } from '../errors/service-error.ts';
import type { StreamFormat } from '../model/result-format.ts';
import { okOutcome } from '../model/usage.ts';
import { writesCsv } from '../sql/writes-csv.ts';
import type { ExecutionRecord } from '../store/execution-store.ts';
import { type Execution, whenAdmitted } from './admit.ts';
import type { RunDeps } from './deps.ts';
import { endFailed } from './end-failed.ts';
import { cacheResult, cursorAfter } from './execute.ts';
import {
  completeExecution,
  countEngineWork,
  type ExecutionCall,
  failExecution,
  faultOf,
  originOf,
  startExecution,
} from './record-execution.ts';
import { recordPlan } from './record-plan.ts';
import { noLimit } from './run-request.ts';
import { type ComputedResult, openLargeResult } from './run-stream.ts';
import { withSource } from './usage-rows.ts';

/** A result up to this size is complete before its first byte is passed on, and may be cached. */
const wholeWithinBytes = 1_048_576;

/** A run in a format other than JSON, until its first bytes or, if small, its end. */
interface StreamExecution {
  readonly deps: RunDeps;
  readonly call: ExecutionCall;
  readonly format: StreamFormat;
  readonly started: ExecutionRecord;
  /** Ends the query at the engine. */
  readonly controller: AbortController;
  /** Releases the project's slot for a stream. */
  readonly leave: () => void;
}

/**
 * Queries the engine once, when it is the run's turn, for rows in the run's format. A small result is cached; a large
 * one is returned after its first part, and one caller takes the rest. The execution is recorded however it ends.
 *
 * @param execution its signal applies until the result is returned; the caller that takes a large one passes its own.
 */
export async function executeStream(
  deps: RunDeps,
  call: ExecutionCall,
  { id, signal }: Execution,
): Promise<ComputedResult> {
  const { format } = call.request;
  if (format === 'json') throw new Error('a run in JSON is no stream');
  if (format === 'csv' && writesCsv(parsedQueryOf(call.version).definition.query)) throw noCsv();
  const controller = new AbortController();
  const leave = deps.streams.enter({
    projectId: call.endpoint.projectId,
    executionId: id,
    maxStreams: sideSlots(call.limits),
    end: () => controller.abort(new ServiceError('query_cancelled', 'The query was cancelled.')),
  });
  const abort = () => controller.abort(signal.reason);
  if (signal.aborted) abort();
  signal.addEventListener('abort', abort, { once: true });
  try {
    return await whenAdmitted(deps, call, { id, signal }, async (share) => {
      const sourced = await withSource(deps, call);
      const started = startExecution(deps, call, id);
      return begin({ deps, call: sourced, format, started, controller, leave }, share);
    });
  } catch (error) {
    leave();
    throw error;
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

function noCsv(): ServiceError {
  return invalidInput(
    'format',
    'The query writes CSV with formatRow, whose values would differ within a response in CSV. Choose another format, such as ndjson.',
  );
}

async function begin(execution: StreamExecution, share: EngineShare): Promise<ComputedResult> {
  const { deps, call, started, controller } = execution;
  deps.recorder.record(started);
  try {
    const stream = await withOrigin(originOf(call), () =>
      deps.engine.stream(engineQuery(execution, share), controller.signal),
    );
    const head = await readHead(stream);
    if (!head.isWhole) return toLargeResult(execution, { stream, head: head.chunks, share });
    const result = await toWhole(execution, { stream, head: head.chunks, share });
    execution.leave();
    return result;
  } catch (error) {
    endFailed(deps, call, started, error);
    throw error;
  }
}

function engineQuery({ call, format, started }: StreamExecution, share: EngineShare) {
  const { plan, request } = call;
  return {
    projectId: started.projectId,
    sql: plan.sql,
    params: plan.params,
    queryId: started.id,
    limit: request.limit === noLimit ? null : request.limit,
    offset: plan.offset,
    selection: plan.selection,
    integers: request.integers,
    share,
    limits: call.limits.own,
    fault: faultOf(call),
    dataRevision: call.endpoint.dataRevision,
    format,
    wholeWithinBytes,
  };
}

interface Read {
  readonly stream: EngineStream;
  readonly head: readonly Buffer[];
  readonly share: EngineShare;
}

async function readHead({
  chunks,
}: EngineStream): Promise<{ readonly chunks: readonly Buffer[]; readonly isWhole: boolean }> {
  const read: Buffer[] = [];
  let size = 0;
  while (size <= wholeWithinBytes) {
    const next = await chunks.next();
    if (next.done === true) return { chunks: read, isWhole: true };
    read.push(next.value);
    size += next.value.length;
  }
  return { chunks: read, isWhole: false };
}

async function toWhole(execution: StreamExecution, read: Read): Promise<ComputedResult> {
  const { deps, call, started } = execution;
  const totals = read.stream.totals();
  const rowCount = totals.rowCount ?? 0;
  const result = {
    columns: read.stream.columns,
    rows: Buffer.concat(read.head),
    rowCount,
    ...(knownEnd(call) ?? (await findEnd(execution, totals, read.share))),
    stats: totals.stats,
  };
  const work = { rowCount, bytes: totals.bytes, stats: totals.stats };
  deps.recorder.record(completeExecution(started, work, deps.clock.now()));
  countWork(execution, totals, okOutcome);
  notePlan(execution, totals, null);
  return cacheResult(deps, call, result, started.id);
}

function toLargeResult(execution: StreamExecution, read: Read): ComputedResult {
  const { deps, call, started, controller, leave } = execution;
  const { stream, head, share } = read;
  const large = openLargeResult({
    head,
    rest: stream.chunks,
    totals: () => stream.totals(),
    knownHasMore: knownEnd(call)?.hasMore ?? null,
    findEnd: async (totals) => {
      const end = knownEnd(call) ?? (await findEnd(execution, totals, share));
      return { hasMore: end.hasMore, nextCursor: cursorAfter(call, end) };
    },
    cancel(reason) {
      controller.abort(reason);
      stream.cancel();
    },
    onEnd(totals, failure) {
      leave();
      recordEnd(execution, totals, failure);
    },
  });
  return {
    columns: stream.columns,
    rows: Buffer.alloc(0),
    rowCount: 0,
    hasMore: false,
    stats: stream.totals().stats,
    computedAt: deps.clock.now(),
    executionId: started.id,
    contentTag: started.id,
    nextCursor: null,
    large,
  };
}

function recordEnd(
  execution: StreamExecution,
  totals: StreamTotals,
  failure: ServiceError | null,
): void {
  const { deps, started } = execution;
  const now = deps.clock.now();
  const result = { rowCount: totals.rowCount ?? 0, bytes: totals.bytes, stats: totals.stats };
  const ended = completeExecution(started, result, now);
  deps.recorder.record(failure === null ? ended : failExecution(ended, failure, now));
  countWork(execution, totals, failure?.code ?? okOutcome);
  notePlan(execution, totals, failure);
}

function notePlan(
  { deps, call, started }: StreamExecution,
  { stats }: Pick<StreamTotals, 'stats'>,
  failure: ServiceError | null,
): void {
  const { id } = started;
  recordPlan(deps, call, { id, seconds: stats.timeElapsed, failure: failure?.code ?? null });
}

function countWork(
  { deps, call, started, format }: StreamExecution,
  { stats, bytes }: StreamTotals,
  outcome: string,
): void {
  countEngineWork(deps, call, { started, stats, outcome });
  const labels = { project: String(started.projectId), format };
  deps.metrics.streamedBytes.add(labels, bytes);
}

type ResultEnd = Pick<EngineResult, 'hasMore' | 'pageEnd'>;

/** Without a limit, all rows are sent or the run fails. */
function knownEnd({ request }: ExecutionCall): ResultEnd | null {
  return request.limit === noLimit ? { hasMore: false } : null;
}

/** Not every format allows cutting off an extra row, so a second query checks for more rows. */
async function findEnd(
  execution: StreamExecution,
  { rowCount }: StreamTotals,
  share: EngineShare,
): Promise<ResultEnd> {
  const { deps, call, controller } = execution;
  if (rowCount !== null && rowCount < call.request.limit) return { hasMore: false };
  const query = lastRowQuery(execution, share);
  const { hasMore, pageEnd } = await withOrigin(originOf(call), () =>
    deps.engine.query(query, controller.signal),
  );
  return { hasMore, pageEnd };
}

/** Reads the last row within the limit; its result shows whether there is another, and where that one begins. */
function lastRowQuery({ call, started }: StreamExecution, share: EngineShare): EngineQuery {
  const { plan, request } = call;
  return {
    projectId: started.projectId,
    sql: plan.sql,
    params: plan.params,
    queryId: `${started.id}-more`,
    limit: 1,
    offset: plan.offset + request.limit - 1,
    selection: plan.selection === null ? null : { ...plan.selection, form: 'arrays' },
    integers: request.integers,
    share,
    limits: call.limits.own,
  };
}
