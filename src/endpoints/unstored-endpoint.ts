import type { Variable } from '../query/variables.ts';
import type {
  ColumnRecord,
  EndpointRecord,
  VersionOfEndpoint,
  VersionRecord,
} from '../store/endpoint-record.ts';
import type { ProjectRecord } from '../store/project-store.ts';

/** A query without a row in the metadata database, in the form in which the run pipeline takes a saved one. */
export interface UnstoredEndpoint {
  readonly id: string;
  /** Must not be a saved endpoint's name. */
  readonly name: string;
  /** Its data graph field; absent for none. */
  readonly graphqlName?: string;
  readonly description?: string;
  readonly project: ProjectRecord;
  /** {kind, query, variables} */
  readonly query: object;
  readonly columns?: readonly ColumnRecord[];
  readonly variables?: readonly Variable[];
  readonly cacheAgeSeconds: number;
  readonly createdAt: Date;
}

export function unstoredEndpoint(given: UnstoredEndpoint): VersionOfEndpoint {
  const { id, name, project, createdAt } = given;
  const version: VersionRecord = {
    id,
    endpointId: id,
    version: 1,
    description: given.description ?? '',
    query: { ...given.query },
    columns: given.columns ?? [],
    columnsRevision: 0,
    variables: (given.variables ?? []).map((variable) => ({ ...variable })),
    cacheAgeSeconds: given.cacheAgeSeconds,
    isActive: true,
    refusedAt: null,
    createdById: null,
    createdAt,
    materialization: { ...notMaterialized, id },
  };
  const endpoint: EndpointRecord = {
    id,
    projectId: project.id,
    name,
    isActive: true,
    derivedFromInsight: null,
    graphqlName: given.graphqlName ?? '',
    tags: [],
    dataRevision: project.dataRevision,
    recordsValues: project.recordsValues,
    createdAt,
    updatedAt: createdAt,
    lastExecutedAt: null,
    createdById: null,
    projectLimits: project.limits,
    currentVersion: version,
  };
  return { endpoint, version };
}

const notMaterialized: Omit<VersionRecord['materialization'], 'id'> = {
  enabled: false,
  syncFrequency: '24hour',
  maxRows: null,
  plan: null,
  reason: null,
  tableName: null,
  lastMaterializedAt: null,
  lastFailedAt: null,
  cancelledAt: null,
  settingsChangedAt: null,
  readMs: null,
  inlineMs: null,
  attempts: 0,
  claimedUntil: null,
  error: null,
  nextSyncAt: null,
  rowCount: null,
  byteCount: null,
};
