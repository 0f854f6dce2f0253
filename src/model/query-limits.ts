/**
 * Query limits of a project or key. The server's settings are the ceiling; a project may lower them, and a key may
 * lower its project's: the lowest value applies.
 */
import { invalidInput } from '../errors/service-error.ts';
import { toSnakeCase } from '../lib/snake-case.ts';

export interface QueryLimits {
  readonly executionSeconds: number;
  readonly memoryBytes: number;
  readonly resultRows: number;
  readonly resultBytes: number;
  /** Applies to queries on source data and, separately, to reads of stored tables. */
  readonly concurrentQueries: number;
  /** Runs that may wait for a slot. */
  readonly queuedQueries: number;
}

export type LimitName = keyof QueryLimits;

/** An absent limit is not overridden. */
export type LimitOverrides = Readonly<Partial<Record<LimitName, number>>>;

/** The lowest useful value of each limit, and its description. */
export const limitRules: Readonly<
  Record<LimitName, { readonly min: number; readonly what: string }>
> = {
  executionSeconds: { min: 1, what: 'Maximum execution time of a query in seconds.' },
  memoryBytes: { min: 67_108_864, what: 'Maximum memory of a query in bytes.' },
  resultRows: { min: 1, what: 'Maximum number of rows in a result.' },
  resultBytes: { min: 65_536, what: 'Maximum size of a result in bytes.' },
  concurrentQueries: {
    min: 1,
    what: 'Maximum number of concurrent queries on source data, and of concurrent reads of stored tables.',
  },
  queuedQueries: { min: 0, what: 'Maximum number of runs waiting for a slot.' },
};

export const limitNames = Object.keys(limitRules) as readonly LimitName[];

export const noLimits: LimitOverrides = Object.freeze({});

export function lowerTo(limits: QueryLimits, overrides: LimitOverrides): QueryLimits {
  if (overrides === noLimits) return limits;
  const lowered = limitNames.map((name) => [
    name,
    Math.min(limits[name], overrides[name] ?? limits[name]),
  ]);
  return Object.fromEntries(lowered) as unknown as QueryLimits;
}

/** Rows are JSON text, while the engine's limit counts binary sizes: a text may exceed `resultBytes` by this much. */
export const resultMarginBytes = 65_536;

/** Limits as sent by callers; null or absent means no override. */
export type LimitInput = Readonly<Partial<Record<LimitName, number | null | undefined>>>;

/**
 * @param ceiling the limits that apply without overrides.
 *
 * @throws ServiceError `invalid_input` for a value that is not an integer, too low to be useful, or above the
 * ceiling.
 */
export function parseLimits(given: LimitInput, ceiling: QueryLimits): LimitOverrides {
  const named = limitNames.flatMap((name) => {
    const value = given[name];
    return value === null || value === undefined ? [] : [[name, value] as const];
  });
  for (const [name, value] of named) requireLimit(name, value, ceiling[name]);
  return named.length === 0 ? noLimits : Object.fromEntries(named);
}

function requireLimit(name: LimitName, value: number, max: number): void {
  const { min } = limitRules[name];
  if (Number.isSafeInteger(value) && value >= Math.min(min, max) && value <= max) return;
  const snake = toSnakeCase(name);
  throw invalidInput(
    `limits.${snake}`,
    `${snake} must be an integer from ${Math.min(min, max)} to ${max}, the limit that applies without it.`,
  );
}

/** Reads the limits in a database row; ignores other members. */
export function readLimits(stored: unknown): LimitOverrides {
  if (typeof stored !== 'object' || stored === null) return noLimits;
  const limits = Object.entries(stored).filter(
    ([name, value]) => Object.hasOwn(limitRules, name) && typeof value === 'number',
  );
  return limits.length === 0 ? noLimits : Object.fromEntries(limits);
}
