/** Column names of stored tables, and the text of reads over them. */
import { storedTable } from '../../model/materialization-plan.ts';
import { quoteName } from '../../sql/quote-name.ts';
import type { DescribedColumn } from '../../sql/sql-analysis.ts';
import type { PlanContext } from './plan-context.ts';
import type { Comparison } from './text/comparisons.ts';
import { type ClauseName, clauseTexts, renderSelect } from './text/select.ts';
import { renderCondition } from './text/stored-expressions.ts';
import { textOf } from './text/tokens.ts';

/** Column names by content; reserved, so queries cannot use them. */
export const stored = {
  result: (at: number) => `__c${at}`,
  variable: (at: number) => `__v${at}`,
  sort: (at: number) => `__s${at}`,
  key: (at: number) => `__k${at}`,
  aggregate: (at: number) => `__a${at}`,
  constant: (at: number) => `__x${at}`,
  dimension: (at: number) => `__d${at}`,
  guard: (at: number) => `__z${at}`,
  /** Number of values without a previous point; the previous points; the number of values for each. */
  first: (at: number) => `__f${at}`,
  previous: (at: number) => `__p${at}`,
  counts: (at: number) => `__m${at}`,
  row: '__n',
} as const;

const RESERVED_NAME =
  /^(__[cvskaxdzfpm]\d+|__n|__h\d+|__querydock.*|querydock_(var_.*|(rows|join)\d*))$/i;

export function isReservedName(name: string): boolean {
  return RESERVED_NAME.test(name);
}

export function isGuard(column: string): boolean {
  return /^__z\d+$/.test(column);
}

/** Whether it is stored because a predicate on a variable uses it. */
export function isVariable(column: string): boolean {
  return /^__v\d+$/.test(column);
}

/** Whether rows of the stored table are grouped by it, as by a result column or another key. */
export function isGroupColumn(column: string): boolean {
  return /^__[ck]\d+$/.test(column);
}

/** The clauses of the stored query, without those applied at read time and without predicates on variables. */
export function storedClauses({ select, condition }: Pick<PlanContext, 'select' | 'condition'>) {
  const texts = clauseTexts(select);
  for (const name of ['ORDER BY', 'LIMIT BY', 'LIMIT', 'OFFSET'] as const) texts.delete(name);
  return texts.set('WHERE', condition.rest.join(' AND '));
}

/** @param inner a SELECT whose columns are renamed by position. */
export function withColumnNames(inner: string, columns: readonly string[]): string {
  return `SELECT * FROM (${inner}) AS querydock_rows(${columns.join(', ')})`;
}

/** Items that rename stored result columns to the query's own names. */
export function resultItems(columns: readonly DescribedColumn[]): readonly string[] {
  return columns.map(({ name }, at) => `${stored.result(at)} AS ${quoteName(name)}`);
}

/** The author's comparison, over the stored column. */
export function conditionOf({
  column,
  operator,
  right,
}: Pick<Comparison, 'column' | 'operator' | 'right'>): string {
  return `(${stored.variable(column)} ${operator} ${textOf(right)})`;
}

/** A read with the query's DISTINCT, LIMIT and OFFSET, and its predicates on variables over stored columns. */
export function renderRead(
  { select, condition }: PlanContext,
  items: readonly string[],
  clauses: readonly (readonly [ClauseName, string])[],
): string {
  const own = clauseTexts(select);
  const conditions = condition.predicates.map(
    (predicate) => `(${renderCondition(predicate.condition, stored.variable)})`,
  );
  const read = new Map<ClauseName, string>(clauses);
  read.set('SELECT', `${select.isDistinct ? 'DISTINCT ' : ''}${items.join(', ')}`);
  read.set('FROM', storedTable);
  read.set('WHERE', conditions.join(' AND '));
  for (const name of ['LIMIT', 'OFFSET'] as const) read.set(name, own.get(name) ?? '');
  return renderSelect(read);
}
