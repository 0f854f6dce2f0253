/** What the audit log keeps of an endpoint and the version that a write was for. */
import type { AuditState } from './audit-store.ts';
import type { EndpointRecord, VersionRecord } from './endpoint-record.ts';

/** What an author can set, in the words of GraphQL; nothing that follows from it or changes by itself. */
export function endpointState(endpoint: EndpointRecord, version: VersionRecord): AuditState {
  return {
    id: endpoint.id,
    name: endpoint.name,
    isActive: endpoint.isActive,
    derivedFromInsight: endpoint.derivedFromInsight,
    version: version.version,
    description: version.description,
    query: version.query,
    cacheAgeSeconds: version.cacheAgeSeconds,
    versionIsActive: version.isActive,
    isMaterialized: version.materialization.enabled,
    syncFrequency: version.materialization.syncFrequency,
    maxStoredRows: version.materialization.maxRows,
  };
}
