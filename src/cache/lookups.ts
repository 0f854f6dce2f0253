import type { EndpointRecord, VersionRecord } from '../store/endpoint-record.ts';
import type { KeyRecord } from '../store/key-store.ts';
import type { LookupCache } from './lookup-cache.ts';

/** Records cached in memory for the hot path; the change feed invalidates what other processes change. */
export interface Lookups {
  /** By the hash of the key. */
  readonly keys: LookupCache<KeyRecord>;
  /** By `endpointKey`. */
  readonly endpoints: LookupCache<EndpointRecord>;
  /** By `fieldKey`: names of endpoints by those of their fields in the data graph. */
  readonly fields: LookupCache<string>;
  /** By endpoint id and number; versions other than the current one. */
  readonly versions: LookupCache<VersionRecord>;
}

export function fieldKey(projectId: number, field: string): string {
  return `${projectId}/${field}`;
}

export function endpointKey(projectId: number, name: string): string {
  return `${projectId}/${name}`;
}
