import { isEndpointName } from '../../domain/endpoint-name.ts';
import { type Principal, requireProject, requireScope } from '../../domain/principal.ts';
import { currentActor } from '../auth/current-actor.ts';
import { type CoreDeps, endpointKey } from '../deps.ts';
import { endpointNotFound } from '../run/select-version.ts';

/** Deletes the endpoint with all its versions; its name is free again. Throws `not_found`. */
export async function deleteEndpoint(
  deps: CoreDeps,
  principal: Principal,
  call: { readonly projectId: string; readonly name: string },
): Promise<void> {
  requireScope(principal, 'endpoint:write');
  const projectId = requireProject(principal, call.projectId);
  if (!isEndpointName(call.name)) throw endpointNotFound();
  const by = currentActor(principal);
  const deleted = await deps.endpoints.deleteEndpoint(projectId, call.name, by);
  deps.lookups.endpoints.invalidate(endpointKey(projectId, call.name));
  if (!deleted) throw endpointNotFound();
}
