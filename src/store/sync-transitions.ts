/**
 * How a sync ends or becomes due: each transition is one conditional transaction. Transitions of a claim return false
 * when the claim is lost, and then nothing has changed.
 */
import { Prisma, type PrismaClient } from '../generated/prisma/client.ts';
import type { Actor } from '../model/actor.ts';
import type { AuditAction } from '../model/audit-action.ts';
import { recordAudit } from './audit-store.ts';
import { notifyChange } from './change.ts';
import type { CompletedSync, FailedSync, SyncClaim } from './sync-records.ts';

/** Number of syncs kept in each materialization's history. */
const maxHistory = 20;

const unclaimed = { claimedBy: null, syncId: null, startedAt: null, claimedUntil: null } as const;

interface ClaimedRow {
  readonly table_name: string | null;
  readonly sync_frequency: string;
  readonly next_sync_at: Date;
}

/** Locks the row of a claim that is still valid at `now`; null when it is lost. */
async function lockClaimed(
  tx: Prisma.TransactionClient,
  claim: SyncClaim,
  now: Date,
): Promise<ClaimedRow | null> {
  const [row] = await tx.$queryRaw<readonly ClaimedRow[]>(Prisma.sql`
    SELECT table_name, sync_frequency, next_sync_at FROM materialization_status
    WHERE id = ${claim.statusId}::uuid AND sync_id = ${claim.syncId}::uuid AND claimed_until > ${now}
    FOR UPDATE`);
  return row ?? null;
}

/**
 * Makes syncs due that a fast clock had postponed: their last sync or attempt is later than `latest`. Returns how many.
 */
export function repairFutureSyncs(
  prisma: PrismaClient,
  { now, latest }: { readonly now: Date; readonly latest: Date },
): Promise<number> {
  return prisma.$executeRaw(Prisma.sql`
    UPDATE materialization_status SET next_sync_at = ${now}
    WHERE enabled AND next_sync_at > ${now}
      AND GREATEST(last_materialized_at, last_failed_at, cancelled_at) > ${latest}`);
}

/**
 * A sync requested during this one stays due, because this one may have missed the reason for the request. Its time is
 * of another process, whose clock may be behind this one's: only whether it changed counts.
 */
function dueAfter(
  locked: ClaimedRow,
  claim: SyncClaim,
  nextSyncAt: (syncFrequency: string) => Date,
): Date {
  if (locked.next_sync_at.getTime() !== claim.dueAt.getTime()) return locked.next_sync_at;
  return nextSyncAt(locked.sync_frequency);
}

/** From its commit on, runs read the new table. */
export function completeSync(
  prisma: PrismaClient,
  claim: SyncClaim,
  completed: CompletedSync,
): Promise<boolean> {
  const { now, table, plan, rows, bytes, durationMs } = completed;
  return prisma.$transaction(async (tx) => {
    const locked = await lockClaimed(tx, claim, now);
    if (locked === null) return false;
    const sizes = { rowCount: BigInt(rows), byteCount: BigInt(bytes), durationMs };
    await tx.materializationStatus.update({
      where: { id: claim.statusId },
      select: { id: true },
      data: {
        ...unclaimed,
        ...sizes,
        tableName: table,
        plan: plan as unknown as Prisma.InputJsonValue,
        reason: null,
        lastMaterializedAt: claim.startedAt,
        cancelledAt: null,
        settingsChangedAt: null,
        error: null,
        attempts: 0,
        readMs: completed.measured?.readMs ?? null,
        inlineMs: completed.measured?.inlineMs ?? null,
        provedAt: completed.proved?.at ?? null,
        provedRows: completed.proved === null ? null : BigInt(completed.proved.rows),
        nextSyncAt: dueAfter(locked, claim, completed.nextSyncAt),
      },
    });
    await tx.storedTable.update({ where: { name: table }, data: { dropAfter: null } });
    if (locked.table_name !== null) {
      await tx.storedTable.updateMany({
        where: { name: locked.table_name },
        data: { dropAfter: completed.dropOldAfter },
      });
    }
    await addToHistory(tx, claim, { ...sizes, outcome: 'completed', error: null, endedAt: now });
    await notifyOf(tx, claim);
    return true;
  });
}

/** The served table stays in use, unless `dropServedAfter` is set. */
export function failSync(
  prisma: PrismaClient,
  claim: SyncClaim,
  failed: FailedSync,
): Promise<boolean> {
  const { now, outcome, error, refusal, dropServedAfter } = failed;
  return prisma.$transaction(async (tx) => {
    const locked = await lockClaimed(tx, claim, now);
    if (locked === null) return false;
    await tx.materializationStatus.update({
      where: { id: claim.statusId },
      select: { id: true },
      data: {
        ...unclaimed,
        ...(outcome === 'failed'
          ? { lastFailedAt: now, attempts: { increment: 1 } }
          : { cancelledAt: now }),
        ...(refusal === undefined ? {} : { reason: refusal }),
        ...(dropServedAfter === undefined ? {} : { tableName: null, provedAt: null }),
        error,
        nextSyncAt: dueAfter(locked, claim, failed.nextSyncAt),
      },
    });
    if (dropServedAfter !== undefined && locked.table_name !== null) {
      await tx.storedTable.updateMany({
        where: { name: locked.table_name },
        data: { dropAfter: dropServedAfter },
      });
    }
    await addToHistory(tx, claim, {
      outcome,
      error,
      endedAt: now,
      rowCount: null,
      byteCount: null,
      durationMs: now.getTime() - claim.startedAt.getTime(),
    });
    await notifyOf(tx, claim);
    return true;
  });
}

