/**
 * The types of the columns that filters name, where each `{filters}` stands: a name may be a column of a table in one
 * SELECT and an expression in another. They are read from the engine's analysis of the query with marked columns. Pure.
 */
import { invalidInput, ServiceError } from '../../errors/service-error.ts';
import { argumentsOf, attributeOf, readQueryTree, stringOf, typeOf } from '../../sql/query-tree.ts';
import { quoteName } from '../../sql/quote-name.ts';
import { type Filters, filtersAttr } from './parse-filters.ts';

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
const COMPUTED_LATER = /^(?:Aggregate|Window) function .* AS (\w+) is found in WHERE/;
/** A name that a subquery lacks is taken for a column of the query around it. */
const CORRELATED = /^Correlated subqueries are not supported|correlated column '([^']+)'/;

/** The error for filters that name a column that the query does not have there; null for any other error. */
export function unknownFilterColumn(filters: Filters, error: unknown): ServiceError | null {
  if (!(error instanceof ServiceError)) return null;
  const { message } = error;
  const hint = / Did you mean .*\?$/.exec(message)?.[0] ?? '';
  const unknown = UNKNOWN_NAME.exec(message)?.[1];
  const computed = COMPUTED_LATER.exec(message)?.[1];
  return (
    refusalOf(filters, unknown, (name) => `The query has no column "${name}".${hint}`) ??
    refusalOf(filters, computed, (name) => `"${name}" is computed after WHERE: ${afterWhere}`) ??
    refusalOfSubquery(filters, message)
  );
}

const afterWhere = '{filters} within WHERE compare columns; within HAVING, also aggregates.';

function refusalOf(
  { properties }: Filters,
  name: string | undefined,
  message: (name: string) => string,
): ServiceError | null {
  const filter = properties.find(({ key }) => key === name);
  return filter === undefined ? null : invalidInput(`${filter.attr}.key`, message(filter.key));
}

function refusalOfSubquery(filters: Filters, message: string): ServiceError | null {
  const found = CORRELATED.exec(message);
  if (found === null) return null;
  const [named] = found.slice(1);
  const shown = [...message.matchAll(/querydock filter \d+ (\w+)/g)].map(([, key]) => key);
  const [key = named, ...others] = new Set(shown);
  const lacks = 'A subquery that has {filters} has no column';
  if (others.length === 0) return refusalOf(filters, key, (name) => `${lacks} "${name}".`);
  return invalidInput(`${filtersAttr}.properties`, `${lacks} ${[key, ...others].join(' or ')}.`);
}
