import { ServiceError } from '../errors/service-error.ts';
import type { Prisma } from '../generated/prisma/client.ts';
import type { Actor } from '../model/actor.ts';
import type { AuditAction } from '../model/audit-action.ts';
import { type LimitOverrides, readLimits } from '../model/query-limits.ts';
import { type AuditState, recordAudit } from './audit-store.ts';
import { notifyChange } from './change.ts';
import { isRowNumber } from './column-range.ts';
import { raiseDataRevision } from './data-revision.ts';
import { openStore, type Store } from './open-store.ts';
import { isUniqueViolation } from './prisma-errors.ts';
import type { StoreDeps } from './store-deps.ts';

export interface ProjectRecord {
  readonly id: number;
  readonly name: string;
  readonly createdAt: Date;
  /** Its own limits, below those of the server. */
  readonly limits: LimitOverrides;
  /** Incremented by each load and drop of a table. */
  readonly dataRevision: number;
  /** Whether executions are recorded with the values of their variables. */
  readonly recordsValues: boolean;
}

type ProjectSettings = Pick<ProjectRecord, 'recordsValues'>;

interface SettingsChange {
  readonly id: number;
  readonly settings: ProjectSettings;
  readonly by?: Actor | undefined;
}

interface LimitsChange {
  readonly id: number;
  /** From its present limits to those that replace them. What it throws is thrown, and nothing changes. */
  readonly change: (limits: LimitOverrides) => LimitOverrides;
  readonly by?: Actor | undefined;
}

export interface DataChange {
  readonly projectId: number;
  readonly table: string;
  /** Whether the table's columns may have changed. */
  readonly hasNewColumns?: boolean;
  readonly by: Actor | undefined;
  readonly action: AuditAction;
  readonly before?: AuditState;
  readonly after?: AuditState;
}

const operations = {
  reserveId,
  createProject,
  setLimits,
  setSettings,
  recordDataChange,
  findProject,
  listProjects,
  highestProjectId,
};

export type ProjectStore = Store<typeof operations>;

export function openProjectStore(deps: StoreDeps): ProjectStore {
  return openStore(deps, operations);
}

const select = {
  id: true,
  name: true,
  createdAt: true,
  limits: true,
  dataRevision: true,
  recordsValues: true,
} as const;

function toProject<Row extends { readonly limits: unknown }>(row: Row) {
  return { ...row, limits: readLimits(row.limits) };
}

/** An id that no project has had and none gets by itself, also if it is not used. */
async function reserveId({ prisma }: StoreDeps): Promise<number> {
  const [row] = await prisma.$queryRaw<readonly { readonly id: number }[]>`
    SELECT nextval(pg_get_serial_sequence('project', 'id'))::int AS id`;
  if (row === undefined) throw new Error('no id');
  return row.id;
}

/**
 * Throws ServiceError `unique` when the name is taken. Notifies other processes.
 *
 * @param id a reserved one; the next one when absent.
 */
async function createProject(
  { prisma, clock }: StoreDeps,
  name: string,
  by?: Actor,
  id?: number,
): Promise<ProjectRecord> {
  try {
    return await prisma.$transaction((tx) => insertProject(tx, { id, name, at: clock.now(), by }));
  } catch (error) {
    throw nameTaken(error, name) ?? error;
  }
}

interface NewProject {
  readonly id?: number | undefined;
  readonly name: string;
  readonly at: Date;
  readonly by: Actor | undefined;
}

/** Creates a project in a transaction. */
export async function insertProject(
  tx: Prisma.TransactionClient,
  { id, name, at, by }: NewProject,
): Promise<ProjectRecord> {
  const reserved = id === undefined ? {} : { id };
  const project = await tx.project.create({ data: { ...reserved, name, createdAt: at }, select });
  const after = { id: project.id, name };
  await recordAudit(tx, { action: 'project.create', by, at, projectId: project.id, after });
  await notifyChange(tx, { kind: 'project', id: project.id });
  return toProject(project);
}

/** Null for a failure for another reason. */
export function nameTaken(error: unknown, name: string): ServiceError | null {
  if (!isUniqueViolation(error, 'project_name_key')) return null;
  const detail = `A project named "${name}" already exists.`;
  return new ServiceError('unique', detail, { attr: 'name', cause: error });
}

/** Null when there is no such project. Notifies other processes. */
async function setLimits(
  { prisma, clock }: StoreDeps,
  { id, change, by }: LimitsChange,
): Promise<ProjectRecord | null> {
  return prisma.$transaction(async (tx) => {
    await tx.$queryRaw`SELECT 1 FROM project WHERE id = ${id} FOR UPDATE`;
    const was = await tx.project.findUnique({ where: { id }, select });
    if (was === null) return null;
    const limits = change(readLimits(was.limits));
    const now = await tx.project.update({ where: { id }, data: { limits }, select });
    const [before, after] = [{ limits: was.limits }, { limits }];
    const write = { action: 'project.limits', by, at: clock.now(), projectId: id } as const;
    await recordAudit(tx, { ...write, before, after });
    await notifyChange(tx, { kind: 'project', id });
    return toProject(now);
  });
}

/** Null when there is no such project. Notifies other processes. */
async function setSettings(
  { prisma, clock }: StoreDeps,
  { id, settings, by }: SettingsChange,
): Promise<ProjectRecord | null> {
  return prisma.$transaction(async (tx) => {
    await tx.$queryRaw`SELECT 1 FROM project WHERE id = ${id} FOR UPDATE`;
    const was = await tx.project.findUnique({ where: { id }, select });
    if (was === null) return null;
    const now = await tx.project.update({ where: { id }, data: settings, select });
    const before = { recordsValues: was.recordsValues };
    const write = { action: 'project.settings', by, at: clock.now(), projectId: id } as const;
    await recordAudit(tx, { ...write, before, after: { ...settings } });
    await notifyChange(tx, { kind: 'project', id });
    return toProject(now);
  });
}

/**
 * Called after rows of a table were replaced, added or dropped at the engine: from the commit on, no process that has
 * been notified serves an older cached result. Materializations whose query names the table are due at once. Notifies other
 * processes.
 */
async function recordDataChange(
  { prisma, clock }: StoreDeps,
  { projectId, table, hasNewColumns = false, by, ...entry }: DataChange,
): Promise<void> {
  const at = clock.now();
  const changed = { kind: 'project', id: projectId, ...(hasNewColumns ? { table } : {}) } as const;
  await prisma.$transaction(async (tx) => {
    await raiseDataRevision(tx, { projectId, table, at });
    await recordAudit(tx, { ...entry, by, at, projectId });
    await notifyChange(tx, changed);
  });
}

async function findProject({ prisma }: StoreDeps, id: number): Promise<ProjectRecord | null> {
  if (!isRowNumber(id)) return null;
  const row = await prisma.project.findUnique({ where: { id }, select });
  return row === null ? null : toProject(row);
}

/** Sorted by id. */
async function listProjects({ prisma }: StoreDeps): Promise<readonly ProjectRecord[]> {
  return (await prisma.project.findMany({ select, orderBy: { id: 'asc' } })).map(toProject);
}

/** 0 when there is none. Ids of deleted projects are not reused, so a new project always raises it. */
async function highestProjectId({ prisma }: StoreDeps): Promise<number> {
  const { _max } = await prisma.project.aggregate({ _max: { id: true } });
  return _max.id ?? 0;
}
