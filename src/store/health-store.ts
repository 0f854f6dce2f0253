/** What the processes of the service tell each other of themselves, and how many syncs there are. */
import { Prisma, type PrismaClient } from '../generated/prisma/client.ts';
import { type ProcessReport, parseReport } from '../model/process-report.ts';
import { openStore, type Store } from './open-store.ts';

export interface SeenProcess {
  readonly id: string;
  readonly seenAt: Date;
  /** Null: it is of another version, and says less. */
  readonly report: ProcessReport | null;
}

export interface SyncCounts {
  /** That should have begun by now and have not. */
  readonly due: number;
  readonly running: number;
  /** Whose syncs have failed since the last one that did not. */
  readonly failed: number;
  readonly enabled: number;
}

const operations = { reportProcess, listProcesses, forgetProcess, countSyncs };

export type HealthStore = Store<typeof operations>;

export function openHealthStore(deps: { readonly prisma: PrismaClient }): HealthStore {
  return openStore(deps.prisma, operations);
}

interface Reported {
  readonly id: string;
  readonly at: Date;
  readonly report: ProcessReport;
  /** Processes that were last seen before are forgotten. */
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

/** The latest seen first. */
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

/** Of all projects, in one statement. A version that is refused is never synced, so it is not due. */
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
