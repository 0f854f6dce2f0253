import type { AuditState } from './audit-store.ts';
import type { VersionOfEndpoint } from './endpoint-record.ts';

/**
 * An endpoint and the written version as the audit log records them: all settings of the author, named as in GraphQL,
 * and nothing derived.
 */
export function endpointState({ endpoint, version }: VersionOfEndpoint): AuditState {
  return {
    id: endpoint.id,
    name: endpoint.name,
    graphqlName: endpoint.graphqlName,
    isActive: endpoint.isActive,
    derivedFromInsight: endpoint.derivedFromInsight,
    tags: endpoint.tags,
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
