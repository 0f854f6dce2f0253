import { currentActor } from '../access/current-actor.ts';
import { getProject } from '../access/get-project.ts';
import { type Principal, requireScope } from '../access/principal.ts';
import { endpointKey } from '../cache/lookups.ts';
import type { ServiceError } from '../errors/service-error.ts';
import type { EndpointRecord } from '../store/endpoint-record.ts';
import { cannotMaterialize } from './cannot-materialize.ts';
import type { EndpointDeps } from './deps.ts';
import { type EndpointInput, parseCreateInput } from './endpoint-input.ts';
import { prepareQuery } from './prepare-query.ts';

/** Saves a query under a name: the engine checks it first, then it is stored with its version 1 in one transaction. */
export async function createEndpoint(
  deps: EndpointDeps,
  principal: Principal,
  call: { readonly projectId: string; readonly input: EndpointInput },
): Promise<EndpointRecord> {
  requireScope(principal, 'endpoint:write');
  const { id: projectId } = await getProject(deps, principal, call.projectId);
  const request = parseCreateInput(call.input, deps.config);
  if (request.isMaterialized && !request.isActive) throw inactive();
  const { planned, ...prepared } = await prepareQuery(deps, projectId, request.query);
  if (request.isMaterialized) {
    await deps.eligibility.checkRowLimit({ projectId, planned, maxRows: request.maxStoredRows });
  }
  const endpoint = await deps.endpoints.createEndpoint({
    projectId,
    name: request.name,
    description: request.description,
    isActive: request.isActive,
    derivedFromInsight: request.derivedFromInsight,
    tags: request.tags,
    createdById: principal.userId,
    by: currentActor(principal),
    version: { ...prepared, cacheAgeSeconds: request.cacheAgeSeconds },
    materialization: {
      enabled: request.isMaterialized,
      syncFrequency: request.syncFrequency,
      maxRows: request.maxStoredRows,
      planned,
    },
  });
  deps.lookups.endpoints.invalidate(endpointKey(projectId, endpoint.name));
  return endpoint;
}

function inactive(): ServiceError {
  return cannotMaterialize('It is created inactive: an inactive endpoint is not materialized.');
}
