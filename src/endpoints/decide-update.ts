/** Decides what an update of an endpoint changes, from facts alone. */
import { stableJson } from '../lib/stable-json.ts';
import type { PlanResult } from '../model/materialization-plan.ts';
import type { EndpointChange, NewVersion, VersionChange } from '../store/endpoint-write.ts';
import { cannotMaterialize, requirePlanned } from './cannot-materialize.ts';
import type { UpdateRequest } from './endpoint-input.ts';
import type { PreparedQuery } from './prepare-query.ts';
import type { Selected } from './resolve-version.ts';

export interface UpdateFacts extends Selected {
  readonly request: UpdateRequest;
  /** The request's query if it differs from the version's; null if it is unchanged. */
  readonly changedQuery: PreparedQuery | null;
  /** The plan of the version's query after the update; undefined when planning failed, or was not needed. */
  readonly planned: PlanResult | undefined;
  /** The author of a new version. */
  readonly userId: number;
}

/** Null when the version already has this query, however its JSON is written. */
export function changedQuery(
  prepared: PreparedQuery | null,
  { version }: Selected,
): PreparedQuery | null {
  if (prepared === null || stableJson(prepared.query) === stableJson(version.query)) return null;
  return prepared;
}

/** Only a changed query creates the next version. Throws `cannot_materialize` with the reason. */
export function decideUpdate(facts: UpdateFacts): EndpointChange {
  const { request } = facts;
  const active = activeAfter(facts);
  requireActive(request, active);
  const isActive = request.version === null ? request.isActive : undefined;
  const { tags, graphqlName } = request;
  const endpoint = { isActive, graphqlName, tags, stopsMaterializations: isActive === false };
  return facts.changedQuery === null
    ? { ...endpoint, version: changeVersion(facts, active) }
    : { ...endpoint, newVersion: inherit(facts, facts.changedQuery, active) };
}

/** Whether the endpoint and the target version are active after the update. */
interface Active {
  readonly endpoint: boolean;
  readonly version: boolean;
}

function activeAfter({ request, endpoint, version, changedQuery: changed }: UpdateFacts): Active {
  if (request.version === null) {
    return {
      endpoint: request.isActive ?? endpoint.isActive,
      version: changed !== null || version.isActive,
    };
  }
  return { endpoint: endpoint.isActive, version: request.isActive ?? version.isActive };
}

function requireActive(request: UpdateRequest, active: Active): void {
  if (request.isMaterialized !== true || (active.endpoint && active.version)) return;
  const what = active.endpoint ? 'version' : 'endpoint';
  throw cannotMaterialize(`The ${what} is inactive. Activate it first, or in the same request.`);
}

function changeVersion({ request, version, planned }: UpdateFacts, active: Active): VersionChange {
  const turnsOn = request.isMaterialized === true && !version.materialization.enabled;
  if (turnsOn) requirePlanned(planned);
  const enabled = active.endpoint && active.version ? request.isMaterialized : false;
  const { description, cacheAgeSeconds, syncFrequency, maxStoredRows: maxRows } = request;
  return {
    description,
    cacheAgeSeconds,
    isActive: request.version === null ? undefined : request.isActive,
    materialization: { enabled, syncFrequency, maxRows, planned: turnsOn ? planned : undefined },
  };
}

/**
 * A new version inherits every setting that the request omits. If it should be materialized but cannot be, the whole
 * update is refused: materialization is never turned off silently.
 */
function inherit(facts: UpdateFacts, prepared: PreparedQuery, active: Active): NewVersion {
  const { request, version: current, planned, userId } = facts;
  const { enabled: wasEnabled, syncFrequency, maxRows } = current.materialization;
  const enabled = active.endpoint && (request.isMaterialized ?? wasEnabled);
  if (enabled) requirePlanned(planned);
  const { query, columns, variables } = prepared;
  return {
    query,
    columns,
    variables,
    description: request.description ?? current.description,
    cacheAgeSeconds:
      request.cacheAgeSeconds === undefined ? current.cacheAgeSeconds : request.cacheAgeSeconds,
    createdById: userId,
    materialization: {
      enabled,
      syncFrequency: request.syncFrequency ?? syncFrequency,
      maxRows: request.maxStoredRows === undefined ? maxRows : request.maxStoredRows,
      planned,
    },
  };
}
