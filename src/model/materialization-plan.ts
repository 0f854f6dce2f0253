/**
 * How runs of a version read a stored table: what the table holds, its sorting key, and the query that reads it. Made
 * by the planner when a version is materialized; plain data, stored with the version.
 */
export interface MaterializationPlan {
  /** SELECT whose result is stored, without variables. Relative dates are evaluated by each sync. */
  readonly storedQuery: string;
  /** Sorting key of the stored table, variable columns first. */
  readonly sortingKey: readonly string[];
  /**
   * SELECT over the stored table, named `storedTable`. It has the version's placeholders in their original spelling,
   * so that values are bound as in an inline run. Its columns have the names, types and order of the original query.
   */
  readonly readQuery: string;
  /** For display: each variable, the expression it filters, and the operator. */
  readonly predicates: readonly PlannedPredicate[];
  /** What conditions of aggregates compare, for the values with which the plan is proved. */
  readonly conditions?: readonly ComparedVariable[];
  /** For display: aggregates stored as states and merged at read time. */
  readonly aggregates: readonly { readonly expression: string; readonly stored: string }[];
  /** The tables after the first, in a plan that stores parts of its query. */
  readonly furtherTables?: readonly FurtherTable[];
  /**
   * For each table, columns of its sorting key that follow each other and may have any order among themselves. A sync
   * orders them by the data.
   */
  readonly anyOrder?: readonly (readonly string[])[];
  /** Time columns by which tables that reads merge can also store rows per period. */
  readonly rollUps?: readonly RollUp[];
  /**
   * The roll-up a sync chose from the data; the plan then describes that table. Null: none is worth it. Absent:
   * undecided.
   */
  readonly rolledUp?: readonly RolledUp[] | null;
  /** How a plan that merges sets can store counts of distinct values instead. */
  readonly distinctCounts?: DistinctCounts;
  /** Whether a sync chose counts from the data; the plan then describes that table. Absent: undecided. */
  readonly countsDistinct?: boolean;
  /** How a plan whose reads return the greatest groups can skip the others. */
  readonly topGroups?: TopGroups;
  /**
   * From which total on a sync chose to set groups apart, as a number; the plan then describes that table. Null: it is
   * not worth it. Absent: undecided.
   */
  readonly topThreshold?: string | null;
  /** For a query without variables: columns by which its groups can be computed and compared separately. */
  readonly groupColumns?: readonly GroupColumn[];
  /** What must hold for the source's rows; each sync checks it. */
  readonly sourceChecks?: readonly SourceCheck[];
  /**
   * Set if the query writes 64-bit integers within texts, which depend on `integers` of each run: those for which the
   * table has the right texts. Absent: all.
   */
  readonly integers?: 'number';
}

/** Rows of the source that would make the results of the query depend on how the engine reads them. */
export interface SourceCheck {
  /** SELECT of their number. */
  readonly countFaults: string;
  /** Why the query cannot be materialized if there are any. */
  readonly reason: string;
}

/** A stored table of a plan in addition to the first one. */
export interface FurtherTable {
  readonly storedQuery: string;
  readonly sortingKey: readonly string[];
}

/** How a table's rows can also be stored per period of one of their columns. */
export interface RollUp {
  /** Index of the table among those of the plan. */
  readonly table: number;
  /** Compared with ranges only. */
  readonly column: string;
  readonly type: string;
  /** The other columns of the table. */
  readonly others: readonly MergedColumn[];
  /** Columns for which runs choose a value or a set. */
  readonly chosen: readonly string[];
  /** SELECT of the columns that are not merged, with one row per source row. */
  readonly ungrouped: string;
  readonly sortingKey: readonly string[];
  /** The SELECTs of `readQuery` that read the table. */
  readonly reads: readonly ReadOfPeriods[];
}

export interface ReadOfPeriods {
  /** The table in FROM, as this SELECT alone writes it. */
  readonly source: string;
  /**
   * Predicate, with the version's placeholders: whether the SELECT includes every value between the first and last of
   * `periodColumns`, and its aggregates all of them or none.
   */
  readonly isWhole: string;
  /**
   * Predicate over the ends of a period that the index can evaluate, where it cannot evaluate `isWhole`: true for each period of which
   * the SELECT includes some values only.
   */
  readonly mayBeCut?: string;
  /** Predicates of the SELECT that the index would evaluate differently, and what to evaluate in place of them. */
  readonly hidden?: readonly (readonly [written: string, hidden: string])[];
}

export interface MergedColumn {
  readonly name: string;
  /** Expression that merges the values of several rows; null for a grouping column. */
  readonly merge: string | null;
}

/** Of times, or the width of one of integers. */
export type Period = 'minute' | 'hour' | 'day' | 'month' | 'year' | number;

export interface RolledUp {
  /** Names of columns differ between the tables of a plan. */
  readonly column: string;
  readonly period: Period;
}

/**
 * Extra columns of a table with periods: level is 1 in a row for a whole period and 0 otherwise; first and last are
 * the period's first and last value.
 */
export const periodColumns = {
  level: '__querydock_level',
  first: '__querydock_first',
  last: '__querydock_last',
} as const;

