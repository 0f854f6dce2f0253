import type { Prisma } from '../generated/prisma/client.ts';
import { uuidv7 } from '../lib/ids.ts';
import type { Actor } from '../model/actor.ts';
import { recordAudit } from './audit-store.ts';
import { isRowNumber } from './column-range.ts';
import { openStore, type Store } from './open-store.ts';
import type { StoreDeps } from './store-deps.ts';

export interface UserRecord {
  readonly id: number;
  readonly uuid: string;
  readonly email: string;
  readonly firstName: string;
  readonly lastName: string;
  readonly createdAt: Date;
}

export interface UserDraft {
  /** Compared case-insensitively. */
  readonly email: string;
  readonly firstName?: string;
  readonly lastName?: string;
}

const operations = { findOrCreateUser, findUser, findUserByEmail };

export type UserStore = Store<typeof operations>;

export function openUserStore(deps: StoreDeps): UserStore {
  return openStore(deps, operations);
}

const select = {
  id: true,
  uuid: true,
  email: true,
  firstName: true,
  lastName: true,
  createdAt: true,
} as const;

/** Returns the user with this address, creating it if necessary; the names of an existing user stay unchanged. */
async function findOrCreateUser(
  { prisma, clock }: StoreDeps,
  draft: UserDraft,
  by?: Actor,
): Promise<UserRecord> {
  return prisma.$transaction((tx) => insertOrFindUser(tx, { draft, at: clock.now(), by }));
}

/** The same in a transaction. */
export async function insertOrFindUser(
  tx: Prisma.TransactionClient,
  {
    draft,
    at,
    by,
  }: { readonly draft: UserDraft; readonly at: Date; readonly by?: Actor | undefined },
): Promise<UserRecord> {
  const email = draft.email.trim().toLowerCase();
  const found = await tx.user.findUnique({ where: { email }, select });
  if (found !== null) return found;
  const names = { firstName: draft.firstName ?? '', lastName: draft.lastName ?? '' };
  const data = { uuid: uuidv7(at), email, ...names, createdAt: at };
  // A violation of the unique address would end the transaction.
  const [user] = await tx.user.createManyAndReturn({ data, select, skipDuplicates: true });
  if (user === undefined) return tx.user.findUniqueOrThrow({ where: { email }, select });
  const after = { id: user.id, email, ...names };
  await recordAudit(tx, { action: 'user.create', by, at, projectId: null, after });
  return user;
}

async function findUser({ prisma }: StoreDeps, id: number): Promise<UserRecord | null> {
  return isRowNumber(id) ? prisma.user.findUnique({ where: { id }, select }) : null;
}

/** Compared case-insensitively. */
async function findUserByEmail({ prisma }: StoreDeps, email: string): Promise<UserRecord | null> {
  return prisma.user.findUnique({ where: { email: email.trim().toLowerCase() }, select });
}
