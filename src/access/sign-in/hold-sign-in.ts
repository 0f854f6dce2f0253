/** The lifetime of a sign-in: it is renewed while the provider agrees, and ended. */
import { isOutage, ServiceError } from '../../errors/service-error.ts';
import { SealError } from '../../lib/seal.ts';
import { tryAgain } from '../../lib/try-again.ts';
import { hashKey } from '../../model/api-key-hash.ts';
import type { SignInRecord } from '../../store/sign-in-store.ts';
import { ruleFor, toPerson } from './person.ts';
import {
  type HeldKey,
  hashOf,
  issueKey,
  nextCheck,
  openSecrets,
  type SignInDeps,
  type SignInSecrets,
  sealSecrets,
  signInActor,
} from './sign-in.ts';
import { SignInError } from './sign-in-error.ts';

interface Held {
  readonly record: SignInRecord;
  readonly secrets: SignInSecrets;
}

/**
 * Lease of the process that sends the provider requests. Two uses of one refresh token end the sign-in, so the lease
 * covers the three requests (30 s) and storing the new token (10 s of pauses, six attempts of 5 s).
 */
const claimMs = 90_000;
/** Before storing new tokens again. */
const pausesMs = [100, 400, 1500, 3000, 5000];

/**
 * The key of the sign-in. In the second half of the key's lifetime the provider is asked whether the person may still
 * sign in, and with which rights. Null when the sign-in has ended.
 *
 * @param secret the cookie.
 * @throws ServiceError `service_unavailable` when the key has expired and the provider is unreachable.
 */
export function holdSignIn(deps: SignInDeps, secret: string): Promise<HeldKey | null> {
  // The tabs of a browser call this at about the same time.
  return deps.holding.join(secret, () => hold(deps, secret));
}

async function hold(deps: SignInDeps, secret: string): Promise<HeldKey | null> {
  const held = await findHeld(deps, secret);
  if (held === null) return null;
  const { record, secrets } = held;
  const present = presentKey(held);
  if (!isCheckDue(deps, present)) return present;
  if (secrets.refreshToken === null) return end(deps, record);
  const until = new Date(deps.clock.now().getTime() + claimMs);
  if (!(await deps.signIns.claimSignIn(record, until))) return heldByAnother(deps, secret);
  try {
    return await renew(deps, held, { secret, refreshToken: secrets.refreshToken, until });
  } catch (error) {
    if (!(error instanceof SignInError)) throw error;
    deps.log.warn(
      { reason: error.message, userId: record.userId },
      'a sign-in could not be renewed',
    );
    // A process that was late says nothing about the tokens that another one has obtained since.
    if (!(await deps.signIns.releaseSignIn({ id: record.id, claimedUntil: until })))
      return heldByAnother(deps, secret);
    return error.failure === 'unavailable' ? stillGood(deps, present) : end(deps, record);
  }
}

function presentKey({ record, secrets }: Held): HeldKey {
  const { expiresAt: endsAt } = record;
  return { key: secrets.key, expiresAt: record.key.expiresAt ?? endsAt, endsAt };
}

/** True in the second half of the key's lifetime; false for a key that lasts until the sign-in ends anyway. */
function isCheckDue({ config, clock }: SignInDeps, { expiresAt, endsAt }: HeldKey): boolean {
  const leftMs = expiresAt.getTime() - clock.now().getTime();
  if (leftMs > 0 && expiresAt.getTime() === endsAt.getTime()) return false;
  return leftMs <= config.oidcCheckMinutes * 30_000;
}

/** The result of another process that is calling the provider or has just done so. */
async function heldByAnother(deps: SignInDeps, secret: string): Promise<HeldKey | null> {
  const held = await findHeld(deps, secret);
  return held === null ? null : stillGood(deps, presentKey(held));
}

function stillGood({ clock }: SignInDeps, present: HeldKey): HeldKey {
  if (present.expiresAt > clock.now()) return present;
  throw notNow();
}

function notNow(): ServiceError {
  return new ServiceError(
    'service_unavailable',
    'The sign-in provider is not responding. Try again in a second, or sign in with an API key.',
    { retryAfterSeconds: 1 },
  );
}

/** Also null for a sign-in that can no longer be decrypted, because the encryption key was replaced. */
async function findHeld(deps: SignInDeps, secret: string): Promise<Held | null> {
  const record = await deps.signIns.findSignIn(hashOf(secret));
  if (record === null || record.endedAt !== null) return null;
  if (record.expiresAt <= deps.clock.now() || record.key.revokedAt !== null)
    return end(deps, record);
  try {
    return { record, secrets: openSecrets(deps.sealer, record.id, record.secrets) };
  } catch (error) {
    if (!(error instanceof SealError)) throw error;
    return end(deps, record);
  }
}

