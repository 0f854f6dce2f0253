import { type Principal, requireProject, requireScope } from '../access/principal.ts';
import type { EndpointRecord, VersionRecord } from '../store/endpoint-record.ts';
import { usageEndpointName } from './built-in/usage-endpoint.ts';
import type { EndpointDeps } from './deps.ts';
import {
  endpointNotFound,
  endpointNotFoundNear,
  findUsage,
  type Selected,
  versionOf,
} from './resolve-version.ts';
import { parseVersionNumber, requireVersion } from './version-number.ts';

interface ReadCall {
  readonly projectId: string;
  readonly name: string;
  readonly version?: number | null | undefined;
}

/**
 * Reads an endpoint and one of its versions, by default the latest, from the metadata database rather than a cache.
 * Includes inactive ones. Throws `not_found` or `version_not_found`.
 */
export async function readEndpoint(
  deps: EndpointDeps,
  principal: Principal,
  call: ReadCall,
): Promise<Selected> {
  requireScope(principal, 'endpoint:read');
  const projectId = requireProject(principal, call.projectId);
  const number = parseVersionNumber(call.version);
  const found = await findAtVersion(deps, { projectId, name: call.name, version: number });
  if (found === null) throw await endpointNotFoundNear(deps, projectId, call.name);
  const { endpoint, version } = found;
  return { endpoint, version: requireVersion(version, number, endpoint) };
}

/** The same, including the built-in endpoint, which can only be run and described. */
export async function readDescribed(
  deps: EndpointDeps,
  principal: Principal,
  call: ReadCall,
): Promise<Selected> {
  if (call.name !== usageEndpointName) return readEndpoint(deps, principal, call);
  requireScope(principal, 'endpoint:read');
  const endpoint = await findUsage(deps, requireProject(principal, call.projectId));
  if (endpoint === null) throw endpointNotFound();
  const number = parseVersionNumber(call.version);
  const version = versionOf(endpoint, number, () => null);
  return { endpoint, version: requireVersion(version, number, endpoint) };
}

/** An endpoint at a version; null for what does not exist. */
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
