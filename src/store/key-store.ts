/** Personal API keys. Of a key's secret only the hash is kept. */
import { randomBytes, timingSafeEqual } from 'node:crypto';
import { keyPrefix } from '../errors/redact-keys.ts';
import type { Prisma, PrismaClient } from '../generated/prisma/client.ts';
import type { Clock } from '../lib/clock.ts';
import { isUuid, uuidv7 } from '../lib/ids.ts';
import type { Actor } from '../model/actor.ts';
import { hashKey } from '../model/api-key-hash.ts';
import { type LimitOverrides, noLimits, readLimits } from '../model/query-limits.ts';
import { isScope, type Scope } from '../model/scope.ts';
import { type AuditDraft, recordAudit } from './audit-store.ts';
import { notifyChange } from './change.ts';
import { translateErrors } from './prisma-errors.ts';
import { updateLastUsed } from './update-last-used.ts';

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
  readonly limits: LimitOverrides;
}

export interface KeyDraft {
  readonly userId: number;
  readonly label: string;
  /** At least one. */
  readonly scopes: readonly Scope[];
  readonly projectIds: readonly number[];
  readonly expiresAt: Date | null;
  readonly limits?: LimitOverrides;
  readonly by?: Actor | undefined;
}

export interface KeyStore {
  /** `key` is the secret itself and is never to be had again. */
  createKey(draft: KeyDraft): Promise<{ readonly id: string; readonly key: string }>;
  /** One statement. Expired and revoked keys are found too: whether they count is the caller's to say. */
  findKeyByHash(hash: Uint8Array): Promise<KeyRecord | null>;
  /** Newest first; those of one project, or all. */
  listKeys(projectId?: number): Promise<readonly KeyRecord[]>;
  /** True when this call revoked it, false when it was revoked before or never existed. Other processes are told. */
  revokeKey(id: string, by?: Actor): Promise<boolean>;
  /** Records last uses by id, in one statement; a time never goes back. */
  updateLastUsed(times: ReadonlyMap<string, Date>): Promise<void>;
}

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
  limits: true,
  projects: { select: { id: true }, orderBy: { id: 'asc' } },
} as const;

type KeyRow = Omit<KeyRecord, 'scopes' | 'projectIds' | 'limits'> & {
  readonly limits: unknown;
  readonly scopes: readonly string[];
  readonly projects: readonly { readonly id: number }[];
};

function toKeyRecord({ projects, scopes, limits, ...row }: KeyRow): KeyRecord {
  return {
    ...row,
    limits: readLimits(limits),
    scopes: scopes.filter(isScope),
    projectIds: projects.map(({ id }) => id),
  };
}

/** What the audit log keeps of a key: what it may do, and never its secret. */
function keyState(key: KeyRecord) {
  const { id, label, prefix, userId, scopes, projectIds, expiresAt, limits } = key;
  return {
    id,
    label,
    prefix,
    userId,
    scopes,
    projectIds,
    expiresAt: expiresAt?.toISOString() ?? null,
    ...(limits === noLimits ? {} : { limits }),
  };
}

/** Once for each project that the key is for, so that each project's log tells of it. */
function auditKey(
  tx: Prisma.TransactionClient,
  { projectIds }: KeyRecord,
  told: Omit<AuditDraft, 'projectId'>,
): Promise<void> {
  const concerned = projectIds.length === 0 ? [null] : projectIds;
  return recordAudit(tx, ...concerned.map((projectId) => ({ ...told, projectId })));
}

function isSame(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && timingSafeEqual(a, b);
}

export function openKeyStore(deps: {
  readonly prisma: PrismaClient;
  readonly clock: Clock;
}): KeyStore {
  const { prisma, clock } = deps;

  async function createKey(draft: KeyDraft) {
    const now = clock.now();
    const key = keyPrefix + randomBytes(secretBytes).toString('base64url');
    return prisma.$transaction(async (tx) => {
      const row = await tx.apiKey.create({
        select: columns,
        data: {
          id: uuidv7(now),
          userId: draft.userId,
          label: draft.label,
          prefix: key.slice(0, shownChars),
          hash: hashKey(key),
          scopes: [...draft.scopes],
          createdAt: now,
          expiresAt: draft.expiresAt,
          limits: draft.limits ?? {},
          projects: { connect: draft.projectIds.map((projectId) => ({ id: projectId })) },
        },
      });
      const record = toKeyRecord(row);
      const told = {
        action: 'key.create',
        by: draft.by,
        at: now,
        after: keyState(record),
      } as const;
      await auditKey(tx, record, told);
      return { id: record.id, key };
    });
  }

  async function findKeyByHash(hash: Uint8Array) {
    const row = await prisma.apiKey.findUnique({
      where: { hash: new Uint8Array(hash) },
      select: { ...columns, hash: true },
    });
    if (row === null) return null;
    const { hash: stored, ...found } = row;
    // The index found it by its hash; that the two are equal is said in a time that tells nothing.
    return isSame(stored, hash) ? toKeyRecord(found) : null;
  }

  async function listKeys(projectId?: number) {
    const rows = await prisma.apiKey.findMany({
      ...(projectId === undefined ? {} : { where: { projects: { some: { id: projectId } } } }),
      select: columns,
      orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
    });
    return rows.map(toKeyRecord);
  }

  function revokeKey(id: string, by?: Actor) {
    if (!isUuid(id)) return Promise.resolve(false);
    return prisma.$transaction(async (tx) => {
      const now = clock.now();
      const { count } = await tx.apiKey.updateMany({
        where: { id, revokedAt: null },
        data: { revokedAt: now },
      });
      if (count === 0) return false;
      const key = toKeyRecord(
        await tx.apiKey.findUniqueOrThrow({ where: { id }, select: columns }),
      );
      const before = keyState(key);
      const after = { ...before, revokedAt: now.toISOString() };
      const told = { action: 'key.revoke', by, at: now, before, after } as const;
      await auditKey(tx, key, told);
      await notifyChange(tx, { kind: 'key', id });
      return true;
    });
  }

  return translateErrors<KeyStore>({
    createKey,
    findKeyByHash,
    listKeys,
    revokeKey,
    updateLastUsed: (times) => updateLastUsed(prisma, 'api_key', times),
  });
}