/**
 * How `count(DISTINCT x)` over a range of a column is computed without sets. Each stored row has a point, a value of
 * the column, and counts its group's values by their previous point, or as having none. A run sums, over the rows in
 * its range, the counts whose previous point is outside the range: each value counts once, at its first point in the
 * range.
 */
export interface DistinctCounts {
  /** Compared with ranges only. */
  readonly column: string;
  readonly storedQuery: string;
  readonly readQuery: string;
  readonly aggregates: MaterializationPlan['aggregates'];
  /** The other grouping columns. */
  readonly keys: readonly string[];
  /** Those of `keys` for which runs choose one value. */
  readonly chosen: readonly string[];
  /** SELECT of `keys`, `column` and `counted`, with one row per source row. */
  readonly values: string;
  /** Columns with the counted values. */
  readonly counted: readonly string[];
  /** In the stored table's order. */
  readonly columns: readonly { readonly name: string; readonly type: string }[];
}

/**
 * How reads of the groups with the greatest count or sum skip the others. The column `topColumn` is 1 in all rows of the
 * groups whose total over the table reaches a threshold. A group below it cannot reach it in any run either, since a run
 * adds up some of the same rows. So if enough of the other groups reach it in a run, they are the result.
 */
export interface TopGroups {
  /** The stored count or sum. */
  readonly column: string;
  /** Its absolute value, in a type that is wide enough for any sum. */
  readonly absolute: string;
  /** Digits after the point in that type; null for integers. */
  readonly scale: number | null;
  /** The grouping columns, and GROUP BY of a read. */
  readonly keys: readonly string[];
  readonly groupBy: string;
  /** Columns for which runs choose one value. */
  readonly chosen: readonly string[];
  /** How many of the first groups decide the result. */
  readonly rows: number;
}

export const topColumn = '__querydock_top';

export interface GroupColumn {
  /** Name in the result. */
  readonly name: string;
  /** Name in the stored table. */
  readonly column: string;
}

export interface PlannedPredicate extends ComparedVariable {
  /** The expression of columns that the variable is compared with, or that its predicate also uses. */
  readonly expression: string;
}

export interface ComparedVariable {
  readonly variable: string;
  /** Operator or function that combines the variable and the expression: `=`, `startsWith`. */
  readonly operator: string;
  /** The stored column, or with `table` an expression of stored columns; null if the predicate uses no columns. */
  readonly column: string | null;
  /** Index of the table, from 0, in a plan that stores parts of its query. */
  readonly table?: number;
  /** The element of a tuple that the variable is compared with, from 1. */
  readonly element?: number;
  /** The whole predicate as its author wrote it. Plans of earlier releases lack it. */
  readonly condition?: string;
}

/**
 * Placeholder for the stored table in `readQuery`, replaced by the table's name in a run. Further tables add the same
 * suffix to both.
 */
export const storedTable = '__querydock_stored_table';

/**
 * The read over the plan's tables. Uses PREWHERE, to which the engine would move the predicates in every run; a
 * subquery in place of a table does not support it.
 */
export function readOf(readQuery: string, table: string): string {
  const conditions = table.startsWith('(') ? 'WHERE' : 'PREWHERE';
  return readQuery
    .replaceAll(`${storedTable} WHERE `, () => `${table} ${conditions} `)
    .replaceAll(storedTable, () => table);
}

/** The stored query and sorting key of each table. */
export function tablesOf(plan: MaterializationPlan): readonly FurtherTable[] {
  const { storedQuery, sortingKey, furtherTables = [] } = plan;
  return [{ storedQuery, sortingKey }, ...furtherTables];
}

/** Whether its reads apply predicates on variables as the author wrote them, so that any value may be given. */
export function isSplit({ furtherTables }: MaterializationPlan): boolean {
  return furtherTables !== undefined;
}

/** Whether all stored data must come from one state of the source, while building reads it several times. */
export function needsOneState(plan: MaterializationPlan): boolean {
  return plan.countsDistinct === true || tablesOf(plan).length > 1;
}

export function isRolledUp({ rolledUp }: MaterializationPlan): boolean {
  return rolledUp !== undefined && rolledUp !== null;
}

/** Whether it sets the greatest groups apart. */
export function hasTop({ topThreshold }: MaterializationPlan): boolean {
  return topThreshold !== undefined && topThreshold !== null;
}

/** The name of a plan's table, derived from the first one's, both in the engine and in `readQuery`. */
export function nameOfTable(first: string, number: number): string {
  return number === 0 ? first : `${first}_p${number}`;
}

/** A read over the plan's stored queries instead of their tables. */
export function readOfQueries(readQuery: string, storedQueries: readonly string[]): string {
  return storedQueries.reduceRight(
    (text, storedQuery, at) =>
      text.replaceAll(nameOfTable(storedTable, at), () => `(${storedQuery})`),
    readQuery,
  );
}

export type PlanResult =
  | { readonly kind: 'plan'; readonly plan: MaterializationPlan }
  /** A reason that the author can act on. */
  | { readonly kind: 'refusal'; readonly reason: string };

/** A stored table and its plan. */
export interface TableRead {
  readonly table: string;
  readonly plan: MaterializationPlan;
}
