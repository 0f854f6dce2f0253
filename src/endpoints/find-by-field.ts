import { endpointKey, fieldKey } from '../cache/lookups.ts';
import { andThen, type MaybePromise } from '../lib/maybe-promise.ts';
import type { EndpointRecord } from '../store/endpoint-record.ts';
import type { EndpointDeps } from './deps.ts';

/**
 * The endpoint with this data graph field, from the lookup caches; null when there is none. Includes inactive
 * endpoints.
 */
export function findByField(
  deps: Pick<EndpointDeps, 'endpoints' | 'lookups'>,
  projectId: number,
  { field, now }: { readonly field: string; readonly now: Date },
): MaybePromise<EndpointRecord | null> {
  const { endpoints, lookups } = deps;
  const key = fieldKey(projectId, field);
  const readName = async () => (await endpoints.findByField(projectId, field))?.name ?? null;
  return andThen(lookups.fields.get(key, readName, now), (name) => {
    if (name === null) return null;
    const named = endpointKey(projectId, name);
    const found = lookups.endpoints.get(named, () => endpoints.findEndpoint(projectId, name), now);
    return andThen(found, (endpoint) => {
      if (endpoint?.graphqlName === field) return endpoint;
      // One of the two dates from before a change of the name.
      lookups.fields.invalidate(key);
      lookups.endpoints.invalidate(named);
      return endpoints.findByField(projectId, field);
    });
  });
}
