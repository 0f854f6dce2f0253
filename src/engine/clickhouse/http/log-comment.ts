import { currentRequestScope } from '../../../lib/request-scope.ts';
import { currentOrigin } from '../../execution-origin.ts';

/**
 * The comment that lets the engine's query_log attribute a statement to an endpoint: a JSON object of `project` and,
 * where known, `endpoint`, `version` and `request_id`. It contains no values of variables.
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
