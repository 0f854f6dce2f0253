import { toSnakeCase } from '../lib/snake-case.ts';
import { type LimitInput, type LimitName, limitNames } from '../model/query-limits.ts';
import { UsageError } from './usage-error.ts';

/** `execution_seconds=10` → 10; `execution_seconds=none` → null, which removes it. */
export function parseLimitFlags(given: readonly string[]): LimitInput {
  return Object.fromEntries(given.map(parseOne));
}

function parseOne(given: string): readonly [LimitName, number | null] {
  const at = given.indexOf('=');
  const [flag, value] = [given.slice(0, Math.max(0, at)), given.slice(at + 1)];
  const name = limitNames.find((one) => toSnakeCase(one) === flag);
  if (name === undefined) {
    throw new UsageError(
      `"${given}" is not a limit. Write NAME=NUMBER, or NAME=none, where NAME is one of ${limitNames.map(toSnakeCase).join(', ')}.`,
    );
  }
  if (value === 'none') return [name, null];
  if (!/^\d{1,15}$/.test(value)) throw new UsageError(`"${value}" in ${given} is not an integer.`);
  return [name, Number(value)];
}
