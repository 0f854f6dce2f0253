import { currentRequestScope } from '../../../lib/request-scope.ts';
import { currentOrigin } from '../../execution-origin.ts';

/**
 * By what the engine's query_log tells which endpoint a statement is of: a JSON object of `project`, and where they are known
 * `endpoint`, `version` and `request_id`. It has no values of variables.
 */
export function logComment(projectId: number): string {
  const version = currentOrigin()?.version ?? null;
  return JSON.stringify({
    project: projectId,
    ...(version === null ? {} : { endpoint: version.endpointName, version: version.number }),
    ...requestId(),
  });
}

function requestId(): object {
  const scope = currentRequestScope();
  return scope === null ? {} : { request_id: scope.requestId };
}
