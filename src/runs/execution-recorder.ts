import { openFlushes } from '../lib/flushes.ts';
import type { Log } from '../lib/log.ts';
import type { QueryPlan } from '../model/query-plan.ts';
import type { LateWork } from '../model/usage.ts';
import type { EndpointStore } from '../store/endpoint-store.ts';
import type { ExecutionRecord, ExecutionStore } from '../store/execution-store.ts';
import type { KeyStore } from '../store/key-store.ts';

/**
 * Writes executions and last-used times in batches, off the run's path. A killed process loses those of its last
 * second, but never a result or a saved change.
 */
export interface ExecutionRecorder {
  /** Queues the execution's newest state: readable here at once, stored with the next batch. */
  record(execution: ExecutionRecord): void;
  recordEndpointUse(endpointId: string, at: Date): void;
  recordKeyUse(keyId: string, at: Date): void;
  /** For an ended execution. */
  recordLateWork(executionId: string, work: LateWork): void;
  /** For an ended execution. */
  recordPlan(executionId: string, plan: QueryPlan): void;
  /** The unsaved state by execution id, or the newest one with that client query id. */
  findPending(projectId: number, id: string): ExecutionRecord | null;
  /** Stores everything recorded so far. */
  flush(): Promise<void>;
  /** Stores the rest and stops. */
  close(): Promise<void>;
}

const flushEveryMs = 1000;
const flushAtRows = 500;
/**
 * While the metadata database cannot be written to, at most this many of the newest executions are queued and older
 * ones are dropped.
 */
const maxPending = 20_000;
const maxPlans = 1000;
/** Minimum interval between writes of a key's last-used time. */
const recordKeyUseEveryMs = 30_000;

export function openExecutionRecorder(deps: {
  readonly log: Log;
  readonly executions: ExecutionStore;
  readonly endpoints: EndpointStore;
  readonly keys: KeyStore;
}): ExecutionRecorder {
  let executions = new Map<string, ExecutionRecord>();
  let endpointTimes = new Map<string, Date>();
  let keyTimes = new Map<string, Date>();
  let lateWork = new Map<string, LateWork>();
  let plans = new Map<string, QueryPlan>();
  let writing = new Map<string, ExecutionRecord>();
  const keyUsedAt = new Map<string, number>();

  async function writeBatch(): Promise<void> {
    const batch = { executions, endpointTimes, keyTimes, lateWork, plans };
    if (Object.values(batch).every(({ size }) => size === 0)) return;
    writing = executions;
    executions = new Map();
    endpointTimes = new Map();
    keyTimes = new Map();
    lateWork = new Map();
    plans = new Map();
    try {
      if (batch.executions.size > 0)
        await deps.executions.upsertExecutions([...batch.executions.values()]);
      if (batch.endpointTimes.size > 0)
        await deps.endpoints.updateLastExecuted(batch.endpointTimes);
      if (batch.keyTimes.size > 0) await deps.keys.updateLastUsed(batch.keyTimes);
      if (batch.lateWork.size > 0) await deps.executions.updateLateWork(batch.lateWork);
      if (batch.plans.size > 0) await deps.executions.updatePlans(batch.plans);
    } catch (error) {
      deps.log.warn(
        { err: error, executions: batch.executions.size },
        'executions could not be recorded yet',
      );
      executions = new Map([...batch.executions, ...executions].slice(-maxPending));
      endpointTimes = new Map([...batch.endpointTimes, ...endpointTimes]);
      keyTimes = new Map([...batch.keyTimes, ...keyTimes]);
      lateWork = new Map([...batch.lateWork, ...lateWork].slice(-maxPending));
      plans = new Map([...batch.plans, ...plans].slice(-maxPlans));
    } finally {
      writing = new Map();
    }
  }

  const { flush, close } = openFlushes(writeBatch, flushEveryMs);

  function* pending(): Iterable<ExecutionRecord> {
    yield* writing.values();
    yield* executions.values();
  }

  return {
    record(execution) {
      executions.delete(execution.id);
      executions.set(execution.id, execution);
      if (executions.size === flushAtRows) void flush();
    },
    recordEndpointUse: (endpointId, at) => void endpointTimes.set(endpointId, at),
    recordKeyUse(keyId, at) {
      const last = keyUsedAt.get(keyId) ?? Number.NEGATIVE_INFINITY;
      if (at.getTime() - last < recordKeyUseEveryMs) return;
      if (keyUsedAt.size > 10_000) keyUsedAt.clear();
      keyUsedAt.set(keyId, at.getTime());
      keyTimes.set(keyId, at);
    },
    recordLateWork: (id, work) => void lateWork.set(id, work),
    recordPlan: (id, plan) => void plans.set(id, plan),
    findPending(projectId, id) {
      const own = executions.get(id) ?? writing.get(id);
      if (own !== undefined && own.projectId === projectId) return own;
      let newest: ExecutionRecord | null = null;
      for (const execution of pending()) {
        if (execution.projectId === projectId && execution.clientQueryId === id) newest = execution;
      }
      return newest;
    },
    flush,
    close,
  };
}
