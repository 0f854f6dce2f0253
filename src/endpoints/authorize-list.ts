import { type Principal, requireProject, requireScope } from '../access/principal.ts';
import { invalidInput } from '../errors/service-error.ts';
import { requireStorableText } from '../sql/storable-text.ts';
import type { EndpointList, EndpointListFilter } from '../store/endpoint-list.ts';

/** The list that the key may read, checked. */
export function listEndpoints(
  principal: Principal,
  call: {
    readonly projectId: string;
    readonly filter: EndpointListFilter;
    readonly offset?: number | null | undefined;
  },
): EndpointList {
  requireScope(principal, 'endpoint:read');
  const projectId = requireProject(principal, call.projectId);
  if (typeof call.filter.search === 'string') requireStorableText(call.filter.search, 'search');
  return { projectId, filter: call.filter, offset: requireOffset(call.offset) };
}

/** Rows to skip; PostgreSQL counts them in 64 bits, callers of GraphQL in 32. */
export function requireOffset(offset: number | null | undefined): number {
  if (offset === undefined || offset === null) return 0;
  if (Number.isSafeInteger(offset) && offset >= 0 && offset <= 2_147_483_647) return offset;
  throw invalidInput('offset', 'An offset is a whole number from 0 to 2147483647.');
}
