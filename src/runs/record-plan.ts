/**
 * Records the engine's plan of executions that were slow or failed at the engine. It is fetched in the background,
 * so that no run waits for it, and stored without any values.
 */
import { isEndpointName } from '../endpoints/endpoint-name.ts';
import { withOrigin } from '../engine/execution-origin.ts';
import type { ErrorCode } from '../errors/service-error.ts';
import type { QueryPlan } from '../model/query-plan.ts';
import type { RunDeps } from './deps.ts';
import { type ExecutionCall, originOf } from './record-execution.ts';
import { isUnsaved } from './unsaved-query.ts';

export interface PlannedExecution {
  readonly id: string;
  /** Engine time. */
  readonly seconds: number;
  /** Null when it completed. */
  readonly failure: ErrorCode | null;
}

/** Failures of the query itself. If it failed before it was planned, as for a value of another type, there is no plan. */
const ofQuery: readonly ErrorCode[] = [
  'query_failed',
  'query_timeout',
  'query_memory_limit',
  'query_too_large',
];

/** Planning a text with subqueries may take the engine a while, so each project fetches one plan at a time. */
const perProject = 1;

export function recordPlan(deps: RunDeps, call: ExecutionCall, execution: PlannedExecution): void {
  const { id, seconds, failure } = execution;
  const { endpoint, plan } = call;
  const isWanted =
    failure === null ? seconds * 1000 >= deps.config.slowExecutionMs : ofQuery.includes(failure);
  const isOwnText = isEndpointName(endpoint.name) || isUnsaved(endpoint);
  if (!isWanted || !isOwnText || plan.servedFrom !== 'inline') return;
  const { projectId } = endpoint;
  const job = { key: `plan ${id}`, group: `plan ${projectId}`, max: perProject };
  deps.background.start(job, async (signal) => {
    const statement = { projectId, sql: plan.sql, params: plan.params };
    const found = await withOrigin(originOf(call), () => deps.engine.explain(statement));
    if (!signal.aborted) deps.recorder.recordPlan(id, withoutValues(found));
  });
}

/**
 * Removes conditions and descriptions, which contain values of the run, but keeps the name of the table that a step
 * reads.
 */
function withoutValues({ reads, steps }: QueryPlan): QueryPlan {
  const tables = new Set(reads.map(({ table }) => table));
  return {
    reads,
    steps: steps.map((step) => ({
      ...step,
      description: tables.has(step.description) ? step.description : '',
      indexes: step.indexes.map((index) => ({ ...index, condition: '' })),
    })),
  };
}
