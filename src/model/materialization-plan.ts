/**
 * How runs of one version read a stored table: what the table holds, how it is sorted, and the query that reads it. Made
 * by the planner when a version is materialized; plain data, stored with the version.
 */
export interface MaterializationPlan {
  /** SELECT whose result is the stored table. No variable is left in it. Relative dates move with each sync. */
  readonly storedQuery: string;
  /** Columns of the stored table that it is sorted by, variable columns first. */
  readonly sortingKey: readonly string[];
  /**
   * SELECT over the stored table, which it names `storedTable`, with the version's own placeholders in
   * it, each in the spelling of the original text, so that values are bound as in an inline run. Its
   * columns are the original query's, in names, types and order.
   */
  readonly readQuery: string;
  /** For people: each variable, the column expression it filters, and its operator. */
  readonly predicates: readonly PlannedPredicate[];
  /** For people: aggregates that are stored as states and merged at read. */
  readonly aggregates: readonly { readonly expression: string; readonly stored: string }[];
  /** Of a plan that stores parts of its query: the tables after the first. */
  readonly furtherTables?: readonly FurtherTable[];
  /** Of a plan that merges, columns of times of which whole periods may be stored as well, merged. */
  readonly rollUps?: readonly RollUp[];
  /** Which of these a sync has chosen by the data: the plan is that of its table. Null: none pays. Absent: not decided. */
  readonly rolledUp?: RolledUp | null;
  /** Of a query without variables, columns by whose values its groups can be computed and compared in parts. */
  readonly groupColumns?: readonly GroupColumn[];
}

/** A stored table that a plan reads beside its first one. */
export interface FurtherTable {
  readonly storedQuery: string;
  readonly sortingKey: readonly string[];
}

/** How the rows of one plan can be stored by periods of one of their columns as well. */
export interface RollUp {
  /** Compared with ranges alone. */
  readonly column: string;
  readonly type: string;
  /** The other columns of the table. */
  readonly others: readonly MergedColumn[];
  /** The columns that runs choose a value or a set of. */
  readonly chosen: readonly string[];
  /** SELECT of the columns that are not merged, with a row for each row of the source. */
  readonly ungrouped: string;
  readonly sortingKey: readonly string[];
  /** Whether a run takes every time between the two of `periodColumns`: a condition with the version's own placeholders. */
  readonly isWhole: string;
}

export interface MergedColumn {
  readonly name: string;
  /** What makes one value of those of several rows; null: rows with different values are not merged. */
  readonly merge: string | null;
}

export type Period = 'minute' | 'hour' | 'day' | 'month' | 'year';

export interface RolledUp {
  readonly column: string;
  readonly period: Period;
}

/** Columns of a table with periods: 1 in a row that stands for a whole period, 0 in the others; and the first and last time of the period. */
export const periodColumns = {
  level: '__querydock_level',
  first: '__querydock_first',
  last: '__querydock_last',
} as const;

export interface GroupColumn {
  /** In the result. */
  readonly name: string;
  /** In the stored table. */
  readonly column: string;
}

export interface PlannedPredicate {
  readonly variable: string;
  /** The expression of columns that it is compared with, or that its condition uses beside it. */
  readonly expression: string;
  /** What stands between the variable and the expression: an operator, as `=`, or a function, as `startsWith`. */
  readonly operator: string;
  /** The stored column, or with `table` an expression of such; null where a condition uses no columns. */
  readonly column: string | null;
  /** The number of the table, from 0, in a plan that stores parts of its query. */
  readonly table?: number;
  /** The whole condition as its author wrote it. Plans of earlier releases lack it. */
  readonly condition?: string;
}

/**
 * The name under which `readQuery` reads the stored table; replaced by the table's own name at a run.
 * Further tables have a suffix, here as there.
 */
export const storedTable = '__querydock_stored_table';

/**
 * A read of that table and of the further ones. Its conditions go into PREWHERE, where the engine would move them at every run; a subquery instead
 * of a table has no PREWHERE.
 */
export function readOf(readQuery: string, table: string): string {
  const conditions = table.startsWith('(') ? 'WHERE' : 'PREWHERE';
  return readQuery
    .replaceAll(`${storedTable} WHERE `, () => `${table} ${conditions} `)
    .replaceAll(storedTable, () => table);
}

/** The stored queries of all tables, and the columns that each is sorted by. */
export function tablesOf(plan: MaterializationPlan): readonly FurtherTable[] {
  const { storedQuery, sortingKey, furtherTables = [] } = plan;
  return [{ storedQuery, sortingKey }, ...furtherTables];
}

/** Whether its reads apply conditions on variables as the author wrote them, so that any value may be given. */
export function isSplit({ furtherTables }: MaterializationPlan): boolean {
  return furtherTables !== undefined;
}

export function isRolledUp({ rolledUp }: MaterializationPlan): boolean {
  return rolledUp !== undefined && rolledUp !== null;
}

/** The name of one table of a plan, by that of the first; both at the engine and in `readQuery`. */
export function nameOfTable(first: string, number: number): string {
  return number === 0 ? first : `${first}_p${number}`;
}

/** A read over the stored queries of its plan instead of their tables. */
export function readOfQueries(readQuery: string, storedQueries: readonly string[]): string {
  return storedQueries.reduceRight(
    (text, storedQuery, at) =>
      text.replaceAll(nameOfTable(storedTable, at), () => `(${storedQuery})`),
    readQuery,
  );
}

export type PlanResult =
  | { readonly kind: 'plan'; readonly plan: MaterializationPlan }
  /** One reason that the author can act on. */
  | { readonly kind: 'refusal'; readonly reason: string };

/** A stored table and the plan that it was made by. */
export interface TableRead {
  readonly table: string;
  readonly plan: MaterializationPlan;
}