interface Claimed {
  /** The cookie. */
  readonly secret: string;
  readonly refreshToken: string;
  /** The end of the claim. */
  readonly until: Date;
}

/** Applies the person's current rights: if they changed, a new key is issued. */
async function renew(
  deps: SignInDeps,
  { record, secrets }: Held,
  { secret, refreshToken, until }: Claimed,
): Promise<HeldKey | null> {
  const { config, provider, sealer, signIns, keys } = deps;
  const { subject } = record;
  const keep = (sent: string) => keepTokens(deps, record, { ...secrets, refreshToken: sent });
  const renewed = await provider.renew(refreshToken, { subject, keep });
  const { groups } = toPerson(renewed.claims, config.oidcGroupsClaim);
  const rule = ruleFor(config.oidcRules, groups);
  if (rule === null) throw new SignInError('no_rights', 'no rule matches the person any more');
  const expiresAt = nextCheck(deps, record.expiresAt);
  const present = await keys.findKeyByHash(hashKey(secrets.key));
  const isSame =
    present !== null &&
    sameItems(present.scopes, rule.scopes) &&
    sameItems(present.projectIds, rule.projects);
  if (isSame && !(await keys.extendKey(record.apiKeyId, expiresAt))) {
    const isOwn = await signIns.releaseSignIn({ id: record.id, claimedUntil: until });
    return isOwn ? end(deps, record) : heldByAnother(deps, secret);
  }
  const issued = isSame
    ? { id: record.apiKeyId, key: secrets.key }
    : await issueKey(deps, { userId: record.userId, rule, expiresAt });
  deps.lookups.keys.clear();
  const next = {
    key: issued.key,
    refreshToken: renewed.refreshToken ?? refreshToken,
    idToken: renewed.idToken ?? secrets.idToken,
  };
  const isHeld = await signIns.renewSignIn({
    id: record.id,
    claimedUntil: until,
    apiKeyId: issued.id,
    secrets: sealSecrets(sealer, record.id, next),
  });
  const replaced = { ...record, apiKeyId: issued.id };
  if (!isHeld) {
    if (!isSame) await revoke(deps, replaced);
    return heldByAnother(deps, secret);
  }
  // Whoever has revoked the former key meanwhile has ended the sign-in.
  if (!isSame && !(await revoke(deps, record))) return end(deps, replaced);
  return { key: issued.key, expiresAt, endsAt: record.expiresAt };
}

/**
 * Stored before anything else: the provider accepts a refresh token once, so losing the new one would sign the person
 * out.
 */
async function keepTokens(
  { sealer, signIns, log }: SignInDeps,
  { id, userId, secrets: former }: SignInRecord,
  secrets: SignInSecrets,
): Promise<void> {
  const sealed = sealSecrets(sealer, id, secrets);
  await tryAgain(() => signIns.keepSecrets({ id, secrets: sealed, former }), {
    pausesMs,
    isPassing: isOutage,
    onFailure: (err) =>
      log.warn({ err, userId }, 'new tokens of a sign-in could not be stored yet'),
  });
}

function sameItems<T>(some: readonly T[], others: readonly T[]): boolean {
  return some.length === new Set(others).size && others.every((item) => some.includes(item));
}

/** The key first: a sign-in that has ended cannot be ended again, if revoking fails. */
async function end(deps: SignInDeps, record: SignInRecord): Promise<null> {
  let apiKeyId: string | null = record.apiKeyId;
  while (apiKeyId !== null) {
    await revoke(deps, { ...record, apiKeyId });
    apiKeyId = await deps.signIns.endSignIn({ id: record.id, apiKeyId });
  }
  return null;
}

/** False when it was already revoked. */
async function revoke(
  { keys, lookups }: SignInDeps,
  { apiKeyId, userId }: Pick<SignInRecord, 'apiKeyId' | 'userId'>,
): Promise<boolean> {
  const isRevoked = await keys.revokeKey(apiKeyId, signInActor(userId));
  lookups.keys.clear();
  return isRevoked === true;
}

/** Ends the sign-in that another one in the same browser replaces: no cookie is left to end it with. */
export async function endFormerSignIn(deps: SignInDeps, hash: Uint8Array): Promise<void> {
  const record = await deps.signIns.findSignIn(hash);
  if (record?.endedAt === null) await end(deps, record);
}

/** Signs out. @returns the URL for signing out of the provider; null when it has none or there is no sign-in. */
export async function endSignIn(
  deps: SignInDeps,
  secret: string,
  returnTo: string,
): Promise<string | null> {
  const held = await findHeld(deps, secret);
  if (held === null) return null;
  await end(deps, held.record);
  if (!deps.config.oidcProviderLogout) return null;
  try {
    return await deps.provider.endSession(held.secrets.idToken, returnTo);
  } catch (error) {
    // The person is signed out here even when the provider is unreachable.
    if (error instanceof SignInError) return null;
    throw error;
  }
}
