import { type Principal, requireProject, requireScope } from '../access/principal.ts';
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
  const endpoint = await deps.endpoints.findEndpoint(projectId, call.name);
  if (endpoint === null) throw endpointNotFound();
  const found = await versionOf(endpoint, number, (n) =>
    deps.endpoints.findVersion(endpoint.id, n),
  );
  return { endpoint, version: requireVersion(found, number, endpoint) };
}
