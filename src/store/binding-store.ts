/**
 * The databases that projects are bound to. The credentials of their engine users are encrypted before they are stored,
 * and decrypted when read.
 */
import { invalidInput } from '../errors/service-error.ts';
import type { Prisma, PrismaClient } from '../generated/prisma/client.ts';
import type { Clock } from '../lib/clock.ts';
import type { Sealer } from '../lib/seal.ts';
import type { Actor } from '../model/actor.ts';
import type { BindingPlace, ProjectBinding } from '../model/project-binding.ts';
import { recordAudit } from './audit-store.ts';
import { sealUsers, unsealUsers } from './bound-users.ts';
import { notifyChange } from './change.ts';
import { isRowNumber } from './column-range.ts';
import { openStore, type Store } from './open-store.ts';
import { isUniqueViolation } from './prisma-errors.ts';
import { insertProject, nameTaken } from './project-store.ts';
import {
  leaveStoredTables,
  requireAllDropped,
  requireNothingMaterialized,
  requireNothingStored,
} from './still-stored.ts';

interface Deps {
  readonly prisma: PrismaClient;
  readonly clock: Clock;
  /** Null when the settings have no encryption key. */
  readonly sealer: Sealer | null;
}

/** The public part of a binding. */
interface BoundProject extends BindingPlace {
  readonly projectId: number;
  readonly url: string;
  /** Rises with each change. */
  readonly revision: number;
}

interface BindingChange {
  readonly projectId: number;
  readonly binding: ProjectBinding;
  /** The revision that the change is based on, null for no binding; undefined skips the check. */
  readonly expected: number | null | undefined;
  readonly by: Actor;
}

interface BoundDraft {
  readonly name: string;
  /** What it throws is thrown, and nothing is created. */
  readonly bindingOf: (projectId: number) => ProjectBinding;
  readonly by: Actor;
}

const operations = {
  findBinding,
  findRevision,
  listBound,
  bind,
  createBound,
  unbind,
  sealAgain,
};

export type BindingStore = Store<typeof operations>;

export function openBindingStore(deps: Deps): BindingStore {
  return openStore(deps, operations);
}

/** Null for a project with its own database. @throws ServiceError `engine_unavailable` without the encryption key. */
async function findBinding(
  { prisma, sealer }: Deps,
  projectId: number,
): Promise<{ readonly revision: number; readonly binding: ProjectBinding } | null> {
  if (!isRowNumber(projectId)) return null;
  const row = await prisma.projectBinding.findUnique({ where: { projectId } });
  if (row === null) return null;
  const { revision, databases, stored, dictionaries, url, users } = row;
  const { reader, writer } = unsealUsers(sealer, { projectId, url }, users);
  return { revision, binding: { databases, stored, dictionaries, url, reader, writer } };
}

/** Null for a project with its own database. */
async function findRevision({ prisma }: Deps, projectId: number): Promise<number | null> {
  if (!isRowNumber(projectId)) return null;
  const where = { projectId };
  return (
    (await prisma.projectBinding.findUnique({ where, select: { revision: true } }))?.revision ??
    null
  );
}

const shown = {
  projectId: true,
  databases: true,
  stored: true,
  dictionaries: true,
  url: true,
  revision: true,
} as const;

function listBound({ prisma }: Deps): Promise<readonly BoundProject[]> {
  return prisma.projectBinding.findMany({ select: shown, orderBy: { projectId: 'asc' } });
}

/**
 * Binds the project, or changes its binding, and notifies other processes. Returns false, without any change, when the
 * revision differs from the expected one.
 *
 * @throws ServiceError `invalid_input` without an encryption key, for databases of another project, and for other
 * databases while stored tables exist that were computed from the present ones.
 */
async function bind(deps: Deps, change: BindingChange): Promise<boolean> {
  return deps.prisma.$transaction((tx) => bindIn(tx, deps, change));
}

/**
 * Creates a project with a binding, both or neither. Notifies other processes.
 *
 * @throws ServiceError `unique` when the name is taken; else as for a binding.
 */
async function createBound(
  deps: Deps,
  { name, bindingOf, by }: BoundDraft,
): Promise<{ readonly id: number; readonly binding: ProjectBinding }> {
  try {
    return await deps.prisma.$transaction(async (tx) => {
      const { id } = await insertProject(tx, { name, at: deps.clock.now(), by });
      const binding = bindingOf(id);
      await bindIn(tx, deps, { projectId: id, binding, expected: undefined, by });
      return { id, binding };
    });
  } catch (error) {
    throw nameTaken(error, name) ?? error;
  }
}

