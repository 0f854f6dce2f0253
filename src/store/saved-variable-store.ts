/** Variables that a project's queries may refer to by id. Every write is one transaction and is audited. */
import { ServiceError } from '../errors/service-error.ts';
import { Prisma } from '../generated/prisma/client.ts';
import { isUuid, uuidv7 } from '../lib/ids.ts';
import type { Actor } from '../model/actor.ts';
import { recordAudit } from './audit-store.ts';
import { openStore, type Store } from './open-store.ts';
import { isUniqueViolation } from './prisma-errors.ts';
import type { StoreDeps } from './store-deps.ts';

export interface SavedVariableContent {
  readonly name: string;
  readonly codeName: string;
  /** String, Number, Boolean, List or Date. */
  readonly type: string;
  /** Null for none. */
  readonly defaultValue: unknown;
  /** Null for any value. */
  readonly values: readonly unknown[] | null;
}

export interface SavedVariableRecord extends SavedVariableContent {
  readonly id: string;
  readonly projectId: number;
}

const operations = { createVariable, updateVariable, deleteVariable, findVariables };

export type SavedVariableStore = Store<typeof operations>;

export function openSavedVariableStore(deps: StoreDeps): SavedVariableStore {
  return openStore(deps, operations);
}

const select = {
  id: true,
  projectId: true,
  name: true,
  codeName: true,
  type: true,
  defaultValue: true,
  values: true,
} as const;

type Row = Prisma.SavedVariableGetPayload<{ select: typeof select }>;

/** Only this store writes the rows, so their JSON has these shapes. */
function toRecord(row: Row): SavedVariableRecord {
  return { ...row, values: row.values as readonly unknown[] | null };
}

function toColumns({ name, codeName, type, defaultValue, values }: SavedVariableContent) {
  return { name, codeName, type, defaultValue: toJson(defaultValue), values: toJson(values) };
}

function toJson(value: unknown) {
  return value === null ? Prisma.DbNull : (value as Prisma.InputJsonValue);
}

/** Throws ServiceError `unique` when the code name is taken. Returns the id. */
async function createVariable(
  { prisma, clock }: StoreDeps,
  draft: {
    readonly projectId: number;
    readonly content: SavedVariableContent;
    readonly createdById: number;
    readonly by: Actor;
  },
): Promise<string> {
  const { projectId, content, createdById, by } = draft;
  const at = clock.now();
  const id = uuidv7(at);
  const data = { id, projectId, ...toColumns(content), createdById, createdAt: at, updatedAt: at };
  try {
    await prisma.$transaction(async (tx) => {
      await tx.savedVariable.create({ data, select: { id: true } });
      const after = { id, ...content };
      await recordAudit(tx, { action: 'variable.create', by, at, projectId, after });
    });
  } catch (error) {
    if (!isUniqueViolation(error, 'saved_variable_project_id_code_name_key')) throw error;
    throw new ServiceError(
      'unique',
      `A variable ${content.codeName} already exists in this project. Choose another name.`,
      { attr: 'name', cause: error },
    );
  }
  return id;
}

/**
 * False when it does not exist.
 *
 * @param update.change computes the new content from the present one; if it throws, nothing changes.
 */
function updateVariable(
  { prisma, clock }: StoreDeps,
  update: {
    readonly projectId: number;
    readonly id: string;
    readonly change: (was: SavedVariableContent) => SavedVariableContent;
    readonly by: Actor;
  },
): Promise<boolean> {
  const { projectId, id, change, by } = update;
  return prisma.$transaction(async (tx) => {
    const was = await lock(tx, projectId, id);
    if (was === null) return false;
    const content = change(was);
    const at = clock.now();
    await tx.savedVariable.update({
      where: { id },
      data: { ...toColumns(content), updatedAt: at },
      select: { id: true },
    });
    const after = { id, ...content };
    await recordAudit(tx, {
      action: 'variable.update',
      by,
      at,
      projectId,
      before: { ...was },
      after,
    });
    return true;
  });
}

/** False when it did not exist. Endpoints keep the definitions that they were saved with. */
function deleteVariable(
  { prisma, clock }: StoreDeps,
  deletion: { readonly projectId: number; readonly id: string; readonly by: Actor },
): Promise<boolean> {
  const { projectId, id, by } = deletion;
  return prisma.$transaction(async (tx) => {
    const was = await lock(tx, projectId, id);
    if (was === null) return false;
    await tx.savedVariable.delete({ where: { id }, select: { id: true } });
    const at = clock.now();
    await recordAudit(tx, { action: 'variable.delete', by, at, projectId, before: { ...was } });
    return true;
  });
}

async function lock(
  tx: Prisma.TransactionClient,
  projectId: number,
  id: string,
): Promise<SavedVariableRecord | null> {
  if (!isUuid(id)) return null;
  await tx.$queryRaw`SELECT 1 FROM saved_variable WHERE id = ${id}::uuid FOR UPDATE`;
  const row = await tx.savedVariable.findFirst({ where: { id, projectId }, select });
  return row === null ? null : toRecord(row);
}

/** The project's variables; one statement. */
async function findVariables(
  { prisma }: StoreDeps,
  projectId: number,
  ids: readonly string[],
): Promise<readonly SavedVariableRecord[]> {
  if (ids.length === 0) return [];
  const where = { projectId, id: { in: [...ids] } };
  return (await prisma.savedVariable.findMany({ where, select })).map(toRecord);
}
