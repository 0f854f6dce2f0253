/**
 * The SELECTs of a query with aggregates that are exact for groups of a certain kind, also in subqueries, CTEs and
 * branches of UNION, and those with LIMIT but without ORDER BY. How each sync checks these groups, or the rows that a
 * LIMIT may take: by the SELECT on its own.
 */
import type { SourceCheck } from '../../../model/materialization-plan.ts';
import type { TreeNode } from '../../../sql/query-tree.ts';
import { writtenSelects } from '../../../sql/written-selects.ts';
import type { UnderstoodQuery } from '../inlined-query.ts';
import type { QueryContext } from '../plan-context.ts';
import { readTree } from '../read-tree.ts';
import { isRefusal } from '../refusal.ts';
import { stored } from '../stored-columns.ts';
import type { AggregateNames } from '../text/aggregates.ts';
import { isExactForCheckedGroups } from '../text/checked-aggregates.ts';
import { hasVariable } from '../text/parameters.ts';
import { parseCondition } from '../text/predicates.ts';
import { clauseTexts, parseSelect, renderSelect, type Select } from '../text/select.ts';
import { type Tokens, textOf } from '../text/tokens.ts';
import { type Node, partOf } from '../tree/canonical-node.ts';
import { canonicalize } from '../tree/canonicalize.ts';
import { areRowsOf } from '../tree/check-equivalence.ts';
import { haveRowsOf } from '../tree/more-rows.ts';
import { checkedAggregates, queriesOfCheckedGroups } from '../tree/order-sensitivity.ts';
import type { PlacedQuery } from '../tree/placed-queries.ts';
import { onlySource } from '../tree/plan-equivalence.ts';
import { resultColumnsOf } from '../tree/push-down.ts';
import { choosesRowOf, takesComparedRows, unorderedLimits } from '../tree/unordered-limits.ts';
import { withoutUnused, withoutUnusedExpressions } from '../tree/unused-columns.ts';
import { chosenColumns, typedComparisons } from '../typed-comparisons.ts';
import { checkedGroups, groupChecks } from './group-checks.ts';
import { analyzeGrouping } from './grouping.ts';
import { withUnfilteredSources } from './unfiltered-sources.ts';
import {
  comparedConditions,
  withoutVariableItems,
  withoutVariableKeys,
  withoutVariablesInWith,
} from './without-variables.ts';

export interface CheckedSelects {
  /** The queries whose groups or rows are checked. */
  readonly queries: ReadonlySet<Node>;
  readonly checks: readonly SourceCheck[];
}

type Analyzed = Pick<QueryContext, 'analysis' | 'names' | 'parameters'>;

/**
 * @param original the engine's tree of the text.
 * @returns the queries in the tree whose groups can be checked alone, whatever values variables have.
 */
export async function checkSelects(
  original: Node,
  text: Tokens,
  query: Analyzed,
): Promise<CheckedSelects> {
  const places = queriesOfCheckedGroups(original, query.names);
  const limits = unorderedLimits(original).filter((limit) => takesComparedRows(limit.query));
  const isNone = places.length === 0 && limits.length === 0;
  const statements = isNone ? [] : writtenSelects(textOf(text));
  const checks: SourceCheck[] = [];
  const checked = new Set<Node>();
  const unchecked = new Set<Node>();
  for (const { statement } of statements) {
    const root = await treeOf(statement, query);
    if (root === null) continue;
    const found = places.filter((place) => isOf(root, place, query.names));
    const own = await checksOfGroups({ statement, root }, found, query);
    for (const { query: node } of found) (own === null ? unchecked : checked).add(node);
    const taken = limits.filter((place) => isOf(root, place, query.names));
    const any = taken.length === 0 ? null : await anyRowCheck(statement, query);
    // Others may select other columns of the same rows, and have checks of their own.
    const equal = taken.filter((limit) => any?.isRowOf(limit) === true);
    for (const limit of equal) checked.add(limit.query);
    checks.push(...(own ?? []), ...(equal.length > 0 ? (any?.checks ?? []) : []));
  }
  return { queries: new Set([...checked].filter((node) => !unchecked.has(node))), checks };
}

interface Statement {
  readonly statement: string;
  readonly root: TreeNode;
}

/** Null if there are none, or they cannot be checked. */
async function checksOfGroups(
  whole: Statement,
  found: readonly PlacedQuery[],
  query: Analyzed,
): Promise<readonly SourceCheck[] | null> {
  if (found.length === 0) return null;
  const { statement, root } = await withUsedItems(whole, found, query);
  return checksOf(statement, root, query);
}

/** Without the items that are used nowhere, as far as it is about the same groups without them. */
async function withUsedItems(
  whole: Statement,
  found: readonly PlacedQuery[],
  query: Analyzed,
): Promise<Statement> {
  const { analysis, names } = query;
  const select = parseSelect(await analysis.tokens(whole.statement));
  const columns = resultColumnsOf(canonicalize(whole.root, names)).split('\n');
  const used = new Set(found.flatMap((place) => resultColumnsOf(place.query).split('\n')));
  const left = select.items.filter((_item, at) => used.has(columns[at] ?? ''));
  const isCut = left.length > 0 && left.length < select.items.length && !select.isDistinct;
  if (!isCut || columns.length !== select.items.length) return whole;
  const items = left.map(({ tokens }) => textOf(tokens)).join(', ');
  const statement = renderSelect(clauseTexts(select).set('SELECT', items));
  const root = await treeOf(statement, query);
  return root !== null && found.every((place) => isOf(root, place, names))
    ? { statement, root }
    : whole;
}

interface AnyRow {
  readonly checks: readonly SourceCheck[];
  /** Whether the checks compare all that the query selects. */
  readonly isRowOf: (limit: PlacedQuery) => boolean;
}

