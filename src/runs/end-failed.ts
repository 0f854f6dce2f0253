import { toServiceError } from '../errors/service-error.ts';
import type { ExecutionRecord } from '../store/execution-store.ts';
import { countExecution } from './count-usage.ts';
import type { RunDeps } from './deps.ts';
import { type ExecutionCall, failExecution } from './record-execution.ts';
import { recordPlan } from './record-plan.ts';

/** Records and counts an execution that failed before its first row. */
export function endFailed(
  deps: RunDeps,
  call: ExecutionCall,
  started: ExecutionRecord,
  error: unknown,
): void {
  const failure = toServiceError(error);
  if (call.request.filtersOverride !== null) deps.filterTypes.forget(call.endpoint.projectId);
  deps.recorder.record(failExecution(started, failure, deps.clock.now()));
  countExecution(deps, call, { started, outcome: failure.code, stats: null });
  recordPlan(deps, call, { id: started.id, seconds: 0, failure: failure.code });
}
