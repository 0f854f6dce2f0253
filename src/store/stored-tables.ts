/**
 * Names of tables that syncs created at the engine, recorded from before each is created until after it is dropped. The
 * sweep removes only what it finds here.
 */
import { Prisma, type PrismaClient } from '../generated/prisma/client.ts';

export interface StoredTableRecord {
  readonly name: string;
  readonly projectId: number;
}

const select = { name: true, projectId: true } as const;

export interface ServedTable extends StoredTableRecord {
  /** Number of further tables in its plan. */
  readonly further: number;
}

/** The tables that runs read. */
export function listServed(prisma: PrismaClient): Promise<readonly ServedTable[]> {
  return prisma.$queryRaw<readonly ServedTable[]>(Prisma.sql`
    SELECT t.name, t.project_id AS "projectId", coalesce(jsonb_array_length(s.plan -> 'furtherTables'), 0) AS "further"
    FROM materialization_status s JOIN stored_table t ON t.name = s.table_name
    ORDER BY t.name`);
}

/**
 * Makes a sync due that replaces this table, unless one is running, the last one failed, or the table is not older than
 * `madeBefore`. False when it does not.
 */
export async function replaceServed(
  prisma: PrismaClient,
  name: string,
  { now, madeBefore }: { readonly now: Date; readonly madeBefore: Date },
): Promise<boolean> {
  const { count } = await prisma.materializationStatus.updateMany({
    where: {
      tableName: name,
      enabled: true,
      claimedUntil: null,
      error: null,
      nextSyncAt: { gt: now },
      lastMaterializedAt: { lt: madeBefore },
    },
    data: { nextSyncAt: now },
  });
  return count > 0;
}

/** After every due date, so that the list of due drops never contains a dropped table. */
const endOfTime = new Date('9999-01-01T00:00:00Z');

/** Tables due to be dropped, the longest due first; one statement that reads an index. */
export function listDroppable(
  prisma: PrismaClient,
  now: Date,
  take: number,
): Promise<readonly StoredTableRecord[]> {
  return prisma.storedTable.findMany({
    where: { dropAfter: { lte: now }, droppedAt: null },
    orderBy: { dropAfter: 'asc' },
    take,
    select,
  });
}

/** Records that the engine has dropped it. */
export async function markDropped(prisma: PrismaClient, name: string, now: Date): Promise<void> {
  await prisma.storedTable.updateMany({
    where: { name },
    data: { droppedAt: now, dropAfter: endOfTime },
  });
}

/** Reschedules a drop that did not succeed on every node. */
export async function postponeDrop(prisma: PrismaClient, name: string, until: Date): Promise<void> {
  await prisma.storedTable.updateMany({
    where: { name, dropAfter: { not: null }, droppedAt: null },
    data: { dropAfter: until },
  });
}

/** Marks the table for the next sweep, unless it is served. False when it is. */
export async function retire(prisma: PrismaClient, name: string, now: Date): Promise<boolean> {
  const { count } = await prisma.storedTable.updateMany({
    where: { name, dropAfter: { not: null }, droppedAt: null },
    data: { dropAfter: now },
  });
  return count > 0;
}

/**
 * Retires tables that no materialization serves because their endpoint was deleted by other means. Returns how many.
 */
export function retireUnserved(prisma: PrismaClient, now: Date): Promise<number> {
  return prisma.$executeRaw(Prisma.sql`
    UPDATE stored_table SET drop_after = ${now} WHERE drop_after IS NULL AND NOT EXISTS (
      SELECT FROM materialization_status WHERE table_name = stored_table.name)`);
}

/** Tables dropped since `since`. */
export function listDropped(
  prisma: PrismaClient,
  since: Date,
): Promise<readonly StoredTableRecord[]> {
  return prisma.storedTable.findMany({ where: { droppedAt: { gte: since } }, select });
}

/** Deletes the names of tables dropped before `before`. Returns how many. */
export async function forgetDropped(prisma: PrismaClient, before: Date): Promise<number> {
  return (await prisma.storedTable.deleteMany({ where: { droppedAt: { lt: before } } })).count;
}
