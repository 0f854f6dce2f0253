import type { AdmissionRequest } from '../access/admission/admission.ts';
import type { EngineShare } from '../engine/query-engine.ts';
import type { RunDeps } from './deps.ts';
import { type ExecutionCall, startExecution } from './record-execution.ts';

/** Does the work when it is the run's turn. A waiting run can already be found and cancelled, like a running one. */
export async function whenAdmitted<T>(
  deps: RunDeps,
  call: ExecutionCall,
  { id, signal }: { readonly id: string; readonly signal: AbortSignal },
  work: (share: EngineShare) => Promise<T>,
): Promise<T> {
  const cancelled = new AbortController();
  const leaveQueue = deps.pendingCallers.queue({
    execution: startExecution(deps, call, id),
    leave: (error) => cancelled.abort(error),
  });
  const either = AbortSignal.any([signal, cancelled.signal]);
  try {
    return await deps.admission.during(toAdmissionRequest(call), either, (share) => {
      leaveQueue();
      return work(share);
    });
  } finally {
    leaveQueue();
  }
}

function toAdmissionRequest({
  endpoint,
  principal,
  plan,
  limits,
}: ExecutionCall): AdmissionRequest {
  return {
    projectId: endpoint.projectId,
    keyId: principal.keyId,
    pool: plan.servedFrom,
    project: limits.project,
    key: limits.key,
  };
}