async function bindIn(
  tx: Prisma.TransactionClient,
  { clock, sealer }: Deps,
  change: BindingChange,
): Promise<boolean> {
  const { projectId, binding, expected, by } = change;
  const { databases, stored, dictionaries, url, reader, writer } = binding;
  const users = sealUsers(sealer, projectId, binding);
  const at = clock.now();
  const place = { databases: [...databases], stored, dictionaries: [...dictionaries], url };
  const row = { ...place, users, changedAt: at };
  // Serializes changes, because each is checked against the bindings of all other projects.
  await tx.$executeRaw`SELECT pg_advisory_xact_lock(hashtextextended('project_binding', 0))`;
  await tx.$queryRaw`SELECT 1 FROM project WHERE id = ${projectId} FOR UPDATE`;
  const was = await tx.projectBinding.findUnique({ where: { projectId }, select: shown });
  if (expected !== undefined && expected !== (was?.revision ?? null)) return false;
  await requireOthersApart(tx, change);
  if (!isSamePlace(was, place)) await requireNothingStored(tx, projectId);
  const revision = await raiseDataRevision(tx, projectId);
  const upsert = tx.projectBinding.upsert({
    where: { projectId },
    // Higher than that of any earlier binding.
    create: { ...row, projectId, revision },
    update: { ...row, revision: { increment: 1 } },
  });
  await upsert.catch((error: unknown) => {
    if (!isUniqueViolation(error, 'project_binding_url_stored_key')) throw error;
    throw invalidInput('stored', `${stored} holds the stored tables of another project.`);
  });
  const after = { ...place, reader: reader.user, writer: writer?.user ?? null };
  const before = was === null ? {} : { before: { ...was } };
  await recordAudit(tx, { action: 'project.attach', by, at, projectId, ...before, after });
  await notifyChange(tx, { kind: 'project', id: projectId });
  return true;
}

/** Older results are not served from then on. */
async function raiseDataRevision(tx: Prisma.TransactionClient, projectId: number): Promise<number> {
  const data = { dataRevision: { increment: 1 } };
  const select = { dataRevision: true };
  return (await tx.project.update({ where: { id: projectId }, data, select })).dataRevision;
}

export interface Unbinding {
  readonly projectId: number;
  /** Forgets the stored tables that are still to be dropped; nobody drops them then. */
  readonly leaveTables: boolean;
  readonly by: Actor;
}

/**
 * Gives the project its own database from then on. Needs no key. Notifies other processes. False when it is not bound.
 *
 * @throws ServiceError `invalid_input` while something is materialized or still to be dropped.
 */
async function unbind({ prisma, clock }: Deps, unbinding: Unbinding): Promise<boolean> {
  const { projectId, leaveTables, by } = unbinding;
  const at = clock.now();
  return prisma.$transaction(async (tx) => {
    await tx.$queryRaw`SELECT 1 FROM project WHERE id = ${projectId} FOR UPDATE`;
    const was = await tx.projectBinding.findUnique({ where: { projectId }, select: shown });
    if (was === null) return false;
    await requireNothingMaterialized(tx, projectId);
    if (leaveTables) await leaveStoredTables(tx, projectId);
    await requireAllDropped(tx, projectId);
    await tx.projectBinding.delete({ where: { projectId } });
    await raiseDataRevision(tx, projectId);
    const write = { action: 'project.detach', by, at, projectId } as const;
    await recordAudit(tx, { ...write, before: { ...was } });
    await notifyChange(tx, { kind: 'project', id: projectId });
    return true;
  });
}

/** A database of stored tables belongs to one project, and no queries may read it. */
async function requireOthersApart(
  tx: Prisma.TransactionClient,
  { projectId, binding: { databases, stored } }: BindingChange,
): Promise<void> {
  const others = await tx.projectBinding.findMany({
    where: {
      projectId: { not: projectId },
      OR: [
        { stored: { in: [...databases] } },
        ...(stored === null ? [] : [{ databases: { has: stored } }]),
      ],
    },
    select: { stored: true },
  });
  const [other] = others;
  if (other === undefined) return;
  const taken = databases.find((name) => others.some((one) => one.stored === name));
  if (taken !== undefined)
    throw invalidInput('databases', `${taken} holds the stored tables of another project.`);
  throw invalidInput('stored', `${stored} is a database that another project reads.`);
}

function isSamePlace(
  was: Omit<BoundProject, 'projectId' | 'revision'> | null,
  place: Omit<BoundProject, 'projectId' | 'revision'>,
): boolean {
  if (was === null) return false;
  const key = ({ databases, stored, dictionaries, url }: typeof place) =>
    JSON.stringify([databases, stored, dictionaries, url]);
  return key(was) === key(place);
}

/** Re-encrypts the users of every project with the first key. Returns how many. */
async function sealAgain(deps: Deps): Promise<number> {
  const { prisma, clock, sealer } = deps;
  const bound = await listBound(deps);
  for (const { projectId, revision } of bound) {
    const found = await findBinding(deps, projectId);
    if (found === null) continue;
    const users = sealUsers(sealer, projectId, found.binding);
    // A row that changed meanwhile is already encrypted with the first key.
    await prisma.projectBinding.updateMany({
      where: { projectId, revision },
      data: { users, changedAt: clock.now() },
    });
  }
  return bound.length;
}
