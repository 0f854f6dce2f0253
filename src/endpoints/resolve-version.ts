import { endpointKey } from '../cache/lookups.ts';
import { OverrunError } from '../engine/execution-origin.ts';
import { ServiceError } from '../errors/service-error.ts';
import { andThen, type MaybePromise } from '../lib/maybe-promise.ts';
import { didYouMean } from '../lib/nearest-name.ts';
import type { EndpointRecord, VersionOfEndpoint, VersionRecord } from '../store/endpoint-record.ts';
import { usageEndpoint, usageEndpointName } from './built-in/usage-endpoint.ts';
import type { EndpointDeps } from './deps.ts';
import { isEndpointName } from './endpoint-name.ts';
import { requireVersion } from './version-number.ts';

/** An endpoint with the selected version. */
export type Selected = VersionOfEndpoint;

export function endpointNotFound(hint = ''): ServiceError {
  const detail = `The project has no endpoint with this name.${hint}`;
  return new ServiceError('not_found', detail, { attr: 'name' });
}

/** The same with the nearest name in the project, for callers that may list its endpoints. */
export async function endpointNotFoundNear(
  { endpoints }: Pick<EndpointDeps, 'endpoints'>,
  projectId: number,
  name: string,
): Promise<ServiceError> {
  if (!isEndpointName(name)) return endpointNotFound();
  const near = await endpoints.listNamesNear(projectId, name.length);
  // Another endpoint may have taken the name since.
  const others = near.filter((other) => other !== name);
  return endpointNotFound(didYouMean(name, others));
}

/**
 * The version with that number, the latest for null; null when the endpoint has no such version.
 *
 * @param find reads a version that is not the current one; called only for numbers that can exist.
 */
export function versionOf<Found extends MaybePromise<VersionRecord | null>>(
  { currentVersion: current }: EndpointRecord,
  number: number | null,
  find: (number: number) => Found,
): VersionRecord | null | Found {
  if (number === null || number === current.version) return current;
  return number >= 1 && number < current.version ? find(number) : null;
}

/** The endpoint from the lookup cache, at most seconds old. Throws `not_found`. */
function getEndpoint(
  deps: EndpointDeps,
  projectId: number,
  { name, now, endpoint: known }: RunnableCall,
): MaybePromise<EndpointRecord> {
  if (known !== undefined) return known;
  const found = lookUpEndpoint(deps, projectId, { name, now });
  return andThen(found, (endpoint) => endpoint ?? refuseMissing(deps, projectId, name));
}

/** From the lookup cache, at most seconds old; null when there is none with that name. */
export function lookUpEndpoint(
  deps: EndpointLookups,
  projectId: number,
  { name, now }: Pick<RunnableCall, 'name' | 'now'>,
): MaybePromise<EndpointRecord | null> {
  return deps.lookups.endpoints.get(
    endpointKey(projectId, name),
    () =>
      name === usageEndpointName
        ? findUsage(deps, projectId)
        : deps.endpoints.findEndpoint(projectId, name),
    now,
  );
}

/** Null when the project does not exist. */
export async function findUsage(
  deps: Pick<EndpointDeps, 'projects'>,
  projectId: number,
): Promise<EndpointRecord | null> {
  const project = await deps.projects.findProject(projectId);
  return project === null ? null : usageEndpoint(project);
}

type EndpointLookups = Pick<EndpointDeps, 'lookups' | 'endpoints' | 'projects'>;

/** The same for one of its versions; null for the number of the latest. */
export function lookUpVersion(
  deps: EndpointLookups,
  endpoint: EndpointRecord,
  number: number | null,
): MaybePromise<VersionRecord | null> {
  return versionOf(endpoint, number, (n) =>
    deps.lookups.versions.get(`${endpoint.id}/${n}`, () =>
      deps.endpoints.findVersion(endpoint.id, n),
    ),
  );
}

async function refuseMissing(deps: EndpointDeps, projectId: number, name: string): Promise<never> {
  throw await endpointNotFoundNear(deps, projectId, name);
}

/** The selected version, from the lookup cache. Throws `version_not_found`. */
function getVersion(
  deps: EndpointDeps,
  endpoint: EndpointRecord,
  number: number | null,
): MaybePromise<VersionRecord> {
  const found = lookUpVersion(deps, endpoint, number);
  return andThen(found, (version) => requireVersion(version, number, endpoint));
}

interface RunnableCall {
  readonly name: string;
  readonly version: number | null;
  readonly now: Date;
  /** The endpoint that the caller has just looked up; absent to look it up by name. */
  readonly endpoint?: EndpointRecord | undefined;
}

/** The endpoint and version of a run. Runs treat an inactive endpoint as missing. */
export function selectVersion(
  deps: EndpointDeps,
  projectId: number,
  call: RunnableCall,
): MaybePromise<Selected> {
  return andThen(getEndpoint(deps, projectId, call), (endpoint) => {
    if (!endpoint.isActive) throw endpointNotFound();
    return andThen(getVersion(deps, endpoint, call.version), (version) => ({ endpoint, version }));
  });
}

/** The same for a version that can be run. */
export function selectRunnable(
  deps: EndpointDeps,
  projectId: number,
  call: RunnableCall,
): MaybePromise<Selected> {
  return andThen(selectVersion(deps, projectId, call), (selected) => {
    requireRunnable(selected);
    return selected;
  });
}

/** Throws for a version that overran its time limit and could not be stopped. */
export function requireNotRefused({ refusedAt }: VersionRecord): void {
  if (refusedAt !== null) throw new OverrunError();
}

/** An inactive version is refused, even if it is the latest: there is no fallback to an older one. */
export function requireRunnable({ endpoint, version }: Selected): void {
  if (version.isActive) {
    requireNotRefused(version);
    return;
  }
  throw new ServiceError(
    'inactive_version',
    `Version ${version.version} of endpoint '${endpoint.name}' is inactive. Activate it or run another version.`,
    { attr: 'version' },
  );
}
