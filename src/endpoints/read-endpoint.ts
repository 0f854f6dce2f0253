import { type Principal, requireProject, requireScope } from '../access/principal.ts';
import type { EndpointRecord, VersionRecord } from '../store/endpoint-record.ts';
import type { EndpointDeps } from './deps.ts';
import { endpointNotFoundNear, type Selected, versionOf } from './resolve-version.ts';
import { parseVersionNumber, requireVersion } from './version-number.ts';

/**
 * Reads an endpoint and a version of it, by default the latest, from the metadata database and not from a cache.
 * Includes inactive ones. Throws `not_found` or `version_not_found`.
 */
export async function readEndpoint(
  deps: EndpointDeps,
  principal: Principal,
  call: {
    readonly projectId: string;
    readonly name: string;
    readonly version?: number | null | undefined;
  },
): Promise<Selected> {
  requireScope(principal, 'endpoint:read');
  const projectId = requireProject(principal, call.projectId);
  const number = parseVersionNumber(call.version);
  const found = await findAtVersion(deps, { projectId, name: call.name, version: number });
  if (found === null) throw await endpointNotFoundNear(deps, projectId, call.name);
  const { endpoint, version } = found;
  return { endpoint, version: requireVersion(version, number, endpoint) };
}

/** The same, with null for what does not exist. */
export async function findAtVersion(
  deps: EndpointDeps,
  call: { readonly projectId: number; readonly name: string; readonly version: number | null },
): Promise<{ readonly endpoint: EndpointRecord; readonly version: VersionRecord | null } | null> {
  const endpoint = await deps.endpoints.findEndpoint(call.projectId, call.name);
  if (endpoint === null) return null;
  const version = await versionOf(endpoint, call.version, (number) =>
    deps.endpoints.findVersion(endpoint.id, number),
  );
  return { endpoint, version };
}
