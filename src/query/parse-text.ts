import { parseByType } from '../sql/param-value.ts';
import { requireWellFormedJson } from '../sql/storable-text.ts';

/**
 * The value that a text stands for, by the type of its variable. JSON within the text may write characters as escapes, so
 * what it decodes to is checked again.
 *
 * @throws ServiceError `invalid_input` naming `attr`.
 */
export function parseText(type: string, text: string, attr: string): unknown {
  const value = parseByType(type, text);
  if (value !== text) requireWellFormedJson(value, attr);
  return value;
}
