/** Personal API keys. Of a key's secret only the hash is kept. */
import { randomBytes } from 'node:crypto';
import { hashKey } from '../domain/api-key.ts';
import { isScope, type Scope } from '../domain/scope.ts';
import type { PrismaClient } from '../generated/prisma/client.ts';
import type { Clock } from '../lib/clock.ts';
import { isUuid, uuidv7 } from '../lib/ids.ts';
import { notifyChange } from './change.ts';
import { translateErrors } from './prisma-errors.ts';
import { touch } from './touch.ts';

export interface KeyRecord {
  readonly id: string;
  readonly label: string;
  /** The first characters of the key, enough to recognise it. */
  readonly prefix: string;
  readonly userId: number;
  readonly scopes: readonly Scope[];
  readonly projectIds: readonly number[];
  readonly createdAt: Date;
  /** Null: never. */
  readonly expiresAt: Date | null;
  readonly lastUsedAt: Date | null;
  readonly revokedAt: Date | null;
}

export interface KeyDraft {
  readonly userId: number;
  readonly label: string;
  /** At least one. */
  readonly scopes: readonly Scope[];
  readonly projectIds: readonly number[];
  readonly expiresAt: Date | null;
}

export interface KeyStore {
  /** `key` is the secret itself and is never to be had again. */
  createKey(draft: KeyDraft): Promise<{ readonly id: string; readonly key: string }>;
  /** One statement. Expired and revoked keys are found too: whether they count is the caller's to say. */
  findKeyByHash(hash: Uint8Array): Promise<KeyRecord | null>;
  /** Newest first; those of one project, or all. */
  listKeys(projectId?: number): Promise<readonly KeyRecord[]>;
  /** True when this call revoked it, false when it was revoked before or never existed. Other processes are told. */
  revokeKey(id: string): Promise<boolean>;
  /** Records last uses by id, in one statement; a time never goes back. */
  touchKeys(times: ReadonlyMap<string, Date>): Promise<void>;
}

const keyPrefix = 'qdk_';
const secretBytes = 32;
const shownChars = 8;

const columns = {
  id: true,
  label: true,
  prefix: true,
  userId: true,
  scopes: true,
  createdAt: true,
  expiresAt: true,
  lastUsedAt: true,
  revokedAt: true,
  projects: { select: { id: true }, orderBy: { id: 'asc' } },
} as const;

type KeyRow = Omit<KeyRecord, 'scopes' | 'projectIds'> & {
  readonly scopes: readonly string[];
  readonly projects: readonly { readonly id: number }[];
};

function toKeyRecord({ projects, scopes, ...row }: KeyRow): KeyRecord {
  return { ...row, scopes: scopes.filter(isScope), projectIds: projects.map(({ id }) => id) };
}

export function openKeyStore(deps: {
  readonly prisma: PrismaClient;
  readonly clock: Clock;
}): KeyStore {
  const { prisma, clock } = deps;

  async function createKey(draft: KeyDraft) {
    const now = clock.now();
    const key = keyPrefix + randomBytes(secretBytes).toString('base64url');
    const { id } = await prisma.apiKey.create({
      select: { id: true },
      data: {
        id: uuidv7(now),
        userId: draft.userId,
        label: draft.label,
        prefix: key.slice(0, shownChars),
        hash: hashKey(key),
        scopes: [...draft.scopes],
        createdAt: now,
        expiresAt: draft.expiresAt,
        projects: { connect: draft.projectIds.map((projectId) => ({ id: projectId })) },
      },
    });
    return { id, key };
  }

  async function findKeyByHash(hash: Uint8Array) {
    const row = await prisma.apiKey.findUnique({
      where: { hash: new Uint8Array(hash) },
      select: columns,
    });
    return row === null ? null : toKeyRecord(row);
  }

  async function listKeys(projectId?: number) {
    const rows = await prisma.apiKey.findMany({
      ...(projectId === undefined ? {} : { where: { projects: { some: { id: projectId } } } }),
      select: columns,
      orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
    });
    return rows.map(toKeyRecord);
  }

  function revokeKey(id: string) {
    if (!isUuid(id)) return Promise.resolve(false);
    return prisma.$transaction(async (tx) => {
      const { count } = await tx.apiKey.updateMany({
        where: { id, revokedAt: null },
        data: { revokedAt: clock.now() },
      });
      if (count === 0) return false;
      await notifyChange(tx, { kind: 'key', id });
      return true;
    });
  }

  return translateErrors<KeyStore>({
    createKey,
    findKeyByHash,
    listKeys,
    revokeKey,
    touchKeys: (times) => touch(prisma, 'api_key', times),
  });
}
