/** Data shared by the planning steps of a query with variables. */
import type { MergedColumn } from '../../model/materialization-plan.ts';
import type { CatalogFunction, DescribedColumn, SqlAnalysis } from '../../sql/sql-analysis.ts';
import type { AggregateNames, StoredAggregate } from './text/aggregates.ts';
import type { Parameters } from './text/parameters.ts';
import type { Condition, Predicate } from './text/predicates.ts';
import type { Select } from './text/select.ts';
import type { Tokens } from './text/tokens.ts';
import type { Node } from './tree/canonical-node.ts';

export interface QueryContext {
  readonly analysis: SqlAnalysis;
  readonly catalog: readonly CatalogFunction[];
  readonly names: AggregateNames;
  readonly parameters: Parameters;
  /** Maps each `__h…` column of a pulled-up predicate to the expression the author compared. */
  readonly authorExpressions: Map<string, string>;
}

export interface PlanContext extends QueryContext {
  /** Result columns of the author's query. */
  readonly columns: readonly DescribedColumn[];
  readonly select: Select;
  readonly condition: Condition;
  /** The engine's analyzed tree of the query. */
  readonly original: Node;
  /** Expressions that fail the build where the data would make the result depend on row order. */
  readonly zeroGuards?: readonly string[];
}

/** A plan that the engine has not validated yet; `readQuery` still has parameters for variables. */
export interface PlanDraft {
  readonly storedQuery: string;
  readonly readQuery: string;
  readonly aggregates: readonly { readonly expression: string; readonly stored: string }[];
  /** Set when reads merge the table's rows. */
  readonly merged?: MergedTable;
  /** Set when reads return the table's rows in the order of some of its columns. */
  readonly order?: ReadOrder;
  /** Set for aggregates that are exact for groups of a certain kind only. */
  readonly checked?: CheckedGroups;
}

/** Groups of which the results of some aggregates require something. */
export interface CheckedGroups {
  readonly faults: readonly GroupFault[];
  /** SELECT of the grouping columns and what the faults use, with one row per source row. */
  readonly ungrouped: string;
  /** Those of its columns that are the query's own keys; none where a row of the result adds up several groups. */
  readonly keys: readonly string[];
  /** Those with the arguments of aggregates, as tuples. */
  readonly values: readonly string[];
}

/** A group for which the result of an aggregate depends on the order of the rows. */
export interface GroupFault {
  readonly aggregate: StoredAggregate;
  /** Over a group of the ungrouped rows. */
  readonly having: string;
  /** In what kind of group, as the end of a sentence. */
  readonly why: string;
  /** Whether the rows of the whole source are hopeless as one group. */
  readonly needsGroups: boolean;
}

export interface ReadOrder {
  /** The first one sorts first; rows that are equal in all of them may have any order here. */
  readonly columns: readonly string[];
  /** What the first column holds, as ORDER BY and SELECT have it. */
  readonly first: readonly Tokens[];
  readonly isDescending: boolean;
  /** Whether the query returns the first rows only. */
  readonly isLimited: boolean;
}

/** Conditions of the aggregates of a SELECT, over the columns of the table that it merges. */
export interface StoredConditions {
  readonly conditions: readonly Tokens[];
  /** The name of a stored column by its number in conditions and predicates. */
  readonly nameOf: (column: number) => string;
  /** Names of the SELECT's keys. */
  readonly keys: readonly string[];
}

export interface MergedTable {
  readonly columns: readonly MergedColumn[];
  /** SELECT of the grouping columns, with one row per source row. */
  readonly ungrouped: string;
  readonly conditions: StoredConditions;
  /** How to count distinct values without storing sets; null if there are no sets or counting is ruled out. */
  readonly counting: Counting | null;
  /** Null unless reads return the groups with the greatest count or sum. */
  readonly top: TopOrder | null;
}

/** ORDER BY an aggregate DESC LIMIT a number of rows. */
export interface TopOrder {
  /** The stored aggregate, merged by `sum`. */
  readonly column: string;
  readonly groupBy: string;
  /** How many of the first groups decide the result: LIMIT and OFFSET together. */
  readonly rows: number;
}

export interface Counting {
  /** The read over a table with distinct counts; `inRange` is a placeholder for the predicate on the previous point. */
  readonly readQuery: string;
  /** `ungrouped`, plus the counted values and their conditions. */
  readonly values: string;
  readonly counted: readonly CountedValue[];
}

export interface CountedValue {
  /** Index of the aggregate whose set is not stored. */
  readonly aggregate: number;
  /** Columns of `values`. */
  readonly value: string;
  readonly condition: string | null;
}

/** The distinct expressions used in predicates on variables, in the order of their stored columns. */
export function comparedExpressions(predicates: readonly Predicate[]): readonly Tokens[] {
  const found: Tokens[] = [];
  for (const { columns } of predicates) {
    for (const { column, expression } of columns) found[column] = expression;
  }
  return found;
}
