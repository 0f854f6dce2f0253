/** A query that is not saved, in the form in which the pipeline of runs takes a saved one. */
import type { Selected } from '../endpoints/resolve-version.ts';
import type { QueryDefinition } from '../query/query-definition.ts';
import type { EndpointRecord, VersionRecord } from '../store/endpoint-record.ts';
import type { ProjectRecord } from '../store/project-store.ts';

/** No endpoint has this name; executions of unsaved queries are recorded under it. */
export const unsavedName = '';
const unsavedId = 'unsaved';

export function isUnsaved({ name }: Pick<EndpointRecord, 'name'>): boolean {
  return name === unsavedName;
}

/** Its results are never cached: whoever tries a query wants the rows of now. */
export function unsavedQuery(project: ProjectRecord, query: QueryDefinition, now: Date): Selected {
  const version: VersionRecord = {
    id: unsavedId,
    endpointId: unsavedId,
    version: 1,
    description: '',
    query: { ...query },
    columns: [],
    columnsRevision: 0,
    variables: [],
    cacheAgeSeconds: 0,
    isActive: true,
    refusedAt: null,
    createdById: null,
    createdAt: now,
    materialization: notMaterialized,
  };
  const endpoint: EndpointRecord = {
    id: unsavedId,
    projectId: project.id,
    name: unsavedName,
    isActive: true,
    derivedFromInsight: null,
    graphqlName: '',
    tags: [],
    dataRevision: project.dataRevision,
    createdAt: now,
    updatedAt: now,
    lastExecutedAt: null,
    createdById: null,
    projectLimits: project.limits,
    currentVersion: version,
  };
  return { endpoint, version };
}

const notMaterialized: VersionRecord['materialization'] = {
  id: unsavedId,
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
