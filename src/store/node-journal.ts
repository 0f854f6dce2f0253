/** The journal of table changes on a multi-node engine. Its times are the database's, which all processes share. */
import { Prisma, type PrismaClient } from '../generated/prisma/client.ts';
import {
  type ChangeKind,
  CLAIM_MS,
  type MissedTable,
  type NodeChange,
  type NodeJournal,
  type OpenChange,
  type TableChange,
} from '../model/node-journal.ts';
import { notifyChange } from './change.ts';
import { raiseDataRevision } from './data-revision.ts';
import { openStore } from './open-store.ts';

const operations = {
  behind,
  begin,
  renew,
  finish,
  undo,
  takeAbandoned,
  takeMissed,
  without,
  renewMissed,
  caughtUp,
  release,
};

export function openNodeJournal(deps: { readonly prisma: PrismaClient }): NodeJournal {
  return openStore(deps.prisma, operations);
}

const until = Prisma.sql`now() + ${`${CLAIM_MS} milliseconds`}::interval`;

async function behind(prisma: PrismaClient): Promise<readonly string[]> {
  const where = { isMissed: true };
  const rows = await prisma.nodeTable.findMany({
    where,
    distinct: ['node'],
    select: { node: true },
  });
  return rows.map(({ node }) => node);
}

async function begin(
  prisma: PrismaClient,
  { id, projectId, table, kind }: TableChange,
  nodes: readonly NodeChange[],
): Promise<readonly string[] | null> {
  return prisma.$transaction(async (tx) => {
    // Serializes changes of a table: its rows are read, then written.
    await tx.$queryRaw`SELECT 1 FROM project WHERE id = ${projectId} FOR UPDATE`;
    const rows = await tx.nodeTable.findMany({ where: { projectId, table } });
    if (rows.some(({ isMissed }) => !isMissed)) return null;
    // Keeps a process that copies an earlier state of the table to such a node from marking the node as up to date.
    await tx.nodeTable.updateMany({ where: { projectId, table }, data: { changeId: id } });
    const late = new Set(rows.map(({ node }) => node));
    const taking = nodes.filter(({ node }) => !late.has(node));
    for (const { node, staging } of taking)
      await tx.$executeRaw`
        INSERT INTO node_table (project_id, table_name, node, change_id, kind, is_missed, staging, claimed_until)
        VALUES (${projectId}, ${table}, ${node}, ${id}::uuid, ${kind}, false, ${staging}::uuid, ${until})`;
    return taking.map(({ node }) => node);
  });
}

async function renew(prisma: PrismaClient, changeId: string): Promise<boolean> {
  const renewed = await prisma.$executeRaw`
    UPDATE node_table SET claimed_until = ${until}
    WHERE change_id = ${changeId}::uuid AND NOT is_missed AND claimed_until > now()`;
  return renewed > 0;
}

const missed = { isMissed: true, staging: null, claimedUntil: null } as const;

async function finish(
  prisma: PrismaClient,
  { id, projectId, table, kind }: TableChange,
  done: readonly string[],
  by: 'its process' | 'another process',
): Promise<boolean> {
  return prisma.$transaction(async (tx) => {
    const carriedOut = { changeId: id, isMissed: false, node: { in: [...done] } };
    const { count } = await tx.nodeTable.deleteMany({ where: carriedOut });
    if (count === 0) return false;
    await tx.nodeTable.updateMany({ where: { changeId: id }, data: { ...missed, kind } });
    if (by === 'another process') await raiseDataRevision(tx, { projectId, table });
    else
      await tx.$executeRaw`UPDATE project SET data_revision = data_revision + 1 WHERE id = ${projectId}`;
    const columns = by === 'another process' ? { table } : {};
    await notifyChange(tx, { kind: 'project', id: projectId, ...columns });
    return true;
  });
}

async function undo(
  prisma: PrismaClient,
  { id, projectId }: TableChange,
  { nodes, isDropped }: { readonly nodes: readonly string[]; readonly isDropped: boolean },
): Promise<void> {
  const kind: ChangeKind = isDropped ? 'drop' : 'replace';
  const open = { changeId: id, isMissed: false };
  await prisma.$transaction(async (tx) => {
    const unknown = { ...open, node: { in: [...nodes] } };
    await tx.nodeTable.updateMany({ where: unknown, data: { ...missed, kind } });
    await tx.nodeTable.deleteMany({ where: open });
    if (nodes.length > 0) await notifyChange(tx, { kind: 'project', id: projectId });
  });
}

async function takeAbandoned(prisma: PrismaClient): Promise<readonly OpenChange[]> {
  type Row = Omit<OpenChange, 'nodes'> & NodeChange;
  const rows = await prisma.$queryRaw<readonly Row[]>`
    UPDATE node_table SET claimed_until = ${until} WHERE NOT is_missed AND claimed_until <= now()
      AND change_id IN (SELECT change_id FROM node_table WHERE NOT is_missed GROUP BY change_id HAVING max(claimed_until) <= now())
    RETURNING change_id::text AS "id", project_id AS "projectId", table_name AS "table", kind, node, staging::text AS "staging"`;
  return [...Map.groupBy(rows, ({ id }) => id).values()].flatMap((all) => {
    const [first] = all;
    if (first === undefined) return [];
    const { id, projectId, table, kind } = first;
    const nodes = all.map(({ node, staging }) => ({ node, staging }));
    return [{ id, projectId, table, kind, nodes }];
  });
}

function takeMissed(
  prisma: PrismaClient,
  nodes: readonly string[],
): Promise<readonly MissedTable[]> {
  return prisma.$queryRaw<readonly MissedTable[]>`
    UPDATE node_table SET claimed_until = ${until}
    WHERE is_missed AND node = ANY(${[...nodes]}) AND (claimed_until IS NULL OR claimed_until <= now())
    RETURNING project_id AS "projectId", table_name AS "table", node, change_id::text AS "changeId", kind = 'drop' AS "isDropped"`;
}

async function without(
  prisma: PrismaClient,
  { projectId, table }: Pick<MissedTable, 'projectId' | 'table'>,
): Promise<readonly string[]> {
  const rows = await prisma.nodeTable.findMany({
    where: { projectId, table },
    select: { node: true },
  });
  return rows.map(({ node }) => node);
}

function rowOf({ projectId, table, node, changeId }: MissedTable) {
  return { projectId, table, node, changeId, isMissed: true };
}

async function renewMissed(
  prisma: PrismaClient,
  { projectId, table, node, changeId }: MissedTable,
): Promise<boolean> {
  const renewed = await prisma.$executeRaw`
    UPDATE node_table SET claimed_until = ${until}
    WHERE project_id = ${projectId} AND table_name = ${table} AND node = ${node}
      AND change_id = ${changeId}::uuid AND is_missed AND claimed_until > now()`;
  return renewed > 0;
}

async function caughtUp(prisma: PrismaClient, one: MissedTable): Promise<boolean> {
  return prisma.$transaction(async (tx) => {
    const { count } = await tx.nodeTable.deleteMany({ where: rowOf(one) });
    if (count > 0) await notifyChange(tx, { kind: 'project', id: one.projectId });
    return count > 0;
  });
}

async function release(prisma: PrismaClient, one: MissedTable): Promise<void> {
  await prisma.nodeTable.updateMany({ where: rowOf(one), data: { claimedUntil: null } });
}
