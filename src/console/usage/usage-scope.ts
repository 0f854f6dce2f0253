/** The subject of a usage view. */
import type { UsageFilter } from '../generated/graphql.ts';
import type { RequestedPeriod } from './usage-address.ts';

export interface UsageScope {
  readonly projectId: string;
  /** Null for all endpoints and unsaved queries. */
  readonly endpoint: { readonly id: string; readonly name: string } | null;
  readonly time: RequestedPeriod;
}

export function filterOf({ endpoint }: UsageScope): UsageFilter {
  return endpoint === null ? {} : { endpointIds: [endpoint.id] };
}