/** How to check that a LIMIT takes equal rows, as `any` of them would; null if they cannot be compared. */
async function anyRowCheck(statement: string, query: Analyzed): Promise<AnyRow | null> {
  const select = parseSelect(await query.analysis.tokens(statement));
  const items = select.items.map(({ expression }) => textOf(expression)).join(', ');
  const texts = clauseTexts(select).set('SELECT', `any(tuple(${items}))`);
  for (const name of ['LIMIT BY', 'LIMIT', 'OFFSET', 'FETCH'] as const) texts.delete(name);
  const any = renderSelect(texts);
  const root = await treeOf(any, query);
  const checks = root === null ? null : await checksOf(any, root, query, true);
  if (root === null || checks === null) return null;
  const trees = [withoutUnusedExpressions(root), withoutUnused(root), root];
  return {
    checks: checks.map((check) => ({ ...check, reason: unequalRows })),
    isRowOf: ({ query: node, depth }) =>
      trees.some((tree) => choosesRowOf(canonicalize(tree, query.names, { depth }), node)),
  };
}

const unequalRows =
  'A subquery, CTE or branch of UNION with LIMIT but without ORDER BY takes any rows, and some that one may take differ; add an ORDER BY so that it takes the same each time.';

/** The same; none where a column that nothing uses needs the checks, since other plans leave it out. */
export async function checkUsedSelects(
  { tokens, original }: UnderstoodQuery,
  query: Analyzed,
): Promise<CheckedSelects> {
  const root = await treeOf(textOf(tokens), query);
  const used = root === null ? null : canonicalize(withoutUnusedExpressions(root), query.names);
  const countOf = (node: Node) => queriesOfCheckedGroups(node, query.names).length;
  if (used === null || countOf(used) < countOf(original)) return { queries: new Set(), checks: [] };
  return checkSelects(original, tokens, query);
}

/** Null for a SELECT that means nothing alone. */
async function treeOf(
  statement: string,
  { analysis, parameters }: Analyzed,
): Promise<TreeNode | null> {
  const [root] = await readTree(analysis, statement, parameters.samples);
  return root ?? null;
}

/**
 * Null if the groups cannot be checked.
 *
 * @param isOneGroup whether all rows may be one group.
 */
async function checksOf(
  statement: string,
  root: TreeNode,
  query: Analyzed,
  isOneGroup = false,
): Promise<readonly SourceCheck[] | null> {
  const { analysis } = query;
  try {
    const unfiltered = await withUnfilteredSources(statement, query);
    const select = withoutVariablesInWith(
      unfiltered ?? parseSelect(await analysis.tokens(statement)),
    );
    const checks =
      select === null ? null : await checksOfSelect(select, { root, isOneGroup }, query);
    for (const { countFaults } of checks ?? []) {
      if (hasVariable(await analysis.tokens(countFaults))) return null;
      await analysis.describe(countFaults, {});
    }
    return checks;
  } catch (error) {
    if (!isRefusal(error)) throw error;
    return null;
  }
}

/** Without the conditions with variables, except that runs choose one value of a column compared by `=`. */
async function checksOfSelect(
  select: Select,
  { root, isOneGroup }: { readonly root: TreeNode; readonly isOneGroup: boolean },
  query: Analyzed,
): Promise<readonly SourceCheck[] | null> {
  const { analysis, parameters, names } = query;
  const condition = parseCondition(comparedConditions(select), parameters.names);
  const context = {
    ...query,
    select: withoutVariableKeys(withoutVariableItems(select)),
    condition,
    // The others do not matter for the check.
    isStored: isExactForCheckedGroups,
  };
  const groups = checkedGroups(context, analyzeGrouping(context));
  if (groups === null) return null;
  const columns = await analysis.describe(groups.ungrouped, parameters.samples);
  const typeOf = (column: string) => columns.find(({ name }) => name === column)?.type ?? '';
  const typed = await typedComparisons(context, {
    predicates: condition.predicates.map((predicate) => predicate.condition),
    typeOf: (at) => typeOf(stored.variable(at)),
  });
  const chosen = chosenColumns(typed);
  const wrapper = await treeOf(groups.ungrouped, query);
  const rows = wrapper === null ? null : onlySource(wrapper);
  if (rows === null) return null;
  const named = { ...groups, columns: columns.map(({ name }) => name), chosen };
  const checkedRows = { ...named, rows: canonicalize(rows, names) };
  if (!areRowsOf(checkedRows, canonicalize(root, names), names)) return null;
  return groupChecks(groups, parameters, { columns, chosen, isOneGroup });
}

/**
 * Whether the query groups the rows of the statement and has no other aggregates that need checks. Which columns it or
 * its sources select does not matter.
 */
function isOf(root: TreeNode, { query, depth }: PlacedQuery, names: AggregateNames): boolean {
  const needed = checkedAggregates(query, names).map(({ key }) => key);
  return [withoutUnusedExpressions(root), withoutUnused(root), root].some((tree) => {
    const alone = canonicalize(tree, names, { depth });
    const own = new Set(checkedAggregates(alone, names).map(({ key }) => key));
    return groupsRowsOf(alone, query) && needed.every((key) => own.has(key));
  });
}

function groupsRowsOf(alone: Node, query: Node): boolean {
  return (
    haveRowsOf(partOf(alone, 'JOIN TREE'), partOf(query, 'JOIN TREE')) &&
    groupingOf(alone) === groupingOf(query)
  );
}

const groupingParts = ['PREWHERE', 'WHERE', 'GROUP BY'];

function groupingOf(query: Node): string {
  const parts = groupingParts.map((part) => partOf(query, part).map(({ key }) => key));
  return JSON.stringify([query.kind, query.detail, parts]);
}
