import { Prisma } from '../generated/prisma/client.ts';

interface Changed {
  readonly projectId: number;
  readonly table: string;
  /** Absent for the database's current time, unless it is due earlier; a running sync is followed by another one. */
  readonly at?: Date;
}

/**
 * Records that a table's rows changed: from the commit on, older results are not served, and materializations whose
 * query names the table are due.
 */
export async function raiseDataRevision(
  tx: Prisma.TransactionClient,
  { projectId, table, at }: Changed,
): Promise<void> {
  const due =
    at === undefined
      ? Prisma.sql`CASE WHEN s.sync_id IS NULL THEN least(s.next_sync_at, now()) ELSE now() END`
      : Prisma.sql`${at}`;
  await tx.$executeRaw`UPDATE project SET data_revision = data_revision + 1 WHERE id = ${projectId}`;
  await tx.$executeRaw`
    UPDATE materialization_status s SET next_sync_at = ${due}
    FROM endpoint_version v JOIN endpoint e ON e.id = v.endpoint_id
    WHERE v.id = s.version_id AND e.project_id = ${projectId} AND s.enabled
      AND strpos(v.query->>'query', ${table}) > 0`;
}
