/** What the service's processes report about themselves to each other, and the number of syncs. */
import { Prisma, type PrismaClient } from '../generated/prisma/client.ts';
import { type ProcessReport, parseReport } from '../model/process-report.ts';
import { openStore, type Store } from './open-store.ts';

interface SeenProcess {
  readonly id: string;
  readonly seenAt: Date;
  /** Null when the process runs another version and reports less. */
  readonly report: ProcessReport | null;
}

export interface SyncCounts {
  /** Syncs that should have begun by now and have not. */
  readonly due: number;
  readonly running: number;
  /** Materializations whose syncs have failed since the last success. */
  readonly failed: number;
  readonly enabled: number;
}

/** A table that is missing or out of date on an engine node. */
export interface MissedByNode {
  /** The node's name in the settings. */
  readonly node: string;
  readonly projectId: number;
  readonly project: string;
  readonly table: string;
  /** Whether a process is bringing it up to date right now. */
  readonly isUnderWay: boolean;
}

const operations = { reportProcess, listProcesses, forgetProcess, countSyncs, listMissedTables };

export type HealthStore = Store<typeof operations>;

export function openHealthStore(deps: { readonly prisma: PrismaClient }): HealthStore {
  return openStore(deps.prisma, operations);
}

interface Reported {
  readonly id: string;
  readonly at: Date;
  readonly report: ProcessReport;
  /** Processes last seen before this time are removed. */
  readonly forgetBefore: Date;
}

async function reportProcess(prisma: PrismaClient, reported: Reported): Promise<void> {
  const { id, at: seenAt, forgetBefore } = reported;
  const report = reported.report as unknown as Prisma.InputJsonValue;
  await prisma.serviceProcess.upsert({
    where: { id },
    create: { id, seenAt, report },
    update: { seenAt, report },
  });
  await prisma.serviceProcess.deleteMany({ where: { seenAt: { lt: forgetBefore } } });
}

const maxProcesses = 1000;

/** Most recently seen first. */
async function listProcesses(prisma: PrismaClient): Promise<readonly SeenProcess[]> {
  const rows = await prisma.serviceProcess.findMany({
    orderBy: [{ seenAt: 'desc' }, { id: 'asc' }],
    take: maxProcesses,
  });
  return rows.map((row) => ({ ...row, report: parseReport(row.report) }));
}

async function forgetProcess(prisma: PrismaClient, id: string): Promise<void> {
  await prisma.serviceProcess.deleteMany({ where: { id } });
}

/** Over all projects, in one statement. A refused version is never synced, so it is not due. */
async function countSyncs(prisma: PrismaClient, now: Date): Promise<SyncCounts> {
  const [counts] = await prisma.$queryRaw<readonly SyncCounts[]>(Prisma.sql`
    SELECT count(*)::int AS enabled,
      count(*) FILTER (WHERE claimed_until > ${now})::int AS running,
      count(*) FILTER (WHERE next_sync_at <= ${now} AND v.refused_at IS NULL
        AND (claimed_until IS NULL OR claimed_until <= ${now}))::int AS due,
      count(*) FILTER (WHERE attempts > 0)::int AS failed
    FROM materialization_status JOIN endpoint_version v ON v.id = version_id
    WHERE enabled`);
  return counts ?? { enabled: 0, due: 0, running: 0, failed: 0 };
}

const maxMissed = 1000;

/** Sorted by node. Claims use the database's clock, which all processes share. */
async function listMissedTables(prisma: PrismaClient): Promise<readonly MissedByNode[]> {
  return prisma.$queryRaw<readonly MissedByNode[]>(Prisma.sql`
    SELECT node, project_id AS "projectId", project.name AS project, table_name AS "table",
      COALESCE(claimed_until > now(), false) AS "isUnderWay"
    FROM node_table JOIN project ON project.id = project_id
    WHERE is_missed ORDER BY node, project_id, table_name LIMIT ${maxMissed}`);
}
