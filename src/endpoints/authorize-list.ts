/** Which endpoints a key may list or look up; also validates the list's arguments. */
import { requireExistingProject } from '../access/get-project.ts';
import { type Principal, requireScope } from '../access/principal.ts';
import { invalidInput } from '../errors/service-error.ts';
import { isUuid } from '../lib/ids.ts';
import { hasScope } from '../model/scope.ts';
import { requireStorableText } from '../sql/storable-text.ts';
import type { EndpointList, EndpointListFilter, NodeList } from '../store/endpoint-list.ts';
import type { EndpointDeps } from './deps.ts';
import { parseLabels } from './labels.ts';

const maxNodes = 100;

/** Throws `not_found` for a project that does not exist. */
export async function authorizeList(
  deps: EndpointDeps,
  principal: Principal,
  call: {
    readonly projectId: string;
    readonly filter: EndpointListFilter;
    readonly offset?: number | null | undefined;
  },
): Promise<EndpointList> {
  requireScope(principal, 'endpoint:read');
  const projectId = await requireExistingProject(deps, principal, call.projectId);
  if (typeof call.filter.search === 'string') requireStorableText(call.filter.search, 'search');
  if (Array.isArray(call.filter.tags)) parseLabels(call.filter.tags);
  return { projectId, filter: call.filter, offset: requireOffset(call.offset) };
}

/** Endpoints of projects that the key may not see are treated as missing. */
export function authorizeNodes(principal: Principal, ids: readonly string[]): NodeList {
  requireScope(principal, 'endpoint:read');
  if (ids.length > maxNodes) {
    throw invalidInput('ids', `ids may have at most ${maxNodes} entries.`);
  }
  const projectIds = hasScope(principal.scopes, 'admin') ? null : principal.projectIds;
  return { ids: ids.filter(isUuid), projectIds };
}

/** Rows to skip; PostgreSQL counts them in 64 bits, GraphQL callers in 32. */
export function requireOffset(offset: number | null | undefined): number {
  if (offset === undefined || offset === null) return 0;
  if (Number.isSafeInteger(offset) && offset >= 0 && offset <= 2_147_483_647) return offset;
  throw invalidInput('offset', 'offset must be an integer from 0 to 2147483647.');
}
