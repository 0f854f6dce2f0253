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
  /** Of a query without variables, columns by whose values its groups can be computed and compared in parts. */
  readonly groupColumns?: readonly GroupColumn[];
}

export interface GroupColumn {
  /** In the result. */
  readonly name: string;
  /** In the stored table. */
  readonly column: string;
}

export interface PlannedPredicate {
  readonly variable: string;
  readonly expression: string;
  readonly operator: string;
  /** The stored column. */
  readonly column: string;
}

/** The name under which `readQuery` reads the stored table; replaced by the table's own name at a run. */
export const storedTable = '__querydock_stored_table';

/**
 * A read of that table. Its conditions go into PREWHERE, where the engine would move them at every run; a subquery instead
 * of a table has no PREWHERE.
 */
export function readOf(readQuery: string, table: string): string {
  const conditions = table.startsWith('(') ? 'WHERE' : 'PREWHERE';
  return readQuery
    .replaceAll(`${storedTable} WHERE `, () => `${table} ${conditions} `)
    .replaceAll(storedTable, () => table);
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
