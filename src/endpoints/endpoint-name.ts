import { containsKey } from '../errors/redact-keys.ts';
import { invalidInput } from '../errors/service-error.ts';
import { keyInText } from '../sql/storable-text.ts';

/** 1 to 128 characters, starting with a letter. Source: the documented surface. */
export const ENDPOINT_NAME = /^[a-zA-Z][a-zA-Z0-9_-]{0,127}$/;

/** Paths below `/endpoints/` with another meaning; endpoints must not have these names. */
const reservedNames: ReadonlySet<string> = new Set(['last_execution_times']);

export function isEndpointName(name: string): boolean {
  return ENDPOINT_NAME.test(name);
}

/** Throws `invalid_input` for a name that no endpoint can have. */
export function requireEndpointName(name: string): string {
  if (name === '') throw invalidInput('name', 'A name is required.');
  if (!isEndpointName(name)) {
    throw invalidInput(
      'name',
      'A name must have 1 to 128 characters: a letter first, then letters, digits, underscores or hyphens.',
    );
  }
  if (containsKey(name)) throw keyInText('name');
  if (reservedNames.has(name)) {
    throw invalidInput('name', `"${name}" is reserved. Choose another name.`);
  }
  return name;
}
