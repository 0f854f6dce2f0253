import type { AdmissionRequest, PoolName } from '../access/admission/admission.ts';
import type { EngineShare } from '../engine/query-engine.ts';
import type { RunDeps } from './deps.ts';
import { type ExecutionCall, startExecution } from './record-execution.ts';

/** The id of an execution, which it has while it waits, and a signal that ends it. */
export interface Execution {
  readonly id: string;
  readonly signal: AbortSignal;
}

/** Does the work when it is the run's turn; until then the run is found as waiting. */
export function whenAdmitted<T>(
  deps: RunDeps,
  call: ExecutionCall,
  execution: Execution,
  work: (share: EngineShare, signal: AbortSignal) => Promise<T>,
): Promise<T> {
  return whileWaiting(deps, call, execution, (signal, begin) =>
    deps.admission.during(admissionOf(call, call.plan.servedFrom), signal, (share) => {
      begin();
      return work(share, signal);
    }),
  );
}

/**
 * Does the work with a signal that is also aborted when the run is cancelled: the engine cannot stop a query that has
 * not reached it. A waiting run can be found and cancelled, like a running one.
 *
 * @param work calls `begin` when the run no longer waits.
 */
export async function whileWaiting<T>(
  deps: RunDeps,
  call: ExecutionCall,
  { id, signal }: Execution,
  work: (signal: AbortSignal, begin: () => void) => Promise<T>,
): Promise<T> {
  const cancelled = new AbortController();
  const entry = deps.pendingCallers.queue({
    execution: startExecution(deps, call, id),
    leave: (error) => cancelled.abort(error),
  });
  try {
    return await work(AbortSignal.any([signal, cancelled.signal]), entry.begin);
  } finally {
    entry.end();
  }
}

/**
 * Runs with equal ones may share a slot. A key with slot limits of its own waits and is refused by them, which must not
 * happen to other keys.
 */
export function slotGroupOf({
  principal,
  limits: { project, key },
}: Pick<ExecutionCall, 'principal' | 'limits'>): string {
  const isLimited =
    key.concurrentQueries < project.concurrentQueries || key.queuedQueries < project.queuedQueries;
  return isLimited ? principal.keyId : 'any';
}

/** The slot of a run that reads source data or a stored table. */
export function admissionOf(
  { endpoint, principal, limits }: Pick<ExecutionCall, 'endpoint' | 'principal' | 'limits'>,
  pool: PoolName,
): AdmissionRequest {
  return {
    projectId: endpoint.projectId,
    keyId: principal.keyId,
    pool,
    project: limits.project,
    key: limits.key,
  };
}
