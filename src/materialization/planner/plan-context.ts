/** The data that the steps of planning a query with variables share. */
import type { MergedColumn } from '../../model/materialization-plan.ts';
import type { CatalogFunction, DescribedColumn, SqlAnalysis } from '../../sql/sql-analysis.ts';
import type { AggregateNames } from './text/aggregates.ts';
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
  /** The expression that the author compared, by the `__h…` column through which its predicate was pulled up. */
  readonly authorExpressions: Map<string, string>;
}

export interface PlanContext extends QueryContext {
  /** Of the author's query. */
  readonly columns: readonly DescribedColumn[];
  readonly select: Select;
  readonly condition: Condition;
  /** The query as the engine understands it. */
  readonly original: Node;
  /** Expressions that fail where data would make the result depend on the order of the rows. */
  readonly zeroGuards?: readonly string[];
}

/** A plan before it is checked with the engine; in `readQuery` variables are still parameters. */
export interface PlanDraft {
  readonly storedQuery: string;
  readonly readQuery: string;
  readonly aggregates: readonly { readonly expression: string; readonly stored: string }[];
  /** The columns of a table whose rows a read merges, and a SELECT of those that it is grouped by. */
  readonly merged?: { readonly columns: readonly MergedColumn[]; readonly ungrouped: string };
}

/** The expressions that conditions on variables use, each once, in the order of their stored columns. */
export function comparedExpressions(predicates: readonly Predicate[]): readonly Tokens[] {
  const found: Tokens[] = [];
  for (const { columns } of predicates) {
    for (const { column, expression } of columns) found[column] = expression;
  }
  return found;
}
