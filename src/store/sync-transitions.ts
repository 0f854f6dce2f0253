/** How a sync ends, each way one transaction on the condition that its claim still holds. */
import { Prisma, type PrismaClient } from '../generated/prisma/client.ts';
import type { Actor } from '../model/actor.ts';
import type { AuditAction } from '../model/audit-action.ts';
import { recordAudit } from './audit-store.ts';
import { notifyChange } from './change.ts';
import type { CompletedSync, FailedSync, SyncClaim } from './sync-records.ts';

/** How many ended syncs each materialization remembers. */
const keptSyncs = 20;

const unclaimed = { claimedBy: null, syncId: null, startedAt: null, claimedUntil: null } as const;

interface HeldRow {
  readonly table_name: string | null;
  readonly sync_frequency: string;
  readonly next_sync_at: Date;
}

/** Locks the row of a claim that is still good at `now`; null when it is lost. */
async function hold(
  tx: Prisma.TransactionClient,
  claim: SyncClaim,
  now: Date,
): Promise<HeldRow | null> {
  const [row] = await tx.$queryRaw<readonly HeldRow[]>(Prisma.sql`
    SELECT table_name, sync_frequency, next_sync_at FROM materialization_status
    WHERE id = ${claim.statusId}::uuid AND sync_id = ${claim.syncId}::uuid AND claimed_until > ${now}
    FOR UPDATE`);
  return row ?? null;
}

/** Makes due what was synced or tried by a clock ahead of `latest`: its next time is as wrong. Returns how many. */
export function repairFutureSyncs(
  prisma: PrismaClient,
  { now, latest }: { readonly now: Date; readonly latest: Date },
): Promise<number> {
  return prisma.$executeRaw(Prisma.sql`
    UPDATE materialization_status SET next_sync_at = ${now}
    WHERE enabled AND next_sync_at > ${now}
      AND GREATEST(last_materialized_at, last_failed_at, cancelled_at) > ${latest}`);
}

/** A sync that was asked for while this one ran is not answered by it. */
function dueAfter(
  held: HeldRow,
  claim: SyncClaim,
  nextSyncAt: (syncFrequency: string) => Date,
): Date {
  if (held.next_sync_at > claim.startedAt) return held.next_sync_at;
  return nextSyncAt(held.sync_frequency);
}

export function completeSync(
  prisma: PrismaClient,
  claim: SyncClaim,
  completed: CompletedSync,
): Promise<boolean> {
  const { now, table, plan, rows, bytes, durationMs } = completed;
  return prisma.$transaction(async (tx) => {
    const held = await hold(tx, claim, now);
    if (held === null) return false;
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
        provedAt: completed.proved?.at ?? null,
        provedRows: completed.proved === null ? null : BigInt(completed.proved.rows),
        nextSyncAt: dueAfter(held, claim, completed.nextSyncAt),
      },
    });
    await tx.storedTable.update({ where: { name: table }, data: { dropAfter: null } });
    if (held.table_name !== null) {
      await tx.storedTable.updateMany({
        where: { name: held.table_name },
        data: { dropAfter: completed.dropOldAfter },
      });
    }
    await remember(tx, claim, { ...sizes, outcome: 'completed', error: null, endedAt: now });
    await tell(tx, claim);
    return true;
  });
}

export function failSync(
  prisma: PrismaClient,
  claim: SyncClaim,
  failed: FailedSync,
): Promise<boolean> {
  const { now, outcome, error, refusal, dropServedAfter } = failed;
  return prisma.$transaction(async (tx) => {
    const held = await hold(tx, claim, now);
    if (held === null) return false;
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
        nextSyncAt: dueAfter(held, claim, failed.nextSyncAt),
      },
    });
    if (dropServedAfter !== undefined && held.table_name !== null) {
      await tx.storedTable.updateMany({
        where: { name: held.table_name },
        data: { dropAfter: dropServedAfter },
      });
    }
    await remember(tx, claim, {
      outcome,
      error,
      endedAt: now,
      rowCount: null,
      byteCount: null,
      durationMs: now.getTime() - claim.startedAt.getTime(),
    });
    await tell(tx, claim);
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

async function remember(
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
      ORDER BY started_at DESC, id DESC OFFSET ${keptSyncs})`);
}

function tell(tx: Prisma.TransactionClient, claim: SyncClaim): Promise<void> {
  return notifyChange(tx, {
    kind: 'endpoint',
    projectId: claim.projectId,
    name: claim.endpointName,
  });
}

export async function releaseClaim(prisma: PrismaClient, claim: SyncClaim): Promise<boolean> {
  const { count } = await prisma.materializationStatus.updateMany({
    where: { id: claim.statusId, syncId: claim.syncId },
    data: unclaimed,
  });
  return count > 0;
}

export function requestSync(
  prisma: PrismaClient,
  statusId: string,
  asked: { readonly now: Date; readonly by?: Actor },
): Promise<boolean> {
  return prisma.$transaction(async (tx) => {
    const [row] = await tx.$queryRaw<readonly { readonly next_sync_at: Date | null }[]>`
      SELECT next_sync_at FROM materialization_status
      WHERE id = ${statusId}::uuid AND enabled FOR UPDATE`;
    if (row === undefined) return false;
    await tx.materializationStatus.update({
      where: { id: statusId },
      select: { id: true },
      data: { nextSyncAt: asked.now },
    });
    await tellOf(tx, statusId, {
      ...asked,
      action: 'materialization.sync',
      before: { nextSyncAt: row.next_sync_at?.toISOString() ?? null },
      after: { nextSyncAt: asked.now.toISOString() },
    });
    return true;
  });
}

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
    await remember(tx, claim, {
      outcome: 'cancelled',
      error: null,
      endedAt: now,
      rowCount: null,
      byteCount: null,
      durationMs: now.getTime() - row.started_at.getTime(),
    });
    await tellOf(tx, statusId, {
      now,
      ...(cancelled.by === undefined ? {} : { by: cancelled.by }),
      action: 'materialization.cancel',
      before: { syncId: row.sync_id, startedAt: row.started_at.toISOString() },
      after: { syncId: null, nextSyncAt: nextSyncAt.toISOString() },
    });
    return true;
  });
}

/** Wakes the workers of all processes, too. */
async function tellOf(
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
  await notifyChange(tx, { kind: 'endpoint', projectId, name });
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
