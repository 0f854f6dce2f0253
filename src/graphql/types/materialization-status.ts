import type { MaterializationStatus as StatusRow } from '../../generated/prisma/client.ts';
import { readProgress, readState, type SyncProgress } from '../../materialization/status.ts';
import type { MaterializationPlan } from '../../model/materialization-plan.ts';
import { rowLimitOf } from '../../model/row-limit.ts';
import { builder } from '../builder.ts';
import type { GatewayContext } from '../context.ts';

const SyncProgressType = builder.objectRef<SyncProgress>('SyncProgress').implement({
  description: 'How far a sync under way has come.',
  fields: (t) => ({
    rowsRead: t.exposeFloat('rowsRead', { description: 'Rows read.' }),
    bytesRead: t.exposeFloat('bytesRead', { description: 'Bytes read.' }),
    rowsTotal: t.exposeFloat('rowsTotal', {
      description: 'Rows to read in all; 0 when the engine does not say.',
    }),
    percent: t.exposeFloat('percent', {
      nullable: true,
      description: 'Of the rows to read; null when the engine does not say how many.',
    }),
    timeElapsed: t.exposeFloat('timeElapsed', { description: 'Seconds since it began.' }),
  }),
});

export const MaterializationSync = builder.prismaObject('MaterializationSync', {
  description: 'One sync that has ended.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Id of the sync, and of its query at the engine.' }),
    startedAt: t.expose('startedAt', { type: 'DateTime', description: 'When it began.' }),
    endedAt: t.expose('endedAt', { type: 'DateTime', description: 'When it ended.' }),
    outcome: t.exposeString('outcome', { description: 'completed, failed or cancelled.' }),
    error: t.exposeString('error', { nullable: true, description: 'Why it failed.' }),
    rows: t.float({
      nullable: true,
      description: 'Rows of its table.',
      resolve: (s) => toNumber(s.rowCount),
    }),
    bytes: t.float({
      nullable: true,
      description: 'Bytes of its table on disk.',
      resolve: (s) => toNumber(s.byteCount),
    }),
    durationSeconds: t.float({
      description: 'How long it took.',
      resolve: (s) => s.durationMs / 1000,
    }),
  }),
});

function toNumber(value: bigint | null): number | null {
  return value === null ? null : Number(value);
}

function state(row: StatusRow, { deps }: GatewayContext) {
  const plan = row.plan as unknown as MaterializationPlan | null;
  return readState({ ...row, plan }, deps.clock.now());
}

export const MaterializationStatus = builder.prismaObject('MaterializationStatus', {
  description:
    'Whether one version is materialized and how its stored table stands. While it is off, only canMaterialize and reason say something.',
  fields: (t) => ({
    enabled: t.exposeBoolean('enabled', { description: 'Whether materialization is turned on.' }),
    status: t.string({
      nullable: true,
      description: 'Running, Completed, Failed, Modified or Cancelled; null while it is off.',
      resolve: (m, _args, context) => state(m, context).status,
    }),
    canMaterialize: t.boolean({
      description: 'Whether the query of this version can be materialized.',
      resolve: (m, _args, context) => state(m, context).canMaterialize,
    }),
    reason: t.string({
      nullable: true,
      description: 'Why it cannot be materialized; null when it can.',
      resolve: (m, _args, context) => state(m, context).reason,
    }),
    lastMaterializedAt: t.expose('lastMaterializedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'As of when the rows of the stored table are.',
    }),
    error: t.exposeString('error', {
      nullable: true,
      description: 'Why the newest sync failed; null when it did not.',
    }),
    syncFrequency: t.string({
      nullable: true,
      description: 'How often it is recomputed: 5min to 30day; null while it is off.',
      resolve: (m) => (m.enabled ? m.syncFrequency : null),
    }),
    maxStoredRows: t.int({
      nullable: true,
      description:
        'Rows that the stored table may have: the limit of its author, else of the server; null while it is off.',
      resolve: (m, _args, { deps }) => (m.enabled ? rowLimitOf(m.maxRows, deps.config) : null),
    }),
    nextSyncAt: t.expose('nextSyncAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When the next sync is due.',
    }),
    rows: t.float({
      nullable: true,
      description: 'Rows of the stored table.',
      resolve: (m) => toNumber(m.rowCount),
    }),
    bytes: t.float({
      nullable: true,
      description: 'Bytes of the stored table on disk.',
      resolve: (m) => toNumber(m.byteCount),
    }),
    durationSeconds: t.float({
      nullable: true,
      description: 'How long the sync took that made the stored table.',
      resolve: (m) => (m.durationMs === null ? null : m.durationMs / 1000),
    }),
    ready: t.boolean({
      description: 'Whether a run may be answered from the stored table at this moment.',
      resolve: (m, _args, context) => state(m, context).isReady,
    }),
    progress: t.field({
      type: SyncProgressType,
      nullable: true,
      description:
        'How far the sync under way has come; null when the engine is not at work for one.',
      resolve: (m, _args, { deps }) => readProgress(deps, m),
    }),
    history: t.relation('syncs', {
      type: MaterializationSync,
      description: 'The last syncs that ended, newest first, at most 20.',
      query: () => ({ orderBy: [{ startedAt: 'desc' }, { id: 'desc' }], take: 20 }),
    }),
  }),
});
