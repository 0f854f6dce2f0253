import { currentActor } from '../access/current-actor.ts';
import { type Principal, requireProject, requireScope } from '../access/principal.ts';
import { ServiceError } from '../errors/service-error.ts';
import { hasScope } from '../model/scope.ts';
import type { ExecutionRecord } from '../store/execution-store.ts';
import type { RunDeps } from './deps.ts';
import { isUnsaved } from './unsaved-query.ts';

interface StatusCall {
  readonly projectId: string;
  /** An execution id, or the client query id of the run. */
  readonly id: string;
}

/**
 * The status of an execution. While it is running, its progress is read from the engine, whichever process started it.
 * Throws `not_found`.
 */
export async function getQueryStatus(
  deps: RunDeps,
  principal: Principal,
  call: StatusCall,
): Promise<ExecutionRecord> {
  requireScope(principal, 'endpoint:read');
  const projectId = requireProject(principal, call.projectId);
  const execution = await getExecution(deps, projectId, call.id);
  if (execution.endTime !== null) return execution;
  const progress = await deps.engine.progress(execution.id, projectId).catch(() => null);
  if (progress === null) return execution;
  return {
    ...execution,
    rowsRead: BigInt(progress.rowsRead),
    bytesRead: BigInt(progress.bytesRead),
    rowsTotal: BigInt(progress.rowsTotal),
    timeElapsed: progress.timeElapsed,
  };
}

/**
 * Stops a running execution and returns its new state; an ended one is returned unchanged. A client query id stops only
 * that caller's run: others waiting for the same result still get it. Stopping another key's run requires
 * endpoint:write.
 */
export async function cancelQuery(
  deps: RunDeps,
  principal: Principal,
  call: StatusCall,
): Promise<ExecutionRecord> {
  requireScope(principal, 'endpoint:read');
  const projectId = requireProject(principal, call.projectId);
  const execution = await getExecution(deps, projectId, call.id);
  if (execution.endTime !== null) return execution;
  const waiting = deps.pendingCallers.find(projectId, call.id);
  requireMayStop(principal, waiting?.keyId ?? execution.apiKeyId);
  await auditCancel(deps, principal, execution);
  const cancelled = new ServiceError('query_cancelled', 'The query was cancelled.');
  if (waiting !== null) {
    waiting.cancel(cancelled);
    return (await findExecution(deps, projectId, execution.id)) ?? execution;
  }
  deps.pendingCallers.stop(execution.id, cancelled);
  // Cancelled here too, because an engine that is blocked by a slow reader does not notice KILL until it can write.
  deps.streams.end(execution.id);
  await deps.engine.cancel(execution.id, projectId);
  return (await findExecution(deps, projectId, execution.id)) ?? execution;
}

/** Called before the cancellation, which must not happen without its audit entry. */
function auditCancel(
  deps: RunDeps,
  principal: Principal,
  execution: ExecutionRecord,
): Promise<void> {
  const { id, clientQueryId, apiKeyId } = execution;
  return deps.audit.append({
    action: 'query.cancel',
    by: currentActor(principal),
    at: deps.clock.now(),
    projectId: execution.projectId,
    ...(isUnsaved({ name: execution.endpointName })
      ? {}
      : { endpointName: execution.endpointName, version: execution.version }),
    before: { executionId: id, clientQueryId, keyId: apiKeyId },
  });
}

function requireMayStop(principal: Principal, keyId: string | null): void {
  if (keyId === principal.keyId || hasScope(principal.scopes, 'endpoint:write')) return;
  throw new ServiceError(
    'permission_denied',
    "Cancelling a query of another key requires the scope 'endpoint:write', which this API key does not have.",
  );
}

async function getExecution(
  deps: RunDeps,
  projectId: number,
  id: string,
): Promise<ExecutionRecord> {
  const execution = await findExecution(deps, projectId, id);
  if (execution !== null) return execution;
  throw new ServiceError(
    'not_found',
    'The project has no execution with this id or client query id.',
    {
      attr: 'id',
    },
  );
}

async function findExecution(
  deps: RunDeps,
  projectId: number,
  id: string,
): Promise<ExecutionRecord | null> {
  const served = deps.pendingCallers.executionOf(projectId, id) ?? id;
  const queued =
    deps.pendingCallers.findQueued(projectId, id) ??
    deps.pendingCallers.findQueued(projectId, served);
  return (
    queued?.execution ??
    deps.recorder.findPending(projectId, served) ??
    (await deps.executions.findExecution(projectId, served))
  );
}
