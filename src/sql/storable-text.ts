import { containsKey } from '../errors/redact-keys.ts';
import { invalidInput, type ServiceError } from '../errors/service-error.ts';
import { maxJsonDepth } from '../lib/parse-json.ts';

/**
 * Requires text that PostgreSQL and the engine can store: well-formed Unicode without NUL. Also refuses API keys, since
 * every reader of the text would see them. Throws `invalid_input`.
 */
export function requireStorableText(text: string, attr: string): string {
  if (!text.isWellFormed()) throw invalidInput(attr, 'The text contains an unpaired surrogate.');
  if (text.includes('\u0000')) throw invalidInput(attr, 'The text contains a NUL character.');
  if (containsKey(text)) throw keyInText(attr);
  return text;
}

export function keyInText(attr: string): ServiceError {
  return invalidInput(
    attr,
    'The text contains an API key. Send keys only in the Authorization header.',
  );
}

/** The same for every string in a JSON value, including member names; also limits its depth. */
export function requireWellFormedJson(value: unknown, attr: string, depth = 0): void {
  if (depth > maxJsonDepth) {
    throw invalidInput(attr, `The value is nested deeper than ${maxJsonDepth} levels.`);
  }
  if (typeof value === 'string') {
    requireStorableText(value, attr);
  } else if (Array.isArray(value)) {
    for (const item of value) requireWellFormedJson(item, attr, depth + 1);
  } else if (value !== null && typeof value === 'object') {
    for (const [key, member] of Object.entries(value)) {
      requireStorableText(key, attr);
      requireWellFormedJson(member, attr, depth + 1);
    }
  }
}

/**
 * Requires JSON that can be stored and read back unchanged: no whole number beyond the precision of a double, and no
 * member called `__proto__`, which is missing in Prisma's copy of an object.
 */
export function requireStorableJson(value: unknown, attr: string): void {
  requireWellFormedJson(value, attr);
  if (hasWithin(value, hasProto)) {
    throw invalidInput(
      attr,
      'A member cannot be called __proto__, because it would be lost. To define a variable of this name, use another member with "code_name": "__proto__".',
    );
  }
  if (hasWithin(value, isBigint)) {
    throw invalidInput(attr, 'Write integers above 2^53 as strings, so that no digits are lost.');
  }
}

function hasWithin(value: unknown, isIt: (inner: unknown) => boolean): boolean {
  if (isIt(value)) return true;
  if (value === null || typeof value !== 'object') return false;
  return Object.values(value).some((inner) => hasWithin(inner, isIt));
}

function hasProto(value: unknown): boolean {
  return value !== null && typeof value === 'object' && Object.hasOwn(value, '__proto__');
}

function isBigint(value: unknown): boolean {
  return typeof value === 'bigint';
}
