/** Personal API keys. Only the hash of a key's secret is stored. */
import { randomBytes, timingSafeEqual } from 'node:crypto';
import type { Prisma } from '../generated/prisma/client.ts';
import { isUuid, uuidv7 } from '../lib/ids.ts';
import type { Actor } from '../model/actor.ts';
import { hashKey } from '../model/api-key-hash.ts';
import { newApiKey } from '../model/new-api-key.ts';
import { type LimitOverrides, noLimits, readLimits } from '../model/query-limits.ts';
import { isScope, type Scope } from '../model/scope.ts';
import { type AuditDraft, recordAudit } from './audit-store.ts';
import { notifyChange } from './change.ts';
import { openStore, type Store } from './open-store.ts';
import type { StoreDeps } from './store-deps.ts';
import { updateTimesOf } from './update-last-used.ts';
import { insertOrFindUser, type UserDraft } from './user-store.ts';

export interface KeyRecord {
  readonly id: string;
  readonly label: string;
  /** The first characters of the key, enough to recognise it. */
  readonly prefix: string;
  readonly userId: number;
  readonly scopes: readonly Scope[];
  readonly projectIds: readonly number[];
  readonly createdAt: Date;
  /** Null for never. */
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

export interface IssuedKey {
  readonly id: string;
  /** The secret. */
  readonly key: string;
}

const updateLastUsed = updateTimesOf('api_key');
const operations = {
  createKey,
  createKeyFor,
  findKeyByHash,
  listKeys,
  extendKey,
  revokeKey,
  updateLastUsed,
};

export type KeyStore = Store<typeof operations>;

export function openKeyStore(deps: StoreDeps): KeyStore {
  return openStore(deps, operations);
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

/** A key as the audit log records it: its permissions, never its secret. */
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

/** One entry per project of the key, so that it is in each project's log. */
function auditKey(
  tx: Prisma.TransactionClient,
  { projectIds }: KeyRecord,
  write: Omit<AuditDraft, 'projectId'>,
): Promise<void> {
  const concerned = projectIds.length === 0 ? [null] : projectIds;
  return recordAudit(tx, ...concerned.map((projectId) => ({ ...write, projectId })));
}

function isSame(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && timingSafeEqual(a, b);
}

/** `key` is the secret itself; it cannot be read again. */
async function createKey({ prisma, clock }: StoreDeps, draft: KeyDraft): Promise<IssuedKey> {
  return prisma.$transaction((tx) => insertKey(tx, draft, clock.now()));
}

/** Also creates the user if necessary: both or neither. */
async function createKeyFor(
  { prisma, clock }: StoreDeps,
  owner: UserDraft,
  draft: Omit<KeyDraft, 'userId'>,
): Promise<IssuedKey> {
  const at = clock.now();
  return prisma.$transaction(async (tx) => {
    const { id: userId } = await insertOrFindUser(tx, { draft: owner, at, by: draft.by });
    return insertKey(tx, { ...draft, userId }, at);
  });
}

async function insertKey(
  tx: Prisma.TransactionClient,
  draft: KeyDraft,
  at: Date,
): Promise<IssuedKey> {
  const key = newApiKey(() => randomBytes(secretBytes));
  const row = await tx.apiKey.create({
    select: columns,
    data: {
      id: uuidv7(at),
      userId: draft.userId,
      label: draft.label,
      prefix: key.slice(0, shownChars),
      hash: hashKey(key),
      scopes: [...draft.scopes],
      createdAt: at,
      expiresAt: draft.expiresAt,
      limits: draft.limits ?? {},
      projects: { connect: draft.projectIds.map((projectId) => ({ id: projectId })) },
    },
  });
  const record = toKeyRecord(row);
  await auditKey(tx, record, { action: 'key.create', by: draft.by, at, after: keyState(record) });
  return { id: record.id, key };
}

/** One statement. Also finds expired and revoked keys: the caller decides whether they count. */
async function findKeyByHash({ prisma }: StoreDeps, hash: Uint8Array): Promise<KeyRecord | null> {
  const row = await prisma.apiKey.findUnique({
    where: { hash: new Uint8Array(hash) },
    select: { ...columns, hash: true },
  });
  if (row === null) return null;
  const { hash: stored, ...found } = row;
  // The index lookup already matched the hash; this constant-time comparison makes the duration reveal nothing.
  return isSame(stored, hash) ? toKeyRecord(found) : null;
}

/** Newest first; for one project, or all. */
async function listKeys({ prisma }: StoreDeps, projectId?: number): Promise<readonly KeyRecord[]> {
  const rows = await prisma.apiKey.findMany({
    ...(projectId === undefined ? {} : { where: { projects: { some: { id: projectId } } } }),
    select: columns,
    orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
  });
  return rows.map(toKeyRecord);
}

/**
 * True when this call revoked it, false when it was already revoked, null when there is no such key. Notifies other
 * processes.
 */
async function revokeKey(
  { prisma, clock }: StoreDeps,
  id: string,
  by?: Actor,
): Promise<boolean | null> {
  if (!isUuid(id)) return null;
  return prisma.$transaction(async (tx) => {
    const at = clock.now();
    const { count } = await tx.apiKey.updateMany({
      where: { id, revokedAt: null },
      data: { revokedAt: at },
    });
    const row = await tx.apiKey.findUnique({ where: { id }, select: columns });
    if (count === 0 || row === null) return row === null ? null : false;
    const key = toKeyRecord(row);
    const before = keyState(key);
    const after = { ...before, revokedAt: at.toISOString() };
    await auditKey(tx, key, { action: 'key.revoke', by, at, before, after });
    await notifyChange(tx, { kind: 'key', id });
    return true;
  });
}

/**
 * Changes the expiry of a valid key. False when it is revoked. Notifies other processes. Not audited, because its
 * permissions stay the same.
 */
async function extendKey({ prisma }: StoreDeps, id: string, expiresAt: Date): Promise<boolean> {
  return prisma.$transaction(async (tx) => {
    const { count } = await tx.apiKey.updateMany({
      where: { id, revokedAt: null },
      data: { expiresAt },
    });
    if (count > 0) await notifyChange(tx, { kind: 'key', id });
    return count > 0;
  });
}
