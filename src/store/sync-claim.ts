/** Claims of syncs: takes one, renews it, and registers the table that is built under it. */
import { Prisma, type PrismaClient } from '../generated/prisma/client.ts';
import { uuidv7 } from '../lib/ids.ts';
import type { MaterializationPlan } from '../model/materialization-plan.ts';
import type { ColumnRecord, JsonObject } from './endpoint-record.ts';
import type { HeldClaim, SyncClaim, SyncLease } from './sync-records.ts';

interface ClaimedRow {
  readonly id: string;
  readonly version_id: string;
  readonly next_sync_at: Date;
}

/**
 * The longest due sync that is unclaimed, has an expired claim, or is one of `abandoned`; null when there is none. One
 * statement, which reads the index of due syncs, and a second one for the version when there is one.
 */
export async function claimDueSync(
  prisma: PrismaClient,
  claim: {
    readonly now: Date;
    readonly owner: string;
    readonly leaseMs: number;
    /** Ids of syncs that are taken over although their claims have not expired. */
    readonly abandoned?: readonly string[];
  },
): Promise<SyncClaim | null> {
  const { now, owner, leaseMs, abandoned = [] } = claim;
  const syncId = uuidv7(now);
  const until = new Date(now.getTime() + leaseMs);
  const [row] = await prisma.$queryRaw<readonly ClaimedRow[]>(Prisma.sql`
    UPDATE materialization_status
    SET claimed_by = ${owner}, sync_id = ${syncId}::uuid, started_at = ${now}, claimed_until = ${until}
    WHERE id = (
      SELECT id FROM materialization_status
      WHERE next_sync_at <= ${now}
        AND NOT EXISTS (SELECT FROM endpoint_version v WHERE v.id = version_id AND v.refused_at IS NOT NULL)
        AND (claimed_until IS NULL OR claimed_until <= ${now}
          OR sync_id = ANY(${abandoned}::uuid[]))
      ORDER BY next_sync_at LIMIT 1 FOR UPDATE SKIP LOCKED
    )
    RETURNING id, version_id, next_sync_at`);
  if (row === undefined) return null;
  const claimed = { syncId, now, dueAt: row.next_sync_at };
  return describeClaim(prisma, row.version_id, claimed);
}

/** The claims of running syncs. Each renewal changes `until`. */
export function listClaims(prisma: PrismaClient, now: Date): Promise<readonly HeldClaim[]> {
  return prisma.$queryRaw<readonly HeldClaim[]>(Prisma.sql`
    SELECT sync_id::text AS "syncId", claimed_by AS "owner", claimed_until AS "until" FROM materialization_status
    WHERE next_sync_at <= ${now} AND claimed_until IS NOT NULL AND sync_id IS NOT NULL`);
}

/** Null when it was just deleted. */
async function describeClaim(
  prisma: PrismaClient,
  versionId: string,
  claimed: { readonly syncId: string; readonly now: Date; readonly dueAt: Date },
): Promise<SyncClaim | null> {
  const row = await prisma.endpointVersion.findUnique({
    where: { id: versionId },
    select: {
      version: true,
      query: true,
      columns: true,
      endpoint: { select: { id: true, projectId: true, name: true } },
      materialization: {
        select: {
          id: true,
          syncFrequency: true,
          maxRows: true,
          attempts: true,
          plan: true,
          provedAt: true,
          provedRows: true,
          readMs: true,
          inlineMs: true,
        },
      },
    },
  });
  if (row === null || row.materialization === null) return null;
  const {
    id: statusId,
    plan,
    provedAt,
    provedRows,
    readMs,
    inlineMs,
    ...status
  } = row.materialization;
  return {
    statusId,
    syncId: claimed.syncId,
    startedAt: claimed.now,
    dueAt: claimed.dueAt,
    projectId: row.endpoint.projectId,
    endpointId: row.endpoint.id,
    endpointName: row.endpoint.name,
    versionId,
    version: row.version,
    query: row.query as JsonObject,
    columns: row.columns as unknown as readonly ColumnRecord[],
    ...status,
    plan: plan as unknown as MaterializationPlan | null,
    proved:
      provedAt === null || provedRows === null ? null : { at: provedAt, rows: Number(provedRows) },
    measured: readMs === null || inlineMs === null ? null : { readMs, inlineMs },
  };
}

/**
 * Called before a table is created at the engine. False when the claim is lost; the table must not be created then. The
 * table becomes due for dropping when the claim ends, so that a process that dies leaves nothing behind; later by the
 * skew, because the clocks of two processes differ.
 */
export async function registerTable(
  prisma: PrismaClient,
  claim: SyncClaim,
  { table, now, skewMs }: Omit<SyncLease, 'leaseMs'>,
): Promise<boolean> {
  const inserted = await prisma.$executeRaw(Prisma.sql`
    INSERT INTO stored_table (name, project_id, created_at, drop_after)
    SELECT ${table}, ${claim.projectId}, ${now}, claimed_until + ${skewMs} * interval '1 millisecond'
    FROM materialization_status
    WHERE id = ${claim.statusId}::uuid AND sync_id = ${claim.syncId}::uuid AND claimed_until > ${now}
    FOR UPDATE`);
  return inserted > 0;
}

/** Extends the claim and the lifetime of the table being built. False when it is lost. */
export async function renewClaim(
  prisma: PrismaClient,
  claim: SyncClaim,
  lease: SyncLease,
): Promise<boolean> {
  const { now, leaseMs, skewMs, table } = lease;
  const until = new Date(now.getTime() + leaseMs);
  const dropAfter = new Date(until.getTime() + skewMs);
  const [renewed] = await prisma.$queryRaw<readonly { readonly id: string }[]>(Prisma.sql`
    WITH held AS (
      UPDATE materialization_status SET claimed_until = ${until}
      WHERE id = ${claim.statusId}::uuid AND sync_id = ${claim.syncId}::uuid AND claimed_until > ${now}
      RETURNING id
    ), extended AS (
      UPDATE stored_table SET drop_after = ${dropAfter}
      WHERE name = ${table} AND dropped_at IS NULL AND EXISTS (SELECT FROM held)
    )
    SELECT id FROM held`);
  return renewed !== undefined;
}
