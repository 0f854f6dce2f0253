import type { PrismaClient } from '../generated/prisma/client.ts';
import type { Clock } from '../lib/clock.ts';
import { uuidv7 } from '../lib/ids.ts';
import type { Actor } from '../model/actor.ts';
import { recordAudit } from './audit-store.ts';
import { isRowNumber } from './column-range.ts';
import { isUniqueViolation, translateErrors } from './prisma-errors.ts';

export interface UserRecord {
  readonly id: number;
  readonly uuid: string;
  readonly email: string;
  readonly firstName: string;
  readonly lastName: string;
  readonly createdAt: Date;
}

export interface UserDraft {
  /** Compared without regard to case. */
  readonly email: string;
  readonly firstName?: string;
  readonly lastName?: string;
}

export interface UserStore {
  /** The user with this address, made if there is none; the names of one that exists stay as they are. */
  findOrCreateUser(draft: UserDraft, by?: Actor): Promise<UserRecord>;
  findUser(id: number): Promise<UserRecord | null>;
}

const select = {
  id: true,
  uuid: true,
  email: true,
  firstName: true,
  lastName: true,
  createdAt: true,
} as const;

export function openUserStore(deps: {
  readonly prisma: PrismaClient;
  readonly clock: Clock;
}): UserStore {
  const { prisma, clock } = deps;

  async function findOrCreateUser(draft: UserDraft, by?: Actor) {
    const email = draft.email.trim().toLowerCase();
    const found = await prisma.user.findUnique({ where: { email }, select });
    if (found !== null) return found;
    const createdAt = clock.now();
    const names = { firstName: draft.firstName ?? '', lastName: draft.lastName ?? '' };
    try {
      return await prisma.$transaction(async (tx) => {
        const data = { uuid: uuidv7(createdAt), email, ...names, createdAt };
        const user = await tx.user.create({ data, select });
        const after = { id: user.id, email, ...names };
        const action = 'user.create';
        await recordAudit(tx, { action, by, at: createdAt, projectId: null, after });
        return user;
      });
    } catch (error) {
      // Somebody else was faster.
      if (!isUniqueViolation(error, 'user_email_key')) throw error;
      return prisma.user.findUniqueOrThrow({ where: { email }, select });
    }
  }

  return translateErrors<UserStore>({
    findOrCreateUser,
    async findUser(id) {
      return isRowNumber(id) ? prisma.user.findUnique({ where: { id }, select }) : null;
    },
  });
}
