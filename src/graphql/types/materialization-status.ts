import { materializability } from '../../core/materialization/materializability.ts';
import { builder } from '../builder.ts';

export const MaterializationStatus = builder.prismaObject('MaterializationStatus', {
  description:
    'Whether one version is materialized and how its stored table stands. While it is off, only canMaterialize and reason say something.',
  fields: (t) => ({
    enabled: t.exposeBoolean('enabled', { description: 'Whether materialization is turned on.' }),
    status: t.string({
      nullable: true,
      description: 'Running, Completed, Failed, Modified or Cancelled; null while it is off.',
      resolve: (m) => (m.enabled ? 'Modified' : null),
    }),
    canMaterialize: t.boolean({
      description: 'Whether the query of this version can be materialized.',
      resolve: () => materializability.canMaterialize,
    }),
    reason: t.string({
      nullable: true,
      description: 'Why it cannot be materialized; null when it can.',
      resolve: () => materializability.reason,
    }),
    lastMaterializedAt: t.expose('lastMaterializedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When the stored table was last computed.',
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
    nextSyncAt: t.expose('nextSyncAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When the next sync is due.',
    }),
    rows: t.float({
      nullable: true,
      description: 'Rows of the stored table.',
      resolve: (m) => (m.rowCount === null ? null : Number(m.rowCount)),
    }),
    bytes: t.float({
      nullable: true,
      description: 'Bytes of the stored table.',
      resolve: (m) => (m.byteCount === null ? null : Number(m.byteCount)),
    }),
    ready: t.boolean({
      description: 'Whether a run may be answered from the stored table at this moment.',
      resolve: () => false,
    }),
  }),
});
