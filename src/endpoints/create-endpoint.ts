import { currentActor } from '../access/current-actor.ts';
import { getProject } from '../access/get-project.ts';
import { type Principal, requireScope } from '../access/principal.ts';
import type { ServiceError } from '../errors/service-error.ts';
import { requireRoom } from '../materialization/check-row-limit.ts';
import { cannotMaterialize } from '../materialization/eligibility.ts';
import { type CoreDeps, endpointKey } from '../runs/deps.ts';
import type { EndpointRecord } from '../store/endpoint-record.ts';
import { type EndpointInput, parseCreateInput } from './endpoint-input.ts';
import { prepareQuery } from './prepare-query.ts';

/**
 * Saves a query under a name, whole or not at all: it is checked by the engine first, then stored with
 * its version 1 in one transaction.
 */
export async function createEndpoint(
  deps: CoreDeps,
  principal: Principal,
  call: { readonly projectId: string; readonly input: EndpointInput },
): Promise<EndpointRecord> {
  requireScope(principal, 'endpoint:write');
  const { id: projectId } = await getProject(deps, principal, call.projectId);
  const request = parseCreateInput(call.input, deps.config);
  if (request.isMaterialized && !request.isActive) throw inactive();
  const { planned, ...prepared } = await prepareQuery(deps, projectId, request.query);
  if (request.isMaterialized) {
    await requireRoom(deps, { projectId, planned, maxRows: request.maxStoredRows });
  }
  const endpoint = await deps.endpoints.createEndpoint({
    projectId,
    name: request.name,
    description: request.description,
    isActive: request.isActive,
    derivedFromInsight: request.derivedFromInsight,
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
