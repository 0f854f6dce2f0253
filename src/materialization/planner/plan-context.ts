/** What the ways to plan a query with variables share. */
import type { CatalogFunction, DescribedColumn, SqlAnalysis } from '../../sql/sql-analysis.ts';
import type { AggregateNames } from './text/aggregates.ts';
import type { Parameters } from './text/parameters.ts';
import type { Condition, Predicate } from './text/predicates.ts';
import type { Select } from './text/select.ts';
import { hasSameText, type Tokens, textOf } from './text/tokens.ts';
import type { Node } from './tree/canonical-node.ts';

export interface PlanContext {
  readonly analysis: SqlAnalysis;
  readonly catalog: readonly CatalogFunction[];
  readonly names: AggregateNames;
  readonly parameters: Parameters;
  /** Of the query as its author wrote it. */
  readonly columns: readonly DescribedColumn[];
  readonly select: Select;
  readonly condition: Condition;
  /** The query as the engine understands it. */
  readonly original: Node;
}

/** A plan before its columns are checked; variables still stand as parameters in `readQuery`. */
export interface PlanDraft {
  readonly storedQuery: string;
  readonly readQuery: string;
  readonly aggregates: readonly { readonly expression: string; readonly stored: string }[];
}

/** The columns of the stored table, by what they hold. No column of a query may be called like one. */
export const storedColumn = {
  result: (at: number) => `__c${at}`,
  variable: (at: number) => `__v${at}`,
  sort: (at: number) => `__s${at}`,
  key: (at: number) => `__k${at}`,
  aggregate: (at: number) => `__a${at}`,
  constant: (at: number) => `__x${at}`,
  row: '__n',
} as const;

const RESERVED_NAME = /^(__[cvskax]\d+|__n|__h\d+|__querydock.*|querydock_(var_.*|rows))$/i;

export function isReservedName(name: string): boolean {
  return RESERVED_NAME.test(name);
}

/** The expressions that variables are compared with, each once: column `at` of the stored table holds it. */
export function comparedExpressions(predicates: readonly Predicate[]): readonly Tokens[] {
  const found: Tokens[] = [];
  for (const { left } of predicates) {
    if (!found.some((known) => hasSameText(known, left))) found.push(left);
  }
  return found;
}

/** The conditions of a read, on the stored columns. */
export function readConditions(predicates: readonly Predicate[]): string {
  return predicates
    .map(({ column, operator, right }) => {
      return `(${storedColumn.variable(column)} ${operator} ${textOf(right)})`;
    })
    .join(' AND ');
}

/** @param inner a SELECT; its columns get the given names by position. */
export function withColumnNames(inner: string, columns: readonly string[]): string {
  return `SELECT * FROM (${inner}) AS querydock_rows(${columns.join(', ')})`;
}
