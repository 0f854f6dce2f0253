/** Counts runs and executions as usage of their endpoints. */
import type { CachedResult } from '../cache/result-cache.ts';
import type { Selected } from '../endpoints/resolve-version.ts';
import type { EngineStats } from '../engine/engine-stats.ts';
import type { Clock } from '../lib/clock.ts';
import { okOutcome, type UsageOf, type UsagePath, unsavedEndpointId } from '../model/usage.ts';
import type { ExecutionRecord } from '../store/execution-store.ts';
import type { WorkCollector } from '../usage/logged-work.ts';
import type { ResultSize } from '../usage/usage-cell.ts';
import type { UsageRecorder } from '../usage/usage-recorder.ts';
import type { ApiInterface } from './run-request.ts';
import type { RunResponse } from './run-response.ts';
import { isUnsaved } from './unsaved-query.ts';

interface CountDeps {
  readonly usage: Pick<UsageRecorder, 'cell'>;
  readonly clock: Clock;
  readonly nowMs: () => number;
}

export interface CountedCall {
  readonly via: ApiInterface;
  readonly isLive?: boolean;
}

interface CountedExecution extends Selected, CountedCall {
  readonly principal: { readonly keyId: string };
  readonly plan: { readonly servedFrom: UsagePath };
}

type Counted = Omit<UsageOf, 'keyId' | 'path' | 'outcome'>;

export function countedAs(
  { endpoint, version }: Selected,
  { via, isLive = false }: CountedCall,
): Counted {
  const isSaved = !isUnsaved(endpoint);
  return {
    projectId: endpoint.projectId,
    endpointId: isSaved ? endpoint.id : unsavedEndpointId,
    endpointName: endpoint.name,
    version: isSaved ? version.version : 0,
    interface: isLive ? 'live' : via,
  };
}

export function sizeOf({
  rowCount: rows,
  rows: { length: bytes },
}: Pick<CachedResult, 'rowCount' | 'rows'>): ResultSize {
  return { rows, bytes };
}

export const noResult: ResultSize = { rows: 0, bytes: 0 };

export interface EndedRun {
  readonly path: UsagePath;
  readonly outcome: string;
  /** Size of its result. */
  readonly size: ResultSize;
  /** Monotonic clock. */
  readonly startedMs: number;
}

export function countEnd(
  deps: CountDeps,
  call: Selected & CountedCall & { readonly principal: { readonly keyId: string } },
  { path, outcome, size, startedMs }: EndedRun,
): void {
  const of = { ...countedAs(call, call), keyId: call.principal.keyId, path, outcome };
  deps.usage.cell(of).addRun(deps.clock.now().getTime(), deps.nowMs() - startedMs, size);
}

export interface EndedWork {
  readonly started: Pick<ExecutionRecord, 'id' | 'startTime'>;
  readonly outcome: string;
  /** Null when it failed and it is unknown what it read. */
  readonly stats: EngineStats | null;
}

export function countExecution(
  deps: CountDeps & { readonly loggedWork: Pick<WorkCollector, 'note'> },
  call: CountedExecution,
  { started: { id, startTime }, outcome, stats }: EndedWork,
): void {
  const { servedFrom: path } = call.plan;
  const of = { ...countedAs(call, call), keyId: call.principal.keyId, path, outcome };
  const atMs = deps.clock.now().getTime();
  deps.usage.cell(of).addExecution(atMs, stats);
  const uncountedMs = stats === null ? atMs - startTime.getTime() : null;
  deps.loggedWork.note({ id, of, atMs, uncountedMs });
}

/**
 * Counts a result that replaced an expired one, and whether its rows are unchanged: many of these mean that the cache
 * age is too short.
 */
export function countRecomputation(
  deps: CountDeps,
  call: CountedExecution,
  rows: { readonly before: Buffer; readonly after: Buffer },
): void {
  const { servedFrom: path } = call.plan;
  const of = { ...countedAs(call, call), keyId: call.principal.keyId, path, outcome: okOutcome };
  const isUnchanged = rows.before.equals(rows.after);
  deps.usage.cell(of).addRecomputation(deps.clock.now().getTime(), isUnchanged);
}

/** Counts an in-memory result that is sent to one more subscriber, or refused. */
export function countHandedOut(
  deps: CountDeps,
  run: RunResponse,
  of: Pick<UsageOf, 'projectId' | 'keyId' | 'outcome'>,
): void {
  const { endpointId, name: endpointName, version } = run;
  const counted = { ...of, endpointId, endpointName, version };
  deps.usage
    .cell({ ...counted, interface: 'live', path: 'cache' })
    .addRun(deps.clock.now().getTime(), 0, of.outcome === okOutcome ? sizeOf(run) : noResult);
}
