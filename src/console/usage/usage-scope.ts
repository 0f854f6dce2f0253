/** Whose usage a view shows. */
import type { UsageFilter } from '../generated/graphql.ts';
import type { AskedTime } from './usage-address.ts';

export interface UsageScope {
  readonly projectId: string;
  /** Null: all endpoints, and queries that are not saved. */
  readonly endpoint: { readonly id: string; readonly name: string } | null;
  readonly time: AskedTime;
}

export function filterOf({ endpoint }: UsageScope): UsageFilter {
  return endpoint === null ? {} : { endpointIds: [endpoint.id] };
}
