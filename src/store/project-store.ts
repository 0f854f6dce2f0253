import { ServiceError } from '../errors/service-error.ts';
import type { PrismaClient } from '../generated/prisma/client.ts';
import type { Clock } from '../lib/clock.ts';
import type { Actor } from '../model/actor.ts';
import { type LimitOverrides, readLimits } from '../model/query-limits.ts';
import { recordAudit } from './audit-store.ts';
import { notifyChange } from './change.ts';
import { isRowNumber } from './column-range.ts';
import { isUniqueViolation, translateErrors } from './prisma-errors.ts';

export interface ProjectRecord {
  readonly id: number;
  readonly name: string;
  readonly createdAt: Date;
  /** Of its own. */
  readonly limits: LimitOverrides;
}

export interface ProjectStore {
  /** Throws ServiceError `unique` when the name is taken. Other processes are told. */
  createProject(name: string, by?: Actor): Promise<ProjectRecord>;
  /** In place of those that it has. Null when there is no such project. Other processes are told. */
  setLimits(id: number, limits: LimitOverrides, by?: Actor): Promise<ProjectRecord | null>;
  findProject(id: number): Promise<ProjectRecord | null>;
  /** By id. */
  listProjects(): Promise<readonly ProjectRecord[]>;
  /** 0 when there is none. A deleted project's id is not given again, so this is also a count of news. */
  highestProjectId(): Promise<number>;
}

const select = { id: true, name: true, createdAt: true, limits: true } as const;

function toProject<Row extends { readonly limits: unknown }>(row: Row) {
  return { ...row, limits: readLimits(row.limits) };
}

export function openProjectStore(deps: {
  readonly prisma: PrismaClient;
  readonly clock: Clock;
}): ProjectStore {
  const { prisma, clock } = deps;

  async function setLimits(id: number, limits: LimitOverrides, by?: Actor) {
    return prisma.$transaction(async (tx) => {
      await tx.$queryRaw`SELECT 1 FROM project WHERE id = ${id} FOR UPDATE`;
      const was = await tx.project.findUnique({ where: { id }, select });
      if (was === null) return null;
      const now = await tx.project.update({ where: { id }, data: { limits }, select });
      const [before, after] = [{ limits: was.limits }, { limits }];
      const told = { action: 'project.limits', by, at: clock.now(), projectId: id } as const;
      await recordAudit(tx, { ...told, before, after });
      await notifyChange(tx, { kind: 'project', id });
      return toProject(now);
    });
  }

  async function createProject(name: string, by?: Actor) {
    try {
      return await prisma.$transaction(async (tx) => {
        const at = clock.now();
        const project = await tx.project.create({ data: { name, createdAt: at }, select });
        const after = { id: project.id, name };
        await recordAudit(tx, { action: 'project.create', by, at, projectId: project.id, after });
        await notifyChange(tx, { kind: 'project', id: project.id });
        return toProject(project);
      });
    } catch (error) {
      if (!isUniqueViolation(error, 'project_name_key')) throw error;
      throw new ServiceError('unique', `A project named "${name}" already exists.`, {
        attr: 'name',
        cause: error,
      });
    }
  }

  return translateErrors<ProjectStore>({
    createProject,
    setLimits,
    async findProject(id) {
      if (!isRowNumber(id)) return null;
      const row = await prisma.project.findUnique({ where: { id }, select });
      return row === null ? null : toProject(row);
    },
    async listProjects() {
      return (await prisma.project.findMany({ select, orderBy: { id: 'asc' } })).map(toProject);
    },
    async highestProjectId() {
      const { _max } = await prisma.project.aggregate({ _max: { id: true } });
      return _max.id ?? 0;
    },
  });
}
