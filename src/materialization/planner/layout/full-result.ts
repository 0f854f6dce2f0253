/** Plans a query without variables: its whole result is stored. */
import {
  type MaterializationPlan,
  type SourceCheck,
  storedTable,
} from '../../../model/materialization-plan.ts';
import { readQueryTree } from '../../../sql/query-tree.ts';
import { isTextError, type SqlAnalysis } from '../../../sql/sql-analysis.ts';
import { requireStorable } from '../column-types.ts';
import { isRefusal, refuse } from '../refusal.ts';
import { resultItems, stored, withColumnNames } from '../stored-columns.ts';
import { type AggregateNames, openAggregateNames } from '../text/aggregates.ts';
import { requireDeterministic } from '../text/determinism.ts';
import { toParameters } from '../text/parameters.ts';
import { parseCondition } from '../text/predicates.ts';
import { parseSelect } from '../text/select.ts';
import { hasKeyword, isKeyword, type Tokens, textOf } from '../text/tokens.ts';
import { canonicalize } from '../tree/canonicalize.ts';
import { requireRepeatable } from '../tree/repeatability.ts';
import { withoutUnusedExpressions } from '../tree/unused-columns.ts';
import { writesIntegersIn } from '../written-integers.ts';
import { groupColumns } from './group-columns.ts';
import { analyzeGrouping } from './grouping.ts';
import { sampleCheck, sampledGroups } from './sampled-groups.ts';

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
  requireDeterministic(formatted, catalog);
  const columns = await analysis.describe(text, {});
  requireStorable(columns);
  const names = openAggregateNames(catalog);
  const tree = readQueryTree(await analysis.tree(text, {})) ?? [];
  const [root] = tree;
  if (root === undefined) {
    refuse('The engine does not say what this query does; write it in simpler terms.');
  }
  const used = canonicalize(withoutUnusedExpressions(root), names);
  const sourceCheck = await sampleCheckOf(formatted, names, analysis);
  const rows = { keepsOrder: true, hasSmallGroups: sourceCheck !== null };
  requireRepeatable(used, { names, catalog }, rows);
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
  return {
    storedQuery: isOrdered ? numbered : plain,
    sortingKey: isOrdered ? [stored.row] : [],
    readQuery: isOrdered ? `${read} ORDER BY ${stored.row} ASC` : read,
    predicates: [],
    aggregates: [],
    ...(groups.length === 0 ? {} : { groupColumns: groups }),
    ...(sourceCheck === null ? {} : { sourceChecks: [sourceCheck] }),
    ...(writes ? { integers: 'number' } : {}),
  };
}

/** Null if the query has no aggregate that needs it, or if its groups cannot be counted. */
async function sampleCheckOf(
  formatted: Tokens,
  names: AggregateNames,
  analysis: SqlAnalysis,
): Promise<SourceCheck | null> {
  if (!isKeyword(formatted[0], 'SELECT', 'WITH')) return null;
  try {
    const select = parseSelect(formatted);
    const condition = parseCondition(select.clauses.get('WHERE') ?? [], []);
    const parameters = toParameters('', new Map());
    const grouping = analyzeGrouping({ select, condition, names, parameters });
    const sampled = sampledGroups({ select }, grouping);
    if (sampled === null) return null;
    const check = sampleCheck(sampled);
    await analysis.describe(check.countFaults, {});
    return check;
  } catch (error) {
    if (isRefusal(error) || isTextError(error)) return null;
    throw error;
  }
}
