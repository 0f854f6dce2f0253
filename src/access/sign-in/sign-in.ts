/**
 * Signing in through an OpenID provider. It results in a short-lived API key of the person, so that everything behind
 * it (scopes, projects, limits, audit) works as for any key. A cookie gives that key to the console's pages, and is
 * accepted nowhere else.
 */
import { createHash, randomBytes } from 'node:crypto';
import { z } from 'zod';
import type { SignInRule } from '../../config/sign-in-settings.ts';
import { toServiceError } from '../../errors/service-error.ts';
import { uuidv7 } from '../../lib/ids.ts';
import { currentRequestScope } from '../../lib/request-scope.ts';
import type { Sealer } from '../../lib/seal.ts';
import type { SingleFlight } from '../../lib/single-flight.ts';
import type { Actor } from '../../model/actor.ts';
import { createKey } from '../create-key.ts';
import type { AccessDeps } from '../deps.ts';
import { type IdentityProvider, newAttempt } from './identity-provider.ts';
import { type Person, ruleFor, toPerson } from './person.ts';
import { SignInError } from './sign-in-error.ts';

export interface SignInDeps extends AccessDeps {
  readonly provider: IdentityProvider;
  readonly sealer: Sealer;
  /** Single flight per cookie. */
  readonly holding: SingleFlight<HeldKey | null>;
}

export interface HeldKey {
  readonly key: string;
  /** When the page has to request it again. */
  readonly expiresAt: Date;
  /** When the sign-in ends, regardless of the provider. */
  readonly endsAt: Date;
}

/**
 * Kept in the browser while the person is at the provider: encrypted, and tied to that browser by being stored there.
 */
const attemptShape = z.object({
  state: z.string(),
  nonce: z.string(),
  verifier: z.string(),
  /** Where the person wanted to go: a path of the console. */
  to: z.string(),
  /** Milliseconds. */
  until: z.number(),
  /** Hash of the cookie of the browser's present sign-in, in base64url; null without one. */
  former: z.string().nullable().default(null),
});

/** How long a person may take at the provider. */
export const attemptSeconds = 600;

const attemptContext = 'attempt to sign in';

export interface SignInStart {
  readonly to: string;
  readonly again: boolean;
  /**
   * Cookie of the browser's present sign-in, which this one will replace. It has to be known now: it is not sent when
   * the browser returns from another site.
   */
  readonly formerSecret: string | null;
}

/** @returns the provider's URL, and the text to keep in the browser. */
export async function beginSignIn(
  { provider, sealer, clock }: SignInDeps,
  { to, again, formerSecret }: SignInStart,
): Promise<{ readonly url: string; readonly kept: string }> {
  const attempt = newAttempt();
  const url = await provider.begin(attempt, { again });
  const until = clock.now().getTime() + attemptSeconds * 1000;
  const former =
    formerSecret === null ? null : Buffer.from(hashOf(formerSecret)).toString('base64url');
  const kept = sealer.seal(JSON.stringify({ ...attempt, to, until, former }), attemptContext);
  return { url: url.href, kept: kept.toString('base64url') };
}

export interface SignedIn {
  /** For the cookie; it cannot be read again. */
  readonly secret: string;
  readonly expiresAt: Date;
  readonly to: string;
  /** Hash of the cookie of the sign-in that this one replaces. */
  readonly former: Uint8Array | null;
}

/**
 * @param back the text kept in the browser, null for none, and the query string that the provider sent back. @throws
 * SignInError; `service_unavailable` while the metadata database is unreachable.
 */
export async function completeSignIn(
  deps: SignInDeps,
  back: { readonly kept: string | null; readonly search: string },
): Promise<SignedIn> {
  const { config, clock, provider, sealer, signIns } = deps;
  const attempt = openAttempt(deps, back.kept);
  if (new URLSearchParams(back.search).get('state') !== attempt.state)
    throw new SignInError('not_begun', 'the state does not match the sign-in attempt');
  const { claims, refreshToken, idToken } = await provider.complete(attempt, back.search);
  const person = toPerson(claims, config.oidcGroupsClaim);
  const rule = requireRule(deps, person);
  const userId = await userOf(deps, person);
  const id = uuidv7(clock.now());
  const expiresAt = new Date(clock.now().getTime() + config.oidcSessionMinutes * 60_000);
  const keyExpiresAt = refreshToken === null ? expiresAt : nextCheck(deps, expiresAt);
  const issued = await issueKey(deps, { userId, rule, expiresAt: keyExpiresAt });
  const secret = randomBytes(32).toString('base64url');
  const secrets = sealSecrets(sealer, id, { key: issued.key, refreshToken, idToken });
  const { issuer, subject } = person;
  const ids = { id, userId, apiKeyId: issued.id, issuer, subject };
  await signIns.createSignIn({ ...ids, hash: hashOf(secret), secrets, expiresAt });
  const former = attempt.former === null ? null : Buffer.from(attempt.former, 'base64url');
  return { secret, expiresAt, to: attempt.to, former };
}

