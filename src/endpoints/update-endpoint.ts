import { currentActor } from '../access/current-actor.ts';
import { type Principal, requireProject, requireScope } from '../access/principal.ts';
import { endpointKey } from '../cache/lookups.ts';
import { withOrigin } from '../engine/execution-origin.ts';
import { invalidInput } from '../errors/service-error.ts';
import { stableJson } from '../lib/stable-json.ts';
import type { PlanResult } from '../model/materialization-plan.ts';
import type { EndpointRecord, VersionRecord } from '../store/endpoint-record.ts';
import type { LockedEndpoint } from '../store/endpoint-store.ts';
import type { EndpointChange, VersionChange } from '../store/endpoint-write.ts';
import { cannotMaterialize, requirePlanned } from './cannot-materialize.ts';
import { checkRowLimitOfUpdate } from './check-update-row-limit.ts';
import type { EndpointDeps } from './deps.ts';
import { type EndpointInput, parseUpdateInput, type UpdateRequest } from './endpoint-input.ts';
import { isEndpointName } from './endpoint-name.ts';
import { originOf } from './origin.ts';
import { type PreparedQuery, prepareQuery } from './prepare-query.ts';
import { endpointNotFound, requireNotRefused, type Selected } from './resolve-version.ts';
import { parsedQueryOf } from './version-query.ts';

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
  deps: EndpointDeps,
  principal: Principal,
  call: { readonly projectId: string; readonly name: string; readonly input: EndpointInput },
): Promise<UpdatedEndpoint> {
  requireScope(principal, 'endpoint:write');
  const projectId = requireProject(principal, call.projectId);
  if (!isEndpointName(call.name)) throw endpointNotFound();
  const request = parseUpdateInput(call.input, { ...deps.config, name: call.name });
  const prepared =
    request.query === undefined ? null : await prepareQuery(deps, projectId, request.query);
  await checkRowLimitOfUpdate(deps, { projectId, name: call.name, request, prepared });
  const updated = await deps.endpoints.updateEndpoint({
    projectId,
    name: call.name,
    by: currentActor(principal),
    change: (locked) =>
      decideChange(deps, locked, { projectId, request, prepared, userId: principal.userId }),
  });
  deps.lookups.endpoints.invalidate(endpointKey(projectId, call.name));
  // Not this version only: an endpoint that is deactivated stops the materialization of each.
  deps.lookups.versions.clear();
  return { ...updated, targeted: request.version !== null };
}

interface ChangeRequest {
  readonly projectId: number;
  readonly request: UpdateRequest;
  readonly prepared: PreparedQuery | null;
  readonly userId: number;
}

/** Decides inside the lock, so that it sees the version it follows. */
async function decideChange(
  deps: EndpointDeps,
  locked: LockedEndpoint,
  change: ChangeRequest,
): Promise<EndpointChange> {
  const { request, prepared } = change;
  const current = locked.endpoint.currentVersion;
  const target = await getTarget(locked, request);
  const changed =
    prepared !== null && stableJson(prepared.query) !== stableJson(current.query) ? prepared : null;
  const flags = activity(request, { endpoint: locked.endpoint, target, isNew: changed !== null });
  requireActive(request, flags);
  const endpoint =
    request.version === null && request.isActive !== undefined
      ? { isActive: request.isActive }
      : {};
  const stopsMaterializations = endpoint.isActive === false;
  if (changed !== null) {
    const newVersion = inherit(current, { ...change, prepared: changed }, flags);
    return { endpoint, stopsMaterializations, newVersion };
  }
  const planned = await planTarget(deps, change, { endpoint: locked.endpoint, version: target });
  return {
    endpoint,
    stopsMaterializations,
    version: toVersionChange(request, { target, planned, flags }),
  };
}

/** Whether the endpoint and the version that is meant are active after the change. */
interface Activity {
  readonly endpoint: boolean;
  readonly version: boolean;
}

function activity(
  request: UpdateRequest,
  was: {
    readonly endpoint: EndpointRecord;
    readonly target: VersionRecord;
    readonly isNew: boolean;
  },
): Activity {
  const isTargeted = request.version !== null;
  const version = was.isNew || was.target.isActive;
  return {
    endpoint: isTargeted ? was.endpoint.isActive : (request.isActive ?? was.endpoint.isActive),
    version: isTargeted ? (request.isActive ?? version) : version,
  };
}

function requireActive(request: UpdateRequest, flags: Activity): void {
  if (request.isMaterialized !== true || (flags.endpoint && flags.version)) return;
  const what = flags.endpoint ? 'version' : 'endpoint';
  throw cannotMaterialize(`The ${what} is inactive. Activate it first, or in the same request.`);
}

/** Asks the planner when a version is to be turned on: what it reads may have changed since it was saved. */
async function planTarget(
  deps: EndpointDeps,
  { projectId, request }: ChangeRequest,
  { endpoint, version: target }: Selected,
): Promise<PlanResult | undefined> {
  if (request.isMaterialized !== true || target.materialization.enabled) return undefined;
  requireNotRefused(target);
  const selected = { endpoint, version: target };
  const planned = await withOrigin(originOf(selected), () =>
    deps.eligibility.plan(projectId, parsedQueryOf(target)),
  );
  requirePlanned(planned);
  return planned;
}

function toVersionChange(
  request: UpdateRequest,
  decided: {
    readonly target: VersionRecord;
    readonly planned: PlanResult | undefined;
    readonly flags: Activity;
  },
): VersionChange {
  const { target, planned, flags } = decided;
  const enabled = flags.endpoint && flags.version ? request.isMaterialized : false;
  const { description, cacheAgeSeconds, syncFrequency, maxStoredRows: maxRows } = request;
  return {
    number: target.version,
    description,
    cacheAgeSeconds,
    isActive: request.version === null ? undefined : request.isActive,
    materialization: { enabled, syncFrequency, maxRows, planned },
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

/**
 * A new version takes over every setting of the one it follows, save those that the same request names. What
 * it takes over it can do, or the request is refused whole: nothing is turned off without a word.
 */
function inherit(
  current: VersionRecord,
  change: ChangeRequest & { readonly prepared: PreparedQuery },
  flags: Activity,
): NonNullable<EndpointChange['newVersion']> {
  const { request, userId } = change;
  const { planned, ...prepared } = change.prepared;
  const { enabled: was, syncFrequency, maxRows } = current.materialization;
  const enabled = flags.endpoint && (request.isMaterialized ?? was);
  if (enabled) requirePlanned(planned);
  return {
    ...prepared,
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
