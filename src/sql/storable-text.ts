import { holdsKey } from '../errors/redact-keys.ts';
import { invalidInput, type ServiceError } from '../errors/service-error.ts';
import { maxJsonDepth } from '../lib/parse-json.ts';

/**
 * Text that every store and the engine can hold: well-formed Unicode without the NUL character, which
 * PostgreSQL refuses; and no API key, which would be told to whoever reads it. Throws `invalid_input`.
 */
export function requireStorableText(text: string, attr: string): string {
  if (!text.isWellFormed()) throw invalidInput(attr, 'The text holds half of a surrogate pair.');
  if (text.includes('\u0000')) throw invalidInput(attr, 'The text holds a NUL character.');
  if (holdsKey(text)) throw keyInText(attr);
  return text;
}

export function keyInText(attr: string): ServiceError {
  return invalidInput(
    attr,
    'The text holds an API key. A key belongs into the Authorization header and nowhere else.',
  );
}

/** The same for every text inside a JSON value, its member names included; nor may it be nested too deep. */
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

/** JSON that can be stored and read back as it was: no whole number that a double cannot hold. */
export function requireStorableJson(value: unknown, attr: string): void {
  requireWellFormedJson(value, attr);
  if (holdsBigint(value)) {
    throw invalidInput(
      attr,
      'Write whole numbers above 2^53 as strings, so that they keep every digit.',
    );
  }
}

function holdsBigint(value: unknown): boolean {
  if (typeof value === 'bigint') return true;
  if (value === null || typeof value !== 'object') return false;
  return Object.values(value).some(holdsBigint);
}