function openAttempt({ sealer, clock }: SignInDeps, kept: string | null) {
  if (kept === null)
    throw new SignInError('not_begun', 'the browser has no cookie of a sign-in attempt');
  const attempt = readAttempt(sealer, kept);
  if (attempt.until < clock.now().getTime())
    throw new SignInError('not_begun', 'the sign-in attempt has expired');
  return attempt;
}

function readAttempt(sealer: Sealer, kept: string): z.infer<typeof attemptShape> {
  try {
    const text = sealer.open(Buffer.from(kept, 'base64url'), attemptContext);
    return attemptShape.parse(JSON.parse(text));
  } catch (cause) {
    throw new SignInError('not_begun', 'the cookie of the sign-in attempt is invalid', cause);
  }
}

function requireRule({ config }: SignInDeps, person: Person): SignInRule {
  const rule = ruleFor(config.oidcRules, person.groups);
  if (rule !== null) return rule;
  const { subject, email, groups } = person;
  const who = email ?? subject;
  throw new SignInError('no_rights', `no rule matches ${who} with ${groups.length} groups`);
}

/** The person's user, which stays linked to the identity even if the address changes. */
async function userOf(deps: SignInDeps, person: Person): Promise<number> {
  const { users, signIns } = deps;
  const known = await signIns.findUserByIdentity(person);
  if (known !== null) return known;
  const { issuer, subject, isEmailVerified, firstName, lastName } = person;
  const email = person.email ?? `${subject}@${new URL(issuer).hostname}`;
  const isProved = person.email !== null && isEmailVerified;
  if (!isProved && (await users.findUserByEmail(email)) !== null)
    throw new SignInError(
      'email_taken',
      `${email} belongs to an existing user who is not verified to be this person`,
    );
  const by = signInActor(null);
  const user = await users.findOrCreateUser({ email, firstName, lastName }, by);
  if (await signIns.linkIdentity(user.id, person)) return user.id;
  throw new SignInError('email_taken', `${email} belongs to another person at the provider`);
}

/** The audit log names the user, since there is no key yet. */
export function signInActor(userId: number | null): Actor {
  const requestId = currentRequestScope()?.requestId ?? null;
  return { via: 'service', keyId: null, userId, requestId };
}

export function nextCheck({ config, clock }: SignInDeps, end: Date): Date {
  const next = clock.now().getTime() + config.oidcCheckMinutes * 60_000;
  return new Date(Math.min(next, end.getTime()));
}

interface Issuing {
  readonly userId: number;
  readonly rule: SignInRule;
  readonly expiresAt: Date;
}

const signInLabel = 'Sign-in';

export async function issueKey(deps: SignInDeps, { userId, rule, expiresAt }: Issuing) {
  const { scopes, projects: projectIds } = rule;
  const by = signInActor(userId);
  const request = { label: signInLabel, scopes, projectIds, expiresAt, by };
  try {
    return await createKey(deps, userId, request);
  } catch (error) {
    const failure = toServiceError(error);
    if (failure.code !== 'invalid_input') throw error;
    throw new SignInError('no_rights', `OIDC_RULES cannot be used: ${failure.message}`, error);
  }
}

export function hashOf(secret: string): Uint8Array {
  return createHash('sha256').update(secret).digest();
}

const secretsShape = z.object({
  key: z.string(),
  refreshToken: z.string().nullable(),
  idToken: z.string().nullable(),
});

export type SignInSecrets = Readonly<z.infer<typeof secretsShape>>;

export function sealSecrets(sealer: Sealer, id: string, secrets: SignInSecrets): Uint8Array {
  return sealer.seal(JSON.stringify(secrets), `sign-in ${id}`);
}

/** @throws SealError when it was encrypted with a key that was removed. */
export function openSecrets(sealer: Sealer, id: string, sealed: Uint8Array): SignInSecrets {
  return secretsShape.parse(JSON.parse(sealer.open(sealed, `sign-in ${id}`)));
}
