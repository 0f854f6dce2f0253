/** The parts of a setting. */
import { z } from 'zod';

export interface Setting<T> {
  readonly env: string;
  readonly unit: string;
  readonly default: T;
  readonly why: string;
  readonly parse: z.ZodType<T>;
  /** Its value is never repeated in a message. */
  readonly isSecret?: true;
  /** Its reader ignores blanks around the value, as those of lists and JSON do. */
  readonly mayHaveBlanks?: true;
}

/**
 * What a shell would have taken off a value, and what passes files of settings on as they are does not; null for
 * nothing. The quotes and blanks of a secret may be its own.
 */
export function mistyped(
  { isSecret, mayHaveBlanks }: Setting<unknown>,
  given: string,
): string | null {
  if (given.endsWith('\r'))
    return 'ends with a carriage return, as the lines of a file from Windows do';
  const isQuoted = isSecret !== true && /^(["']).*\1$/s.test(given) && given.length > 1;
  if (isQuoted) return 'is in quotes, which would be part of the value: leave them out';
  const isPadded = given !== given.trim() && isSecret !== true && mayHaveBlanks !== true;
  return isPadded ? 'begins or ends with a blank, which would be part of the value' : null;
}

export const wholeNumber = (min: number, max: number) => {
  const refusal = `is not an integer from ${min} to ${max}`;
  return z
    .string()
    .regex(/^\d+$/, refusal)
    .transform(Number)
    .pipe(z.number().min(min, refusal).max(max, refusal));
};

export function setting<T>(
  env: string,
  unit: string,
  defaultValue: T,
  parse: z.ZodType<T, string>,
  why: string,
): Setting<T> {
  return { env, unit, default: defaultValue, why, parse: parse as z.ZodType<T> };
}

export const trueOrFalse = z
  .enum(['true', 'false'], 'is neither true nor false')
  .transform((text) => text === 'true');

/** Empty, or a URL with one of the protocols. */
export const urlOf = (...protocols: string[]) =>
  z.string().refine(
    (value) => {
      if (value === '') return true;
      return URL.canParse(value) && protocols.includes(new URL(value).protocol);
    },
    `is not a URL that begins with ${protocols.map((p) => `${p}//`).join(' or ')}`,
  );

/** Empty, or the URL of a Redis, whose path is the number of a database. */
export const redisUrl = urlOf('redis:', 'rediss:')
  .refine(
    (value) => hasRedisParts(value),
    'has no host, or a path that is not the number of a database',
  )
  .refine(
    (value) => hasReadableLogin(value),
    'has a % in its user or password that is not written as %25',
  );

function hasRedisParts(value: string): boolean {
  const url = URL.parse(value);
  return url === null || (url.hostname !== '' && /^\/?\d*$/.test(url.pathname));
}

function hasReadableLogin(value: string): boolean {
  const url = URL.parse(value);
  try {
    decodeURIComponent(`${url?.username} ${url?.password}`);
    return true;
  } catch {
    return false;
  }
}
