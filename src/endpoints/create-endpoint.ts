import { currentActor } from '../access/current-actor.ts';
import { getProject } from '../access/get-project.ts';
import { type Principal, requireScope } from '../access/principal.ts';
import { endpointKey, fieldKey } from '../cache/lookups.ts';
import type { ServiceError } from '../errors/service-error.ts';
import { parseQuery } from '../query/query-definition.ts';
import type { EndpointRecord } from '../store/endpoint-record.ts';
import type { EndpointDraft } from '../store/endpoint-store.ts';
import { cannotMaterialize } from './cannot-materialize.ts';
import type { EndpointDeps } from './deps.ts';
import type { DryRun, ReadDryRun } from './dry-run.ts';
import { type EndpointInput, parseCreateInput } from './endpoint-input.ts';
import { type PreparedQuery, prepareQuery } from './prepare-query.ts';
import { toQueryCheck } from './query-check.ts';
import { retryOnConflict } from './retry-on-conflict.ts';

interface CreateCall {
  readonly projectId: string;
  readonly input: EndpointInput;
}

/** Saves a query under a name: the engine checks it first, then it is stored with version 1 in one transaction. */
export async function createEndpoint(
  deps: EndpointDeps,
  principal: Principal,
  call: CreateCall,
): Promise<EndpointRecord> {
  const { draft } = await draftEndpoint(deps, principal, call);
  const endpoint = await retryOnConflict(() => deps.endpoints.createEndpoint(draft));
  deps.lookups.endpoints.invalidate(endpointKey(draft.projectId, endpoint.name));
  deps.lookups.fields.invalidate(fieldKey(draft.projectId, endpoint.graphqlName));
  return endpoint;
}

/** Checks everything as `createEndpoint` does, without writing. */
export async function tryCreateEndpoint<T>(
  deps: EndpointDeps,
  principal: Principal,
  { look, ...call }: CreateCall & { readonly look: ReadDryRun<T> },
): Promise<DryRun<T>> {
  const { draft, prepared } = await draftEndpoint(deps, principal, call);
  const result = await deps.endpoints.dryRun(async (writes, tx) =>
    look(tx, await writes.createEndpoint(draft)),
  );
  const check = await toQueryCheck(deps, draft.projectId, { prepared, run: null });
  return { result, check, graphChanges: null };
}

async function draftEndpoint(
  deps: EndpointDeps,
  principal: Principal,
  call: CreateCall,
): Promise<{ readonly draft: EndpointDraft; readonly prepared: PreparedQuery }> {
  requireScope(principal, 'endpoint:write');
  const { id: projectId } = await getProject(deps, principal, call.projectId);
  const request = parseCreateInput(call.input, deps.config);
  if (request.isMaterialized && !request.isActive) throw inactive();
  const prepared = await prepareQuery(deps, projectId, request.query);
  const { planned, ...content } = prepared;
  if (request.isMaterialized) {
    const query = parseQuery(content.query);
    const maxRows = request.maxStoredRows;
    await deps.eligibility.checkRowLimit({ projectId, query, planned, maxRows });
  }
  const draft = {
    projectId,
    name: request.name,
    graphqlName: request.graphqlName,
    description: request.description,
    isActive: request.isActive,
    derivedFromInsight: request.derivedFromInsight,
    tags: request.tags,
    createdById: principal.userId,
    by: currentActor(principal),
    version: { ...content, cacheAgeSeconds: request.cacheAgeSeconds },
    materialization: {
      enabled: request.isMaterialized,
      syncFrequency: request.syncFrequency,
      maxRows: request.maxStoredRows,
      planned,
    },
  };
  return { draft, prepared };
}

function inactive(): ServiceError {
  return cannotMaterialize(
    'The endpoint would be inactive, and an inactive endpoint cannot be materialized.',
  );
}
