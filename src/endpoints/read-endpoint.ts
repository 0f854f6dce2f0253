import { type Principal, requireProject, requireScope } from '../access/principal.ts';
import type { EndpointRecord, VersionRecord } from '../store/endpoint-record.ts';
import type { EndpointDeps } from './deps.ts';
import { endpointNotFound, type Selected, versionOf } from './resolve-version.ts';
import { parseVersionNumber, requireVersion } from './version-number.ts';

/**
 * The endpoint and the version that is meant, the latest when none is named, from the metadata database and not from a
 * cache. Inactive ones are found too. Throws `not_found` or `version_not_found`.
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
  if (found === null) throw endpointNotFound();
  const { endpoint, version } = found;
  return { endpoint, version: requireVersion(version, number, endpoint) };
}

/** The endpoint and the version that is meant, each null when there is none; from the metadata database. */
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
