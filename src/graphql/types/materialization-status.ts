import type { Prisma } from '../../generated/prisma/client.ts';
import { readProgress, readState, type SyncProgress } from '../../materialization/status.ts';
import type { MaterializationPlan } from '../../model/materialization-plan.ts';
import { rowLimitOf } from '../../model/row-limit.ts';
import { builder } from '../builder.ts';
import type { GatewayContext } from '../context.ts';

const SyncProgressType = builder.objectRef<SyncProgress>('SyncProgress').implement({
  description: 'Progress of a running sync.',
  fields: (t) => ({
    rowsRead: t.exposeFloat('rowsRead', { description: 'Rows read.' }),
    bytesRead: t.exposeFloat('bytesRead', { description: 'Bytes read.' }),
    rowsTotal: t.exposeFloat('rowsTotal', {
      description: 'Estimated number of rows to read; 0 if unknown.',
    }),
    percent: t.exposeFloat('percent', {
      nullable: true,
      description: 'Percentage of the rows read; null if unknown.',
    }),
    timeElapsed: t.exposeFloat('timeElapsed', { description: 'Seconds since the sync started.' }),
  }),
});

const MaterializationSync = builder.prismaObject('MaterializationSync', {
  description: 'A finished sync.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Id of the sync, and of its query at the engine.' }),
    startedAt: t.expose('startedAt', { type: 'DateTime', description: 'When the sync started.' }),
    endedAt: t.expose('endedAt', { type: 'DateTime', description: 'When the sync ended.' }),
    outcome: t.exposeString('outcome', { description: 'Outcome: completed, failed or cancelled.' }),
    error: t.exposeString('error', {
      nullable: true,
      description: 'Error message, if the sync failed.',
    }),
    rows: t.float({
      nullable: true,
      description: 'Number of rows of its table.',
      resolve: (s) => toNumber(s.rowCount),
    }),
    bytes: t.float({
      nullable: true,
      description: 'Size of its table on disk in bytes.',
      resolve: (s) => toNumber(s.byteCount),
    }),
    durationSeconds: t.float({
      description: 'Duration of the sync in seconds.',
      resolve: (s) => s.durationMs / 1000,
    }),
  }),
});

function toNumber(value: bigint | null): number | null {
  return value === null ? null : Number(value);
}

/** Columns that `readState` reads. */
const facts = {
  enabled: true,
  syncFrequency: true,
  maxRows: true,
  plan: true,
  reason: true,
  tableName: true,
  lastMaterializedAt: true,
  lastFailedAt: true,
  cancelledAt: true,
  settingsChangedAt: true,
  readMs: true,
  inlineMs: true,
  attempts: true,
  claimedUntil: true,
} as const satisfies Prisma.MaterializationStatusSelect;

type FactRow = Prisma.MaterializationStatusGetPayload<{ select: typeof facts }>;

function state(row: FactRow, { deps }: GatewayContext) {
  const plan = row.plan as unknown as MaterializationPlan | null;
  return readState({ ...row, plan }, deps.clock.now());
}

export const MaterializationStatus = builder.prismaObject('MaterializationStatus', {
  select: { id: true },
  description:
    'State of the materialization of one version. While it is disabled, only canMaterialize and reason are meaningful.',
  fields: (t) => ({
    enabled: t.exposeBoolean('enabled', { description: 'Whether materialization is enabled.' }),
    status: t.string({
      select: facts,
      nullable: true,
      description:
        'Running, Completed, Failed, Modified (settings changed since the last sync) or Cancelled; null while materialization is disabled. After Failed, a later sync may succeed if canMaterialize is true; otherwise the query is refused for the given reason.',
      resolve: (m, _args, context) => state(m, context).status,
    }),
    canMaterialize: t.boolean({
      select: facts,
      description: 'Whether the query of this version can be materialized.',
      resolve: (m, _args, context) => state(m, context).canMaterialize,
    }),
    reason: t.string({
      select: facts,
      nullable: true,
      description: 'Why it cannot be materialized, and where in the query; null if it can.',
      resolve: (m, _args, context) => state(m, context).reason,
    }),
    lastMaterializedAt: t.expose('lastMaterializedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When the sync that built the stored table started; its rows are as of then.',
    }),
    error: t.exposeString('error', {
      nullable: true,
      description: 'Why the newest sync failed; null if it did not.',
    }),
    syncFrequency: t.string({
      select: { enabled: true, syncFrequency: true },
      nullable: true,
      description:
        'How often it is recomputed: 5min to 30day; null while materialization is disabled.',
      resolve: (m) => (m.enabled ? m.syncFrequency : null),
    }),
    maxStoredRows: t.int({
      select: { enabled: true, maxRows: true },
      nullable: true,
      description:
        'Maximum number of rows in the stored table: the limit of the version, or the default of the server; null while materialization is disabled.',
      resolve: (m, _args, { deps }) => (m.enabled ? rowLimitOf(m.maxRows, deps.config) : null),
    }),
    nextSyncAt: t.expose('nextSyncAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When the next sync is due.',
    }),
    rows: t.float({
      select: { rowCount: true },
      nullable: true,
      description: 'Number of rows of the stored table.',
      resolve: (m) => toNumber(m.rowCount),
    }),
    bytes: t.float({
      select: { byteCount: true },
      nullable: true,
      description: 'Size of the stored table on disk in bytes.',
      resolve: (m) => toNumber(m.byteCount),
    }),
    durationSeconds: t.float({
      select: { durationMs: true },
      nullable: true,
      description: 'Duration in seconds of the sync that built the stored table.',
      resolve: (m) => (m.durationMs === null ? null : m.durationMs / 1000),
    }),
    ready: t.boolean({
      select: facts,
      description: 'Whether runs can currently be served from the stored table.',
      resolve: (m, _args, context) => state(m, context).isReady,
    }),
    readMs: t.exposeFloat('readMs', {
      nullable: true,
      description:
        'Milliseconds that the engine takes for reads of the stored table, measured by its sync; null if not measured.',
    }),
    inlineMs: t.exposeFloat('inlineMs', {
      nullable: true,
      description:
        'Milliseconds that the engine takes for the same runs on the source data; null if not measured.',
    }),
    servedFrom: t.string({
      select: facts,
      nullable: true,
      description:
        'How runs are currently served: materialized, or inline if the table is not ready or reading it is clearly slower; null while materialization is disabled.',
      resolve: (m, _args, context) => state(m, context).servedFrom,
    }),
    progress: t.field({
      type: SyncProgressType,
      nullable: true,
      description: 'Progress of the running sync; null if none is running.',
      select: {
        syncId: true,
        claimedUntil: true,
        version: { select: { endpoint: { select: { projectId: true } } } },
      },
      resolve: (m, _args, { deps }) =>
        readProgress(deps, { ...m, projectId: m.version.endpoint.projectId }),
    }),
    history: t.relation('syncs', {
      type: MaterializationSync,
      description: 'The last finished syncs, newest first, at most 20.',
      query: () => ({ orderBy: [{ startedAt: 'desc' }, { id: 'desc' }], take: 20 }),
    }),
  }),
});
