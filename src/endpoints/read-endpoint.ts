import { type Principal, requireProject, requireScope } from '../access/principal.ts';
import type { EndpointDeps } from './deps.ts';
import { endpointNotFound, type Selected } from './resolve-version.ts';
import { parseVersionNumber, versionNotFound } from './version-number.ts';

/**
 * The endpoint and the version that is meant, as the records stand now; the latest when none is named.
 * Inactive ones are found too. Throws `not_found` or `version_not_found`.
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
  const endpoint = await deps.endpoints.findEndpoint(projectId, call.name);
  if (endpoint === null) throw endpointNotFound();
  const current = endpoint.currentVersion;
  if (number === null || number === current.version) return { endpoint, version: current };
  const known = number >= 1 && number < current.version;
  const version = known ? await deps.endpoints.findVersion(endpoint.id, number) : null;
  if (version === null) throw versionNotFound(number, endpoint.name, current.version);
  return { endpoint, version };
}
