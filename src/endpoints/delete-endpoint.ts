import { currentActor } from '../access/current-actor.ts';
import { type Principal, requireProject, requireScope } from '../access/principal.ts';
import { endpointKey } from '../cache/lookups.ts';
import type { EndpointRecord } from '../store/endpoint-record.ts';
import type { EndpointDeps } from './deps.ts';
import { isEndpointName } from './endpoint-name.ts';
import { type IfMatch, requireMatch } from './require-match.ts';
import { endpointNotFound, endpointNotFoundNear } from './resolve-version.ts';
import { retryOnConflict } from './retry-on-conflict.ts';

/**
 * Deletes the endpoint with all its versions; the name can be reused. Throws `not_found`, and `precondition_failed`
 * when its revision is not in `ifMatch`.
 */
export async function deleteEndpoint(
  deps: EndpointDeps,
  principal: Principal,
  call: { readonly projectId: string; readonly name: string; readonly ifMatch?: IfMatch },
): Promise<void> {
  requireScope(principal, 'endpoint:write');
  const projectId = requireProject(principal, call.projectId);
  if (!isEndpointName(call.name)) throw endpointNotFound();
  const { name, ifMatch } = call;
  const by = currentActor(principal);
  const check = (endpoint: EndpointRecord): void => requireMatch(ifMatch, endpoint);
  const deleted = await retryOnConflict(() =>
    deps.endpoints.deleteEndpoint({ projectId, name, check, by }),
  );
  deps.lookups.endpoints.invalidate(endpointKey(projectId, name));
  if (!deleted) throw await endpointNotFoundNear(deps, projectId, name);
}
