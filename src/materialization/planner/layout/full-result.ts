/** Plans a query without variables: its whole result is stored. */
import { type MaterializationPlan, storedTable } from '../../../model/materialization-plan.ts';
import { readQueryTree } from '../../../sql/query-tree.ts';
import type { SqlAnalysis } from '../../../sql/sql-analysis.ts';
import { requireStorable } from '../column-types.ts';
import { requireFixedFunctions } from '../fixed-functions.ts';
import { viewChecks } from '../read-views.ts';
import { refuse } from '../refusal.ts';
import { withSourceChecks } from '../source-checks.ts';
import { resultItems, stored, withColumnNames } from '../stored-columns.ts';
import { openAggregateNames } from '../text/aggregates.ts';
import { toParameters } from '../text/parameters.ts';
import { hasKeyword, textOf } from '../text/tokens.ts';
import { canonicalize } from '../tree/canonicalize.ts';
import { requireUnorderedStates } from '../tree/read-states.ts';
import { requireRepeatable } from '../tree/repeatability.ts';
import { withoutUnusedExpressions } from '../tree/unused-columns.ts';
import { writesIntegersIn } from '../written-integers.ts';
import { checkSelects } from './checked-selects.ts';
import { groupColumns } from './group-columns.ts';

/** An ordered result is stored with row numbers, from which reads restore the order. */
export async function planFullResult(
  sql: string,
  analysis: SqlAnalysis,
): Promise<MaterializationPlan> {
  const written = await analysis.tokens(sql);
  const end = written.findLastIndex((token) => token.text !== ';') + 1;
  const text = textOf(written.slice(0, end));
  const formatted = await analysis.tokens(await analysis.format(text));
  const catalog = await analysis.functions();
  await requireFixedFunctions(formatted, { analysis, catalog, samples: {} });
  const columns = await analysis.describe(text, {});
  requireStorable(columns);
  const names = openAggregateNames(catalog);
  const tree = readQueryTree(await analysis.tree(text, {})) ?? [];
  const [root] = tree;
  if (root === undefined) {
    refuse('The engine does not say what this query does; write it in simpler terms.');
  }
  const used = canonicalize(withoutUnusedExpressions(root), names);
  const parameters = toParameters(text, new Map());
  const inner = await checkSelects(used, formatted, { analysis, names, parameters });
  requireUnorderedStates(used, names);
  requireRepeatable(used, { names, catalog }, { keepsOrder: true, checked: inner.queries });
  const ofViews = await viewChecks(root, { analysis, names, catalog });
  const groups = groupColumns(formatted, columns, names);
  // INTERPOLATE refers to result columns by name, so they must keep their names.
  const isNaming = hasKeyword(formatted, 'INTERPOLATE');
  const result = isNaming ? `SELECT * FROM (${text})` : text;
  const plain = withColumnNames(
    result,
    columns.map((_column, at) => stored.result(at)),
  );
  const writes = await writesIntegersIn(tree, { analysis, names });
  const isOrdered = hasKeyword(formatted, 'ORDER');
  // The engine keeps the order of an ordered subquery when a function numbers its rows.
  const numbered = plain.replace(/^SELECT \*/, `SELECT *, rowNumberInAllBlocks() AS ${stored.row}`);
  const read = `SELECT ${resultItems(columns).join(', ')} FROM ${storedTable}`;
  const plan: MaterializationPlan = {
    storedQuery: isOrdered ? numbered : plain,
    sortingKey: isOrdered ? [stored.row] : [],
    readQuery: isOrdered ? `${read} ORDER BY ${stored.row} ASC` : read,
    predicates: [],
    aggregates: [],
    ...(groups.length === 0 ? {} : { groupColumns: groups }),
    ...(writes ? { integers: 'number' } : {}),
  };
  return withSourceChecks(plan, [...inner.checks, ...ofViews]);
}
