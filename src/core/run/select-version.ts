import { ServiceError } from '../../domain/errors.ts';
import { versionNotFound } from '../../domain/run-request.ts';
import type { EndpointRecord, VersionRecord } from '../../store/endpoint-record.ts';
import { type CoreDeps, endpointKey } from '../deps.ts';

export interface Selected {
  readonly endpoint: EndpointRecord;
  readonly version: VersionRecord;
}

export function endpointNotFound(): ServiceError {
  return new ServiceError('not_found', 'No endpoint of this name exists in the project.', {
    attr: 'name',
  });
}

/** The endpoint as the look-up knows it, at most seconds old. Throws `not_found`. */
export async function getEndpoint(
  deps: CoreDeps,
  projectId: number,
  name: string,
): Promise<EndpointRecord> {
  const endpoint = await deps.lookups.endpoints.get(endpointKey(projectId, name), () =>
    deps.endpoints.findEndpoint(projectId, name),
  );
  if (endpoint === null) throw endpointNotFound();
  return endpoint;
}

/** The version of that number, null meaning the latest. Throws `version_not_found`. */
export async function getVersion(
  deps: CoreDeps,
  endpoint: EndpointRecord,
  number: number | null,
): Promise<VersionRecord> {
  const current = endpoint.currentVersion;
  if (number === null || number === current.version) return current;
  if (number < 1 || number > current.version)
    throw versionNotFound(number, endpoint.name, current.version);
  const version = await deps.lookups.versions.get(`${endpoint.id}/${number}`, () =>
    deps.endpoints.findVersion(endpoint.id, number),
  );
  if (version === null) throw versionNotFound(number, endpoint.name, current.version);
  return version;
}

/**
 * What a run of (name, version) runs. An inactive endpoint is not there for runs; an inactive version is
 * refused, also when it is the latest: nothing falls back to an older one.
 */
export async function selectRunnable(
  deps: CoreDeps,
  projectId: number,
  call: { readonly name: string; readonly version: number | null },
): Promise<Selected> {
  const endpoint = await getEndpoint(deps, projectId, call.name);
  if (!endpoint.isActive) throw endpointNotFound();
  const version = await getVersion(deps, endpoint, call.version);
  if (version.isActive) return { endpoint, version };
  throw new ServiceError(
    'inactive_version',
    `Version ${version.version} of endpoint '${endpoint.name}' is inactive. Activate it or run another version.`,
    { attr: 'version' },
  );
}
