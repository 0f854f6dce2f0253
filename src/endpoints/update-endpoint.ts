import { currentActor } from '../access/current-actor.ts';
import { type Principal, requireProject, requireScope } from '../access/principal.ts';
import { endpointKey } from '../cache/lookups.ts';
import { invalidInput } from '../errors/service-error.ts';
import { changedQuery, decideUpdate } from './decide-update.ts';
import type { EndpointDeps } from './deps.ts';
import { type EndpointInput, parseUpdateInput } from './endpoint-input.ts';
import { isEndpointName } from './endpoint-name.ts';
import { openUpdatePlanner } from './plan-update.ts';
import { prepareQuery } from './prepare-query.ts';
import { findAtVersion } from './read-endpoint.ts';
import { endpointNotFound, endpointNotFoundNear, type Selected } from './resolve-version.ts';
import { retryOnConflict } from './retry-on-conflict.ts';

/**
 * Changes an endpoint or one of its versions, whole or not at all: read, plan, decide, apply; on a conflict with
 * another change, start over. Members that the input leaves out stay unchanged. Returns the changed version.
 */
export async function updateEndpoint(
  deps: EndpointDeps,
  principal: Principal,
  call: { readonly projectId: string; readonly name: string; readonly input: EndpointInput },
): Promise<Selected> {
  requireScope(principal, 'endpoint:write');
  const projectId = requireProject(principal, call.projectId);
  const { name } = call;
  if (!isEndpointName(name)) throw endpointNotFound();
  const request = parseUpdateInput(call.input, { ...deps.config, name });
  const prepared =
    request.query === undefined ? null : await prepareQuery(deps, projectId, request.query);
  const plan = openUpdatePlanner(deps);
  const updated = await retryOnConflict(async () => {
    const target = await readTarget(deps, { projectId, name, version: request.version });
    const changed = changedQuery(prepared, target);
    const facts = { ...target, request, changedQuery: changed, userId: principal.userId };
    const change = decideUpdate({ ...facts, planned: await plan(facts) });
    return deps.endpoints.applyUpdate({ expected: target, change, by: currentActor(principal) });
  });
  deps.lookups.endpoints.invalidate(endpointKey(projectId, name));
  // All of them: an endpoint that is deactivated stops the materialization of each version.
  deps.lookups.versions.clear();
  return updated;
}

async function readTarget(
  deps: EndpointDeps,
  call: { readonly projectId: number; readonly name: string; readonly version: number | null },
): Promise<Selected> {
  const found = await findAtVersion(deps, call);
  if (found === null) throw await endpointNotFoundNear(deps, call.projectId, call.name);
  const { endpoint, version } = found;
  if (version !== null) return { endpoint, version };
  throw invalidInput(
    'version',
    `Version ${call.version} not found. The versions of this endpoint are 1 to ${endpoint.currentVersion.version}.`,
  );
}
