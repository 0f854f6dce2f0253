import {
  type EndpointInput,
  parseUpdateInput,
  type UpdateRequest,
} from '../../domain/endpoint-input.ts';
import { isEndpointName } from '../../domain/endpoint-name.ts';
import { invalidInput } from '../../domain/errors.ts';
import { type Principal, requireProject, requireScope } from '../../domain/principal.ts';
import { stableJson } from '../../lib/stable-json.ts';
import type { EndpointRecord, VersionRecord } from '../../store/endpoint-record.ts';
import type { LockedEndpoint } from '../../store/endpoint-store.ts';
import type { EndpointChange } from '../../store/endpoint-write.ts';
import { type CoreDeps, endpointKey } from '../deps.ts';
import { requireMaterializable } from '../materialization/materializability.ts';
import { endpointNotFound } from '../run/select-version.ts';
import { type PreparedQuery, prepareQuery } from './prepare-query.ts';

export interface UpdatedEndpoint {
  readonly endpoint: EndpointRecord;
  /** The version that the change was for: the one named, else the current one. */
  readonly version: VersionRecord;
  /** Whether the caller named a version, and so is answered with it. */
  readonly targeted: boolean;
}

/**
 * Changes an endpoint or one of its versions in one transaction. A query that differs from the current
 * one makes the next version; nothing else does. Whatever the input does not name stays as it is.
 */
export async function updateEndpoint(
  deps: CoreDeps,
  principal: Principal,
  call: { readonly projectId: string; readonly name: string; readonly input: EndpointInput },
): Promise<UpdatedEndpoint> {
  requireScope(principal, 'endpoint:write');
  const projectId = requireProject(principal, call.projectId);
  if (!isEndpointName(call.name)) throw endpointNotFound();
  const request = parseUpdateInput(call.input, { ...deps.config, name: call.name });
  const prepared =
    request.query === undefined ? null : await prepareQuery(deps, projectId, request.query);
  const updated = await deps.endpoints.updateEndpoint({
    projectId,
    name: call.name,
    change: (locked) => decideChange(locked, { request, prepared, userId: principal.userId }),
  });
  deps.lookups.endpoints.invalidate(endpointKey(projectId, call.name));
  deps.lookups.versions.invalidate(`${updated.endpoint.id}/${updated.version.version}`);
  return { ...updated, targeted: request.version !== null };
}

interface ChangeRequest {
  readonly request: UpdateRequest;
  readonly prepared: PreparedQuery | null;
  readonly userId: number;
}

/** Decides inside the lock, so that it sees the version it follows. */
async function decideChange(
  locked: LockedEndpoint,
  change: ChangeRequest,
): Promise<EndpointChange> {
  const { request, prepared } = change;
  const current = locked.endpoint.currentVersion;
  const target = await getTarget(locked, request);
  if (request.isMaterialized === true) requireMaterializable();
  const endpoint =
    request.version === null && request.isActive !== undefined
      ? { isActive: request.isActive }
      : {};
  const materialization = {
    ...(request.isMaterialized === undefined ? {} : { enabled: request.isMaterialized }),
    ...(request.syncFrequency === undefined ? {} : { syncFrequency: request.syncFrequency }),
  };
  if (prepared !== null && stableJson(prepared.query) !== stableJson(current.query)) {
    return { endpoint, newVersion: inherit(current, { ...change, prepared }, materialization) };
  }
  return {
    endpoint,
    version: {
      number: target.version,
      ...(request.description === undefined ? {} : { description: request.description }),
      ...(request.cacheAgeSeconds === undefined
        ? {}
        : { cacheAgeSeconds: request.cacheAgeSeconds }),
      ...(request.version !== null && request.isActive !== undefined
        ? { isActive: request.isActive }
        : {}),
      materialization,
    },
  };
}

async function getTarget(locked: LockedEndpoint, request: UpdateRequest): Promise<VersionRecord> {
  const current = locked.endpoint.currentVersion;
  if (request.version === null || request.version === current.version) return current;
  const known = request.version >= 1 && request.version < current.version;
  const version = known ? await locked.findVersion(request.version) : null;
  if (version !== null) return version;
  throw invalidInput(
    'version',
    `Version ${request.version} not found. The versions of this endpoint are 1 to ${current.version}.`,
  );
}

/** A new version takes over every setting of the one it follows, save those that the same request names. */
function inherit(
  current: VersionRecord,
  change: ChangeRequest & { readonly prepared: PreparedQuery },
  materialization: { readonly enabled?: boolean; readonly syncFrequency?: string },
): NonNullable<EndpointChange['newVersion']> {
  const { request, prepared, userId } = change;
  return {
    query: prepared.query,
    columns: prepared.columns,
    variables: prepared.variables,
    description: request.description ?? current.description,
    cacheAgeSeconds:
      request.cacheAgeSeconds === undefined ? current.cacheAgeSeconds : request.cacheAgeSeconds,
    createdById: userId,
    materialization: {
      enabled: current.materialization.enabled,
      syncFrequency: current.materialization.syncFrequency,
      ...materialization,
    },
  };
}
