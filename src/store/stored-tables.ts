/**
 * The names of tables that syncs have made at the engine, from before each is made until after it is
 * dropped: what the sweep removes, it finds here and nowhere else.
 */
import { Prisma, type PrismaClient } from '../generated/prisma/client.ts';

export interface StoredTableRecord {
  readonly name: string;
  readonly projectId: number;
}

export interface StoredTableStore {
  /** Those nobody needs any more, the longest due first; one statement that reads an index. */
  listDroppable(now: Date, limit: number): Promise<readonly StoredTableRecord[]>;
  /** Says that the engine has it no more. */
  markDropped(name: string, now: Date): Promise<void>;
  /** Has the table dropped at the next turn, unless it is served. False when it is. */
  retire(name: string, now: Date): Promise<boolean>;
  /** Hands over what is served by nothing: whatever was deleted past this service. Returns how many. */
  retireUnserved(now: Date): Promise<number>;
  /** Dropped since `since`. */
  listDropped(since: Date): Promise<readonly StoredTableRecord[]>;
  /** Forgets those dropped before. Returns how many. */
  forgetDropped(before: Date): Promise<number>;
}

export function storedTableStore(prisma: PrismaClient): StoredTableStore {
  const select = { name: true, projectId: true } as const;
  return {
    listDroppable: (now, take) =>
      prisma.storedTable.findMany({
        where: { dropAfter: { lte: now }, droppedAt: null },
        orderBy: { dropAfter: 'asc' },
        take,
        select,
      }),
    async markDropped(name, now) {
      // Past every due date, so that the list of what is due never meets it.
      await prisma.storedTable.updateMany({
        where: { name },
        data: { droppedAt: now, dropAfter: endOfTime },
      });
    },
    async retire(name, now) {
      const { count } = await prisma.storedTable.updateMany({
        where: { name, dropAfter: { not: null }, droppedAt: null },
        data: { dropAfter: now },
      });
      return count > 0;
    },
    retireUnserved: (now) =>
      prisma.$executeRaw(Prisma.sql`
        UPDATE stored_table SET drop_after = ${now} WHERE drop_after IS NULL AND NOT EXISTS (
          SELECT FROM materialization_status WHERE table_name = stored_table.name)`),
    listDropped: (since) =>
      prisma.storedTable.findMany({ where: { droppedAt: { gte: since } }, select }),
    async forgetDropped(before) {
      return (await prisma.storedTable.deleteMany({ where: { droppedAt: { lt: before } } })).count;
    },
  };
}

const endOfTime = new Date('9999-01-01T00:00:00Z');
