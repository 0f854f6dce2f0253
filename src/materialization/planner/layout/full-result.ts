/** The plan for a query without variables: its result, as it is. */
import { type MaterializationPlan, storedTable } from '../../../model/materialization-plan.ts';
import { readQueryTree } from '../../../sql/query-tree.ts';
import { quoteName } from '../../../sql/quote-name.ts';
import type { CatalogFunction, SqlAnalysis } from '../../../sql/sql-analysis.ts';
import { requireStorable } from '../column-types.ts';
import { storedColumn, withColumnNames } from '../plan-context.ts';
import { refuse } from '../refusal.ts';
import { openAggregateNames } from '../text/aggregates.ts';
import { requireDeterministic } from '../text/determinism.ts';
import { hasKeyword, textOf } from '../text/tokens.ts';
import { canonicalize } from '../tree/canonicalize.ts';
import { requireRepeatable } from '../tree/exactness.ts';
import { groupColumns } from './group-columns.ts';

/** A query that orders its rows is stored with their numbers, so that reads give the same order. */
export async function planFullResult(
  sql: string,
  analysis: SqlAnalysis,
): Promise<MaterializationPlan> {
  const written = await analysis.tokens(sql);
  const statement = written.slice(0, written.findLastIndex(({ text }) => text !== ';') + 1);
  const formatted = await analysis.tokens(await analysis.format(textOf(statement)));
  const catalog = await analysis.functions();
  requireDeterministic(formatted, catalog);
  const columns = await analysis.describe(textOf(statement), {});
  requireStorable(columns);
  await requireRepeatableQuery(textOf(statement), analysis, catalog);
  const groups = groupColumns(formatted, columns, catalog);
  const names = columns.map((_column, at) => storedColumn.result(at));
  // INTERPOLATE names columns of the result, which must keep their names.
  const isNaming = hasKeyword(formatted, 'INTERPOLATE');
  const result = isNaming ? `SELECT * FROM (${textOf(statement)})` : textOf(statement);
  const plain = withColumnNames(result, names);
  const isOrdered = hasKeyword(formatted, 'ORDER');
  // The engine keeps the order of an ordered subquery for a function that numbers its rows.
  const numbered = plain.replace(
    /^SELECT \*/,
    `SELECT *, rowNumberInAllBlocks() AS ${storedColumn.row}`,
  );
  const selected = columns.map(
    ({ name }, at) => `${storedColumn.result(at)} AS ${quoteName(name)}`,
  );
  const read = `SELECT ${selected.join(', ')} FROM ${storedTable}`;
  return {
    storedQuery: isOrdered ? numbered : plain,
    sortingKey: isOrdered ? [storedColumn.row] : [],
    readQuery: isOrdered ? `${read} ORDER BY ${storedColumn.row} ASC` : read,
    requiredVariables: [],
    predicates: [],
    aggregates: [],
    ...(groups.length === 0 ? {} : { groupColumns: groups }),
  };
}

/** Throws Refusal for a query that may give something else each time it is run on the same rows. */
async function requireRepeatableQuery(
  sql: string,
  analysis: SqlAnalysis,
  catalog: readonly CatalogFunction[],
): Promise<void> {
  const names = openAggregateNames(catalog);
  const root = readQueryTree(await analysis.tree(sql, {}))?.[0];
  if (root === undefined)
    refuse('The engine does not say what this query does; write it in simpler terms.');
  requireRepeatable(canonicalize(root, names), { names, catalog });
}
