/** Settings of materializations, written inside a transaction that has locked their endpoint. */
import { Prisma } from '../generated/prisma/client.ts';
import { uuidv7 } from '../lib/ids.ts';
import type { PlanResult } from '../model/materialization-plan.ts';
import { cadenceMs } from '../model/materialization-state.ts';
import type { MaterializationRecord, VersionRecord } from './endpoint-record.ts';

export interface MaterializationSettings {
  readonly enabled: boolean;
  /** One of the contract's cadences. */
  readonly syncFrequency: string;
  /** Null for the server's default. */
  readonly maxRows: number | null;
  /** The plan of the query, or why there is none. Absent when not planned yet. */
  readonly planned?: PlanResult | undefined;
}

/** Undefined members stay unchanged. */
export type MaterializationChange = {
  readonly [K in keyof MaterializationSettings]?: MaterializationSettings[K] | undefined;
};

/** The row of a new version. If enabled, its first sync is due at once. */
export function newMaterialization(settings: MaterializationSettings, now: Date) {
  const { enabled, syncFrequency, maxRows, planned } = settings;
  return {
    id: uuidv7(now),
    enabled,
    syncFrequency,
    maxRows,
    ...(planned === undefined ? {} : planColumns(planned)),
    nextSyncAt: enabled ? now : null,
    settingsChangedAt: enabled ? now : null,
  };
}

function planColumns(planned: PlanResult) {
  return planned.kind === 'plan'
    ? { plan: planned.plan as unknown as Prisma.InputJsonValue, reason: null }
    : { plan: Prisma.DbNull, reason: planned.reason };
}

/** Undefined members stay unchanged; a setting equal to the stored one changes nothing. */
export async function changeMaterialization(
  tx: Prisma.TransactionClient,
  target: VersionRecord,
  decided: { readonly settings: MaterializationChange; readonly now: Date },
): Promise<void> {
  const { settings, now } = decided;
  // From here on, a sync that ends waits for this transaction.
  await tx.$queryRaw`SELECT id FROM materialization_status WHERE version_id = ${target.id}::uuid FOR NO KEY UPDATE`;
  if (settings.enabled === false) await stopMaterializations(tx, { versionId: target.id, now });
  const data = {
    ...(settings.syncFrequency === undefined ? {} : { syncFrequency: settings.syncFrequency }),
    ...(settings.maxRows === undefined ? {} : { maxRows: settings.maxRows }),
    ...(settings.enabled === false ? {} : enabledColumns(target.materialization, settings, now)),
  };
  if (Object.keys(data).length === 0) return;
  await tx.materializationStatus.update({
    where: { versionId: target.id },
    data,
    select: { id: true },
  });
}

/**
 * Enabling makes a sync due at once, and so does another row limit, since a sync that failed by the old one may
 * succeed. A new cadence counts from the stored table. An enabled version keeps its plan, because its table was built
 * by it.
 */
function enabledColumns(
  was: MaterializationRecord,
  settings: MaterializationChange,
  now: Date,
): Prisma.MaterializationStatusUpdateInput {
  const { enabled, planned, syncFrequency, maxRows } = settings;
  if (!was.enabled) {
    const columns = planned === undefined ? {} : planColumns(planned);
    return enabled === true
      ? { ...columns, enabled, nextSyncAt: now, settingsChangedAt: now }
      : columns;
  }
  if (maxRows !== undefined && maxRows !== was.maxRows) {
    return { settingsChangedAt: now, nextSyncAt: now };
  }
  if (syncFrequency === undefined || syncFrequency === was.syncFrequency) return {};
  if (was.lastMaterializedAt === null) return { settingsChangedAt: now };
  const due = was.lastMaterializedAt.getTime() + 0.95 * cadenceMs(syncFrequency);
  return { settingsChangedAt: now, nextSyncAt: new Date(Math.max(due, now.getTime())) };
}

type Owner = { readonly now: Date } & (
  | { readonly endpointId: string }
  | { readonly versionId: string }
);

function isOf(owner: Owner): Prisma.Sql {
  return 'versionId' in owner
    ? Prisma.sql`version_id = ${owner.versionId}::uuid`
    : Prisma.sql`version_id IN (SELECT id FROM endpoint_version WHERE endpoint_id = ${owner.endpointId}::uuid)`;
}

/** Marks the tables for the sweep to drop, and locks the rows so that no sync publishes another table meanwhile. */
export async function retireTablesOf(tx: Prisma.TransactionClient, owner: Owner): Promise<void> {
  const rows = await tx.$queryRaw<readonly { readonly table_name: string | null }[]>(Prisma.sql`
    SELECT table_name FROM materialization_status WHERE ${isOf(owner)} FOR UPDATE`);
  const names = rows.flatMap(({ table_name: name }) => (name === null ? [] : [name]));
  if (names.length === 0) return;
  await tx.storedTable.updateMany({
    where: { name: { in: names } },
    data: { dropAfter: owner.now },
  });
}

/** Disables the materializations: nothing is due or served, and a running sync loses its claim. The cadence stays. */
export async function stopMaterializations(
  tx: Prisma.TransactionClient,
  owner: Owner,
): Promise<void> {
  await retireTablesOf(tx, owner);
  await tx.$executeRaw(Prisma.sql`
    UPDATE materialization_status SET
      enabled = false, next_sync_at = NULL, table_name = NULL, last_materialized_at = NULL,
      last_failed_at = NULL, cancelled_at = NULL, settings_changed_at = NULL, proved_at = NULL,
      error = NULL, row_count = NULL, byte_count = NULL, duration_ms = NULL, read_ms = NULL,
      inline_ms = NULL, attempts = 0,
      claimed_by = NULL, sync_id = NULL, started_at = NULL, claimed_until = NULL
    WHERE enabled AND ${isOf(owner)}`);
}
