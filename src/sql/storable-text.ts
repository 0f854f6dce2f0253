import { containsKey } from '../errors/redact-keys.ts';
import { invalidInput, type ServiceError } from '../errors/service-error.ts';
import { maxJsonDepth } from '../lib/parse-json.ts';

/**
 * Text that PostgreSQL and the engine can store: well-formed Unicode without NUL. An API key is refused as well, since
 * every reader of the text would see it. Throws `invalid_input`.
 */
export function requireStorableText(text: string, attr: string): string {
  if (!text.isWellFormed()) throw invalidInput(attr, 'The text holds half of a surrogate pair.');
  if (text.includes('\u0000')) throw invalidInput(attr, 'The text holds a NUL character.');
  if (containsKey(text)) throw keyInText(attr);
  return text;
}

export function keyInText(attr: string): ServiceError {
  return invalidInput(
    attr,
    'The text holds an API key. A key belongs into the Authorization header and nowhere else.',
  );
}

/** The same for every text in a JSON value, member names included; limits its depth, too. */
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

/** JSON that can be stored and read back unchanged: no whole number beyond the precision of a double. */
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
