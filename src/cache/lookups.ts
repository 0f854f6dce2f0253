import type { EndpointRecord, VersionRecord } from '../store/endpoint-record.ts';
import type { KeyRecord } from '../store/key-store.ts';
import type { LookupCache } from './lookup-cache.ts';

/** Records cached in memory for the hot path; the change feed invalidates what other processes change. */
export interface Lookups {
  /** Keyed by the API key's hash. */
  readonly keys: LookupCache<KeyRecord>;
  /** Keyed by `endpointKey`. */
  readonly endpoints: LookupCache<EndpointRecord>;
  /** Endpoint names by their data graph fields, keyed by `fieldKey`. */
  readonly fields: LookupCache<string>;
  /** Versions other than the current one, keyed by endpoint id and number. */
  readonly versions: LookupCache<VersionRecord>;
}

export function fieldKey(projectId: number, field: string): string {
  return `${projectId}/${field}`;
}

export function endpointKey(projectId: number, name: string): string {
  return `${projectId}/${name}`;
}