interface Ended {
  readonly outcome: 'completed' | 'failed' | 'cancelled';
  readonly error: string | null;
  readonly endedAt: Date;
  readonly rowCount: bigint | null;
  readonly byteCount: bigint | null;
  readonly durationMs: number;
}

async function addToHistory(
  tx: Prisma.TransactionClient,
  claim: Pick<SyncClaim, 'statusId' | 'syncId' | 'startedAt'>,
  ended: Ended,
): Promise<void> {
  const { statusId, syncId: id, startedAt } = claim;
  await tx.materializationSync.create({
    data: { id, statusId, startedAt, ...ended },
    select: { id: true },
  });
  await tx.$executeRaw(Prisma.sql`
    DELETE FROM materialization_sync WHERE id IN (
      SELECT id FROM materialization_sync WHERE status_id = ${statusId}::uuid
      ORDER BY started_at DESC, id DESC OFFSET ${maxHistory})`);
}

function notifyOf(tx: Prisma.TransactionClient, claim: SyncClaim): Promise<void> {
  return notifyChange(tx, {
    kind: 'endpoint',
    projectId: claim.projectId,
    name: claim.endpointName,
    fields: [],
  });
}

/** Releases the claim; the sync stays due. */
export async function releaseClaim(prisma: PrismaClient, claim: SyncClaim): Promise<boolean> {
  const { count } = await prisma.materializationStatus.updateMany({
    where: { id: claim.statusId, syncId: claim.syncId },
    data: unclaimed,
  });
  return count > 0;
}

/** Makes the next sync due now; a running one is followed by another. False when the materialization is off. */
export function requestSync(
  prisma: PrismaClient,
  statusId: string,
  requested: { readonly now: Date; readonly by?: Actor },
): Promise<boolean> {
  return prisma.$transaction(async (tx) => {
    const [row] = await tx.$queryRaw<readonly { readonly next_sync_at: Date | null }[]>`
      SELECT next_sync_at FROM materialization_status
      WHERE id = ${statusId}::uuid AND enabled FOR UPDATE`;
    if (row === undefined) return false;
    await tx.materializationStatus.update({
      where: { id: statusId },
      select: { id: true },
      data: { nextSyncAt: requested.now },
    });
    await recordAndNotify(tx, statusId, {
      ...requested,
      action: 'materialization.sync',
      before: { nextSyncAt: row.next_sync_at?.toISOString() ?? null },
      after: { nextSyncAt: requested.now.toISOString() },
    });
    return true;
  });
}

/** Revokes the claim of the running sync; the next one is due at `nextSyncAt`. False when none is running. */
export function cancelSync(
  prisma: PrismaClient,
  statusId: string,
  cancelled: { readonly now: Date; readonly nextSyncAt: Date; readonly by?: Actor },
): Promise<boolean> {
  const { now, nextSyncAt } = cancelled;
  return prisma.$transaction(async (tx) => {
    const [row] = await tx.$queryRaw<
      readonly { readonly sync_id: string; readonly started_at: Date }[]
    >(Prisma.sql`
      SELECT sync_id, started_at FROM materialization_status
      WHERE id = ${statusId}::uuid AND sync_id IS NOT NULL AND claimed_until > ${now} FOR UPDATE`);
    if (row === undefined) return false;
    await tx.materializationStatus.update({
      where: { id: statusId },
      select: { id: true },
      data: { ...unclaimed, cancelledAt: now, nextSyncAt },
    });
    const claim = { statusId, syncId: row.sync_id, startedAt: row.started_at };
    await addToHistory(tx, claim, {
      outcome: 'cancelled',
      error: null,
      endedAt: now,
      rowCount: null,
      byteCount: null,
      durationMs: now.getTime() - row.started_at.getTime(),
    });
    await recordAndNotify(tx, statusId, {
      now,
      ...(cancelled.by === undefined ? {} : { by: cancelled.by }),
      action: 'materialization.cancel',
      before: { syncId: row.sync_id, startedAt: row.started_at.toISOString() },
      after: { syncId: null, nextSyncAt: nextSyncAt.toISOString() },
    });
    return true;
  });
}

/** Adds the audit entry and notifies all processes, whose workers then check for work. */
async function recordAndNotify(
  tx: Prisma.TransactionClient,
  statusId: string,
  done: {
    readonly now: Date;
    readonly by?: Actor;
    readonly action: AuditAction;
    readonly before: Readonly<Record<string, string | null>>;
    readonly after: Readonly<Record<string, string | null>>;
  },
): Promise<void> {
  const endpoint = { select: { projectId: true, name: true } } as const;
  const { version } = await tx.materializationStatus.findUniqueOrThrow({
    where: { id: statusId },
    select: { version: { select: { version: true, endpoint } } },
  });
  const { projectId, name } = version.endpoint;
  await notifyChange(tx, { kind: 'endpoint', projectId, name, fields: [] });
  await recordAudit(tx, {
    action: done.action,
    by: done.by,
    at: done.now,
    projectId,
    endpointName: name,
    version: version.version,
    before: done.before,
    after: done.after,
  });
}
