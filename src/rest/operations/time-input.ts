import { invalidInput } from '../../errors/service-error.ts';
import { type Input, input } from '../../openapi/inputs.ts';
import { instantForm, instantOf } from '../../sql/param-time.ts';

/** A point in time as a query parameter. */
export function timeInput(description: string): Input {
  return input({ type: 'string', format: 'date-time', description }, { kind: 'string' });
}

/** In GraphQL's form. Throws `invalid_input` naming the parameter. */
export function toTime(value: unknown, attr: string): string | null {
  if (value === undefined || value === null) return null;
  const date = typeof value === 'string' ? instantOf(value) : null;
  if (date !== null) return date.toISOString();
  throw invalidInput(attr, `${attr} must be a time ${instantForm}.`);
}
