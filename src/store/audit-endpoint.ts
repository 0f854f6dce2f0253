import type { AuditState } from './audit-store.ts';
import type { VersionOfEndpoint } from './endpoint-record.ts';

/**
 * What the audit log records of an endpoint and the version that a write was for: everything that an author can set, named
 * as in GraphQL, and nothing that follows from it or changes by itself.
 */
export function endpointState({ endpoint, version }: VersionOfEndpoint): AuditState {
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
