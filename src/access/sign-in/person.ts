/** What the claims of an OpenID provider say of somebody, and what follows from it. */
import { z } from 'zod';
import type { SignInRule } from '../../config/sign-in-settings.ts';
import { requireStorableText } from '../../sql/storable-text.ts';
import { SignInError } from './sign-in-error.ts';

export interface Person {
  readonly issuer: string;
  /** The provider's own name of the person. */
  readonly subject: string;
  /** Null: the provider has told none. */
  readonly email: string | null;
  /** Whether the provider says that the address is the person's. */
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

/** @throws SignInError `not_accepted` for claims that are not what the standard says. */
export function toPerson(claims: Claims, groupsClaim: string): Person {
  const found = shape.safeParse(claims);
  if (!found.success) throw new SignInError('not_accepted', 'the claims are not of their types');
  const { iss: issuer, sub: subject, email, email_verified: verified, ...names } = found.data;
  const isEmailVerified = verified === true || verified === 'true';
  // A group of this name would be whatever address somebody has typed in.
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
 * The first rule that is about one of the groups; null when none is. Rules are not added up: a key has the same scopes in
 * all of its projects, so a sum would give rights that no rule gives.
 */
export function ruleFor(
  rules: readonly SignInRule[],
  groups: readonly string[],
): SignInRule | null {
  return rules.find(({ group }) => groups.includes(group)) ?? null;
}
