/**
 * Sign-ins by an OpenID provider, and the mapping of identities there to users. Secrets are encrypted before they are
 * stored.
 */
import { Prisma } from '../generated/prisma/client.ts';
import { deleteInChunks } from './delete-in-chunks.ts';
import { openStore, type Store } from './open-store.ts';
import { isUniqueViolation } from './prisma-errors.ts';
import type { StoreDeps } from './store-deps.ts';

interface Identity {
  readonly issuer: string;
  readonly subject: string;
}

export interface SignInRecord extends Identity {
  readonly id: string;
  readonly userId: number;
  readonly apiKeyId: string;
  readonly secrets: Uint8Array;
  readonly expiresAt: Date;
  readonly endedAt: Date | null;
  readonly key: { readonly expiresAt: Date | null; readonly revokedAt: Date | null };
}

interface SignInDraft extends Identity {
  readonly id: string;
  /** Hash of the cookie. */
  readonly hash: Uint8Array;
  readonly userId: number;
  readonly apiKeyId: string;
  readonly secrets: Uint8Array;
  readonly expiresAt: Date;
}

const operations = {
  findUserByIdentity,
  linkIdentity,
  createSignIn,
  findSignIn,
  claimSignIn,
  keepSecrets,
  renewSignIn,
  releaseSignIn,
  endSignIn,
  listSealed,
  sealAgain,
  deleteSignInsBefore,
};

export type SignInStore = Store<typeof operations>;

export function openSignInStore(deps: StoreDeps): SignInStore {
  return openStore(deps, operations);
}

async function findUserByIdentity(
  { prisma }: StoreDeps,
  { issuer, subject }: Identity,
): Promise<number | null> {
  const where = { issuer_subject: { issuer, subject } };
  const found = await prisma.userIdentity.findUnique({ where, select: { userId: true } });
  return found?.userId ?? null;
}

/** False when the user has another identity at this issuer, or the identity belongs to another user. */
async function linkIdentity(
  { prisma, clock }: StoreDeps,
  userId: number,
  { issuer, subject }: Identity,
): Promise<boolean> {
  try {
    await prisma.userIdentity.create({
      data: { issuer, subject, userId, createdAt: clock.now() },
    });
    return true;
  } catch (error) {
    if (!isUniqueViolation(error)) throw error;
    return (await findUserByIdentity({ prisma, clock }, { issuer, subject })) === userId;
  }
}

async function createSignIn({ prisma, clock }: StoreDeps, draft: SignInDraft): Promise<void> {
  const { hash, secrets } = draft;
  await prisma.signIn.create({
    data: {
      ...draft,
      hash: new Uint8Array(hash),
      secrets: new Uint8Array(secrets),
      createdAt: clock.now(),
    },
  });
}

/** One statement. Also finds ended ones. @param hash hash of the cookie. */
async function findSignIn({ prisma }: StoreDeps, hash: Uint8Array): Promise<SignInRecord | null> {
  const found = await prisma.signIn.findUnique({
    where: { hash: new Uint8Array(hash) },
    include: { apiKey: { select: { expiresAt: true, revokedAt: true } } },
  });
  if (found === null) return null;
  const { apiKey: key, ...row } = found;
  return { ...row, key };
}

/**
 * Whether this call may send a request to the provider: one process at a time, until it is done or the claim expires.
 * Also false when another process has done so since the record was read.
 */
async function claimSignIn(
  { prisma, clock }: StoreDeps,
  { id, secrets }: Pick<SignInRecord, 'id' | 'secrets'>,
  until: Date,
): Promise<boolean> {
  const { count } = await prisma.signIn.updateMany({
    where: {
      id,
      secrets: new Uint8Array(secrets),
      endedAt: null,
      OR: [{ claimedUntil: null }, { claimedUntil: { lt: clock.now() } }],
    },
    data: { claimedUntil: until },
  });
  return count === 1;
}

interface SignInClaim {
  readonly id: string;
  /** As it was claimed. */
  readonly claimedUntil: Date;
}

interface Renewal extends SignInClaim {
  readonly apiKeyId: string;
  readonly secrets: Uint8Array;
}

interface KeptSecrets {
  readonly id: string;
  readonly secrets: Uint8Array;
  /** The secrets that they replace. */
  readonly former: Uint8Array;
}

/** Replaces the secrets of a claimed sign-in, unless it has ended or another process has replaced them. */
async function keepSecrets(
  { prisma }: StoreDeps,
  { id, secrets, former }: KeptSecrets,
): Promise<void> {
  await prisma.signIn.updateMany({
    where: { id, endedAt: null, secrets: new Uint8Array(former) },
    data: { secrets: new Uint8Array(secrets) },
  });
}

/** Ends the claim. False when the sign-in has ended meanwhile, or another process has claimed it. */
async function renewSignIn({ prisma }: StoreDeps, renewal: Renewal): Promise<boolean> {
  const { id, claimedUntil, apiKeyId, secrets } = renewal;
  const { count } = await prisma.signIn.updateMany({
    where: { id, endedAt: null, claimedUntil },
    data: { apiKeyId, secrets: new Uint8Array(secrets), claimedUntil: null },
  });
  return count === 1;
}

/** Ends the claim, and leaves everything else as it is. False when another process has claimed it meanwhile. */
async function releaseSignIn(
  { prisma }: StoreDeps,
  { id, claimedUntil }: SignInClaim,
): Promise<boolean> {
  const { count } = await prisma.signIn.updateMany({
    where: { id, claimedUntil },
    data: { claimedUntil: null },
  });
  return count === 1;
}

/** Ends a sign-in that has this key. Returns the key that it has instead; null when it has ended. */
async function endSignIn(
  { prisma, clock }: StoreDeps,
  { id, apiKeyId }: Pick<SignInRecord, 'id' | 'apiKeyId'>,
): Promise<string | null> {
  const { count } = await prisma.signIn.updateMany({
    where: { id, apiKeyId, endedAt: null },
    data: { endedAt: clock.now(), secrets: new Uint8Array() },
  });
  if (count === 1) return null;
  const found = await prisma.signIn.findFirst({
    where: { id, endedAt: null },
    select: { apiKeyId: true },
  });
  return found?.apiKeyId ?? null;
}

/** Those that have not ended, with their secrets. */
function listSealed({ prisma, clock }: StoreDeps): Promise<Pick<SignInRecord, 'id' | 'secrets'>[]> {
  return prisma.signIn.findMany({
    where: { endedAt: null, expiresAt: { gt: clock.now() } },
    select: { id: true, secrets: true },
  });
}

/** False when a process has claimed it, or has replaced its secrets: whoever holds the claim relies on them. */
async function sealAgain(
  { prisma, clock }: StoreDeps,
  { id, secrets, former }: KeptSecrets,
): Promise<boolean> {
  const { count } = await prisma.signIn.updateMany({
    where: {
      id,
      secrets: new Uint8Array(former),
      OR: [{ claimedUntil: null }, { claimedUntil: { lt: clock.now() } }],
    },
    data: { secrets: new Uint8Array(secrets) },
  });
  return count === 1;
}

/** Deletes sign-ins that are no longer usable, `chunk` rows at a time; returns how many. */
function deleteSignInsBefore({ prisma }: StoreDeps, before: Date, chunk: number): Promise<number> {
  return deleteInChunks(chunk, () =>
    prisma.$executeRaw(Prisma.sql`
      DELETE FROM sign_in WHERE id = ANY (ARRAY(
        SELECT id FROM sign_in WHERE expires_at < ${before} LIMIT ${chunk}
      ))`),
  );
}
