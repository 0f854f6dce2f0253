/**
 * The types of the columns that filters name, where each `{filters}` stands: a name may be a column of a table in one
 * SELECT and an expression in another. They are read from the engine's analysis of the query with marked columns. Pure.
 */
import { invalidInput, ServiceError } from '../../errors/service-error.ts';
import { argumentsOf, attributeOf, readQueryTree, stringOf, typeOf } from '../../sql/query-tree.ts';
import { quoteName } from '../../sql/quote-name.ts';
import type { Filters } from './parse-filters.ts';

export interface FilterTypes {
  /** The type of a column for the `{filters}` at an index; null if the query does not evaluate that one. */
  of(at: number, key: string): string | null;
  /** Whether every `{filters}` is evaluated, whatever the values of variables are. */
  readonly isComplete: boolean;
}

export const noFilterTypes: FilterTypes = { of: () => null, isComplete: true };

const MARK = /querydock filter \d+ \w+/g;
const mark = (at: number, key: string) => `querydock filter ${at} ${key}`;

/** A condition that has each column of the filters as an operand, marked. */
export function markedColumns({ properties }: Filters, at: number): string {
  const keys = [...new Set(properties.map(({ key }) => key))].sort();
  return `(${keys.map((key) => `ignore('${mark(at, key)}', ${quoteName(key)}) = 0`).join(' AND ')})`;
}

/**
 * @param lines of the resolved query tree of a query with marked columns.
 * @param sql the query.
 */
export function readFilterTypes(lines: readonly string[], sql: string): FilterTypes {
  const types = new Map<string, string>();
  for (const node of readQueryTree(lines) ?? []) {
    if (attributeOf(node, 'function_name') !== 'ignore') continue;
    const [name, column] = argumentsOf(node);
    const marked = name === undefined ? null : stringOf(name);
    if (marked !== null && column !== undefined) types.set(marked, typeOf(column));
  }
  const written = sql.match(MARK) ?? [];
  return {
    of: (at, key) => types.get(mark(at, key)) ?? null,
    isComplete: written.every((one) => types.has(one)),
  };
}

const UNKNOWN_NAME = /^Unknown [a-z ]*identifier [`']([^`']+)[`']/;

/** The error for filters that name a column that the query does not have; null for any other error. */
export function unknownFilterColumn({ properties }: Filters, error: unknown): ServiceError | null {
  if (!(error instanceof ServiceError)) return null;
  const name = UNKNOWN_NAME.exec(error.message)?.[1];
  const filter = properties.find(({ key }) => key === name);
  if (filter === undefined) return null;
  const hint = / Did you mean .*\?$/.exec(error.message)?.[0] ?? '';
  return invalidInput(`${filter.attr}.key`, `The query has no column "${name}".${hint}`);
}
