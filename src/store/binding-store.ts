/**
 * The databases that projects are bound to. The credentials of their engine users are encrypted before they are stored,
 * and decrypted when read.
 */
import { z } from 'zod';
import { invalidInput, ServiceError } from '../errors/service-error.ts';
import type { Prisma, PrismaClient } from '../generated/prisma/client.ts';
import type { Clock } from '../lib/clock.ts';
import { SealError, type Sealer } from '../lib/seal.ts';
import type { Actor } from '../model/actor.ts';
import type { BindingPlace, ProjectBinding } from '../model/project-binding.ts';
import { recordAudit } from './audit-store.ts';
import { notifyChange } from './change.ts';
import { isRowNumber } from './column-range.ts';
import { openStore, type Store } from './open-store.ts';
import { isUniqueViolation } from './prisma-errors.ts';
import {
  leaveStoredTables,
  requireAllDropped,
  requireNothingMaterialized,
} from './still-stored.ts';

interface Deps {
  readonly prisma: PrismaClient;
  readonly clock: Clock;
  /** Null when the settings have no encryption key. */
  readonly sealer: Sealer | null;
}

/** The public part of a binding. */
export interface BoundProject extends BindingPlace {
  readonly projectId: number;
  readonly url: string;
  /** Rises with each change. */
  readonly revision: number;
}

export interface BindingChange {
  readonly projectId: number;
  readonly binding: ProjectBinding;
  /** The revision that the change is based on, null for no binding; undefined skips the check. */
  readonly expected: number | null | undefined;
  readonly by: Actor;
}

const operations = { findBinding, findRevision, listBound, bind, unbind, sealAgain };

export type BindingStore = Store<typeof operations>;

export function openBindingStore(deps: Deps): BindingStore {
  return openStore(deps, operations);
}

const user = z.object({
  user: z.string(),
  password: z.string(),
  former: z.array(z.string()).exactOptional(),
});
const usersText = z.object({ reader: user, writer: user.nullable() });

/** Null for a project with its own database. @throws ServiceError `engine_unavailable` without the encryption key. */
async function findBinding(
  { prisma, sealer }: Deps,
  projectId: number,
): Promise<{ readonly revision: number; readonly binding: ProjectBinding } | null> {
  if (!isRowNumber(projectId)) return null;
  const row = await prisma.projectBinding.findUnique({ where: { projectId } });
  if (row === null) return null;
  const { revision, databases, stored, dictionaries, url, users } = row;
  const { reader, writer } = unseal(sealer, { projectId, url }, users);
  return { revision, binding: { databases, stored, dictionaries, url, reader, writer } };
}

interface Place {
  readonly projectId: number;
  readonly url: string;
}

function unseal(sealer: Sealer | null, place: Place, users: Uint8Array): z.infer<typeof usersText> {
  try {
    if (sealer === null) throw new SealError('CREDENTIALS_KEY is not set');
    return usersText.parse(JSON.parse(sealer.open(users, contextOf(place))));
  } catch (error) {
    const reason = error instanceof SealError ? error.message : 'they are damaged';
    throw new ServiceError(
      'engine_unavailable',
      'The engine users of this project are not available.',
      {
        cause: error,
        retryAfterSeconds: 60,
        internal: `The users of project ${place.projectId} cannot be decrypted: ${reason}. CREDENTIALS_KEY must contain the key that they were encrypted with.`,
      },
    );
  }
}

/**
 * The encryption context. It ties the credentials to one project and server, so that copying them into another row does
 * not reveal them.
 */
function contextOf({ projectId, url }: Place): string {
  return `users of project ${projectId} at ${url}`;
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
async function bind({ prisma, clock, sealer }: Deps, change: BindingChange): Promise<boolean> {
  const { projectId, binding, expected, by } = change;
  const { databases, stored, dictionaries, url, reader, writer } = binding;
  const users = seal(sealer, projectId, binding);
  const at = clock.now();
  const place = { databases: [...databases], stored, dictionaries: [...dictionaries], url };
  const row = { ...place, users, changedAt: at };
  try {
    return await prisma.$transaction(async (tx) => {
      // Serializes changes, because each is checked against the bindings of all other projects.
      await tx.$executeRaw`SELECT pg_advisory_xact_lock(hashtextextended('project_binding', 0))`;
      await tx.$queryRaw`SELECT 1 FROM project WHERE id = ${projectId} FOR UPDATE`;
      const was = await tx.projectBinding.findUnique({ where: { projectId }, select: shown });
      if (expected !== undefined && expected !== (was?.revision ?? null)) return false;
      await requireOthersApart(tx, change);
      if (!isSamePlace(was, place)) await requireNothingStored(tx, projectId);
      const revision = await raiseDataRevision(tx, projectId);
      await tx.projectBinding.upsert({
        where: { projectId },
        // Higher than that of any earlier binding.
        create: { ...row, projectId, revision },
        update: { ...row, revision: { increment: 1 } },
      });
      const after = { ...place, reader: reader.user, writer: writer?.user ?? null };
      const before = was === null ? {} : { before: { ...was } };
      await recordAudit(tx, { action: 'project.attach', by, at, projectId, ...before, after });
      await notifyChange(tx, { kind: 'project', id: projectId });
      return true;
    });
  } catch (error) {
    if (!isUniqueViolation(error, 'project_binding_url_stored_key')) throw error;
    throw invalidInput('stored', `${stored} holds the stored tables of another project.`);
  }
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

function seal(
  sealer: Sealer | null,
  projectId: number,
  { reader, writer, url }: Pick<ProjectBinding, 'reader' | 'writer' | 'url'>,
): Uint8Array<ArrayBuffer> {
  if (sealer === null) {
    throw invalidInput(
      null,
      'CREDENTIALS_KEY is not set, so engine users cannot be encrypted. Set it to 64 hexadecimal digits, for the service and for this command; generate them with openssl rand -hex 32.',
    );
  }
  return new Uint8Array(
    sealer.seal(JSON.stringify({ reader, writer }), contextOf({ projectId, url })),
  );
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

async function requireNothingStored(
  tx: Prisma.TransactionClient,
  projectId: number,
): Promise<void> {
  const tables = await tx.storedTable.count({ where: { projectId, droppedAt: null } });
  const enabled = await tx.materializationStatus.count({
    where: { enabled: true, version: { endpoint: { projectId } } },
  });
  if (tables + enabled === 0) return;
  throw invalidInput(
    'databases',
    'The project has stored tables, which were computed from its current databases: disable its materializations first. Users can be changed at any time if the databases remain the same.',
  );
}

/** Re-encrypts the users of every project with the first key. Returns how many. */
async function sealAgain(deps: Deps): Promise<number> {
  const { prisma, clock, sealer } = deps;
  const bound = await listBound(deps);
  for (const { projectId, revision } of bound) {
    const found = await findBinding(deps, projectId);
    if (found === null) continue;
    const users = seal(sealer, projectId, found.binding);
    // A row that changed meanwhile is already encrypted with the first key.
    await prisma.projectBinding.updateMany({
      where: { projectId, revision },
      data: { users, changedAt: clock.now() },
    });
  }
  return bound.length;
}
