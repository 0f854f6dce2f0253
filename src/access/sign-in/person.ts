/** The person described by an OpenID provider's claims, and the rights that follow. */
import { z } from 'zod';
import type { SignInRule } from '../../config/sign-in-settings.ts';
import { requireStorableText } from '../../sql/storable-text.ts';
import { SignInError } from './sign-in-error.ts';

export interface Person {
  readonly issuer: string;
  /** The provider's identifier of the person. */
  readonly subject: string;
  /** Null when the provider sent none. */
  readonly email: string | null;
  /** Whether the provider has verified that the address belongs to the person. */
  readonly isEmailVerified: boolean;
  readonly firstName: string;
  readonly lastName: string;
  readonly groups: readonly string[];
}

export type Claims = Readonly<Record<string, unknown>>;

const maxName = 200;
const maxEmail = 320;

const shape = z.object({
  iss: z.string(),
  sub: z.string().min(1).max(255),
  email: z.string().max(maxEmail).optional(),
  email_verified: z.union([z.boolean(), z.enum(['true', 'false'])]).optional(),
  given_name: z.string().optional(),
  family_name: z.string().optional(),
  name: z.string().optional(),
});

/** @throws SignInError `not_accepted` for claims that violate the standard. */
export function toPerson(claims: Claims, groupsClaim: string): Person {
  const found = shape.safeParse(claims);
  if (!found.success)
    throw new SignInError('not_accepted', 'the claims do not have the expected types');
  const { iss: issuer, sub: subject, email, email_verified: verified, ...names } = found.data;
  const isEmailVerified = verified === true || verified === 'true';
  // An unverified address is anything that somebody typed in, so it must not count as a group.
  const isUnproved = groupsClaim === 'email' && !isEmailVerified;
  return {
    issuer,
    subject: storable(subject),
    email: email === undefined || email === '' ? null : storable(email),
    isEmailVerified,
    firstName: storable(names.given_name ?? names.name ?? '').slice(0, maxName),
    lastName: storable(names.family_name ?? '').slice(0, maxName),
    groups: isUnproved ? [] : textsOf(claims[groupsClaim]),
  };
}

function storable(text: string): string {
  try {
    return requireStorableText(text, 'claim');
  } catch (error) {
    throw new SignInError('not_accepted', 'a claim cannot be stored', error);
  }
}

function textsOf(claim: unknown): readonly string[] {
  const values: readonly unknown[] = Array.isArray(claim) ? claim : [claim];
  return values.filter((value) => typeof value === 'string');
}

/**
 * The first rule for one of the groups; null when none matches. Rules are not combined: a key has the same scopes in
 * all of its projects, so a combination would grant rights that no rule grants.
 */
export function ruleFor(
  rules: readonly SignInRule[],
  groups: readonly string[],
): SignInRule | null {
  return rules.find(({ group }) => groups.includes(group)) ?? null;
}
