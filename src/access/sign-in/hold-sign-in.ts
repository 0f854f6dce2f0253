/** What becomes of a sign-in: it is held while the provider agrees, and ends. */
import { ServiceError } from '../../errors/service-error.ts';
import { SealError } from '../../lib/seal.ts';
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

/** How long one process may take to ask the provider. */
const claimMs = 45_000;

/**
 * The key of the sign-in. In the second half of its time the provider is asked whether the person may still sign in, and
 * what they may do. Null: there is no sign-in any more.
 *
 * @param secret the cookie. @throws ServiceError `service_unavailable` when the key is over and the provider cannot be asked.
 */
export function holdSignIn(deps: SignInDeps, secret: string): Promise<HeldKey | null> {
  // The tabs of a browser ask at about the same time.
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
    return await renew(deps, held, secrets.refreshToken);
  } catch (error) {
    if (!(error instanceof SignInError)) throw error;
    deps.log.warn({ reason: error.message, userId: record.userId }, 'a sign-in was not renewed');
    if (error.failure !== 'unavailable') return end(deps, record);
    await deps.signIns.renewSignIn(record);
    return stillGood(deps, present);
  }
}

function presentKey({ record, secrets }: Held): HeldKey {
  const { expiresAt: endsAt } = record;
  return { key: secrets.key, expiresAt: record.key.expiresAt ?? endsAt, endsAt };
}

/** In the second half of its time; not of one that holds until the sign-in ends anyway. */
function isCheckDue({ config, clock }: SignInDeps, { expiresAt, endsAt }: HeldKey): boolean {
  const leftMs = expiresAt.getTime() - clock.now().getTime();
  if (leftMs > 0 && expiresAt.getTime() === endsAt.getTime()) return false;
  return leftMs <= config.oidcCheckMinutes * 30_000;
}

/** What another process, which is asking the provider or has just done so, has made of it. */
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
    'The provider of the sign-in does not answer at the moment. Try again in a second, or sign in by key.',
    { retryAfterSeconds: 1 },
  );
}

/** Null, too, for one that a change of keys has made unreadable. */
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

/** With the rights of now: others than before take another key. */
async function renew(
  deps: SignInDeps,
  { record, secrets }: Held,
  refreshToken: string,
): Promise<HeldKey | null> {
  const { config, provider, sealer, signIns, keys } = deps;
  const told = await provider.renew(refreshToken, record.subject);
  const { groups } = toPerson(told.claims, config.oidcGroupsClaim);
  const rule = ruleFor(config.oidcRules, groups);
  if (rule === null) throw new SignInError('no_rights', 'no rule is about the person any more');
  const expiresAt = nextCheck(deps, record.expiresAt);
  const present = await keys.findKeyByHash(hashKey(secrets.key));
  const isSame =
    present !== null &&
    sameItems(present.scopes, rule.scopes) &&
    sameItems(present.projectIds, rule.projects);
  if (isSame && !(await keys.extendKey(record.apiKeyId, expiresAt))) return end(deps, record);
  const issued = isSame
    ? { id: record.apiKeyId, key: secrets.key }
    : await issueKey(deps, { userId: record.userId, rule, expiresAt });
  deps.lookups.keys.clear();
  const idToken = told.idToken ?? secrets.idToken;
  const next = { key: issued.key, refreshToken: told.refreshToken, idToken };
  const isHeld = await signIns.renewSignIn({
    id: record.id,
    apiKeyId: issued.id,
    secrets: sealSecrets(sealer, record.id, next),
  });
  if (!isSame) await revoke(deps, record);
  if (!isHeld) return end(deps, { ...record, apiKeyId: issued.id });
  return { key: issued.key, expiresAt, endsAt: record.expiresAt };
}

function sameItems<T>(some: readonly T[], others: readonly T[]): boolean {
  return some.length === new Set(others).size && others.every((item) => some.includes(item));
}

async function end(deps: SignInDeps, record: SignInRecord): Promise<null> {
  await deps.signIns.endSignIn(record.id);
  await revoke(deps, record);
  return null;
}

async function revoke(
  { keys, lookups }: SignInDeps,
  { apiKeyId, userId }: Pick<SignInRecord, 'apiKeyId' | 'userId'>,
): Promise<void> {
  await keys.revokeKey(apiKeyId, signInActor(userId));
  lookups.keys.clear();
}

/** Signs out. @returns where to sign out of the provider; null when there is no such place or no sign-in. */
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
    // Whoever signs out is signed out here, whether the provider is there or not.
    if (error instanceof SignInError) return null;
    throw error;
  }
}
