import { type Principal, requireProject, requireScope } from '../access/principal.ts';
import type { EngineStats } from '../engine/engine-stats.ts';
import { hasScope } from '../model/scope.ts';
import type { RunDeps } from './deps.ts';

/**
 * What the engine has read of the queries that it is running for a request, whichever process serves that. Null when it
 * is running none, for example because the request waits for a run that another request started.
 */
export async function getRequestProgress(
  deps: RunDeps,
  principal: Principal,
  call: { readonly projectId: string; readonly requestId: string },
): Promise<EngineStats | null> {
  // A key that may only load rows sees how many of them have been read.
  if (!hasScope(principal.scopes, 'data:write')) requireScope(principal, 'endpoint:read');
  const projectId = requireProject(principal, call.projectId);
  const { requestId } = call;
  return deps.engine.requestProgress({ projectId, requestId }).catch(() => null);
}
