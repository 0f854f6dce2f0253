import { ServiceError } from '../domain/errors.ts';
import type { PrismaClient } from '../generated/prisma/client.ts';
import type { Clock } from '../lib/clock.ts';
import { notifyChange } from './change.ts';
import { isRowNumber } from './column-range.ts';
import { isUniqueViolation, translateErrors } from './prisma-errors.ts';

export interface ProjectRecord {
  readonly id: number;
  readonly name: string;
  readonly createdAt: Date;
}

export interface ProjectStore {
  /** Throws ServiceError `unique` when the name is taken. Other processes are told. */
  createProject(name: string): Promise<ProjectRecord>;
  findProject(id: number): Promise<ProjectRecord | null>;
  /** By id. */
  listProjects(): Promise<readonly ProjectRecord[]>;
  /** 0 when there is none. A deleted project's id is not given again, so this is also a count of news. */
  highestProjectId(): Promise<number>;
}

export function openProjectStore(deps: {
  readonly prisma: PrismaClient;
  readonly clock: Clock;
}): ProjectStore {
  const { prisma, clock } = deps;
  const select = { id: true, name: true, createdAt: true } as const;

  async function createProject(name: string) {
    try {
      return await prisma.$transaction(async (tx) => {
        const project = await tx.project.create({ data: { name, createdAt: clock.now() }, select });
        await notifyChange(tx, { kind: 'project', id: project.id });
        return project;
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
    async findProject(id) {
      if (!isRowNumber(id)) return null;
      return prisma.project.findUnique({ where: { id }, select });
    },
    listProjects: () => prisma.project.findMany({ select, orderBy: { id: 'asc' } }),
    async highestProjectId() {
      const { _max } = await prisma.project.aggregate({ _max: { id: true } });
      return _max.id ?? 0;
    },
  });
}
