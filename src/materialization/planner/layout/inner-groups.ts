/**
 * The SELECTs of a query with aggregates that are exact for groups of a certain kind, also in subqueries, CTEs and
 * branches of UNION, and how each sync checks these groups: by the SELECT on its own.
 */
import type { SourceCheck } from '../../../model/materialization-plan.ts';
import { readQueryTree, type TreeNode } from '../../../sql/query-tree.ts';
import { isTextError } from '../../../sql/sql-analysis.ts';
import { writtenSelects } from '../../../sql/written-selects.ts';
import type { UnderstoodQuery } from '../inlined-query.ts';
import type { QueryContext } from '../plan-context.ts';
import { isRefusal } from '../refusal.ts';
import type { AggregateNames } from '../text/aggregates.ts';
import { hasVariable } from '../text/parameters.ts';
import { parseCondition } from '../text/predicates.ts';
import { parseSelect, type Select } from '../text/select.ts';
import { isName, nameOf, splitList, type Tokens, textOf } from '../text/tokens.ts';
import { type Node, partOf } from '../tree/canonical-node.ts';
import { canonicalize } from '../tree/canonicalize.ts';
import { type PlacedQuery, queriesOfCheckedGroups } from '../tree/order-sensitivity.ts';
import { withoutUnused, withoutUnusedExpressions } from '../tree/unused-columns.ts';
import { chosenColumns, typedComparisons } from '../typed-comparisons.ts';
import { checkedGroups, groupChecks } from './group-checks.ts';
import { analyzeGrouping } from './grouping.ts';

export interface InnerGroups {
  /** The queries whose groups are checked. */
  readonly queries: ReadonlySet<Node>;
  readonly checks: readonly SourceCheck[];
}

type Analyzed = Pick<QueryContext, 'analysis' | 'names' | 'parameters'>;

/**
 * @param original the engine's tree of the text.
 * @returns the queries in the tree whose groups can be checked alone, whatever values variables have.
 */
export async function innerGroups(
  original: Node,
  text: Tokens,
  query: Analyzed,
): Promise<InnerGroups> {
  const places = queriesOfCheckedGroups(original, query.names);
  const statements = places.length === 0 ? [] : writtenSelects(textOf(text));
  const checks: SourceCheck[] = [];
  const checked = new Set<Node>();
  const unchecked = new Set<Node>();
  for (const { statement } of statements) {
    const found = await placesOf(statement, places, query);
    const own = found.length === 0 ? null : await checksOf(statement, query);
    for (const node of found) (own === null ? unchecked : checked).add(node);
    checks.push(...(own ?? []));
  }
  return { queries: new Set([...checked].filter((node) => !unchecked.has(node))), checks };
}

/** The same; none where a column that nothing uses needs the checks, since other plans leave it out. */
export async function usedInnerGroups(
  { tokens, original }: UnderstoodQuery,
  query: Analyzed,
): Promise<InnerGroups> {
  const { analysis, parameters, names } = query;
  const root = readQueryTree(await analysis.tree(textOf(tokens), parameters.samples))?.[0];
  const used = root === undefined ? null : canonicalize(withoutUnusedExpressions(root), names);
  const countOf = (node: Node) => queriesOfCheckedGroups(node, names).length;
  if (used === null || countOf(used) < countOf(original)) return { queries: new Set(), checks: [] };
  return innerGroups(original, tokens, query);
}

/** The queries that group the same rows as the statement, for the sample values. */
async function placesOf(
  statement: string,
  places: readonly PlacedQuery[],
  { analysis, names, parameters }: Analyzed,
): Promise<readonly Node[]> {
  const lines = await analysis.tree(statement, parameters.samples).catch(orText);
  const root = readQueryTree(lines ?? [])?.[0];
  if (root === undefined) return [];
  return places.filter((place) => isOfRows(root, place, names)).map((place) => place.query);
}

function orText(error: unknown): null {
  if (!isTextError(error)) throw error;
  return null;
}

/** Null if the groups cannot be checked. */
async function checksOf(
  statement: string,
  query: Analyzed,
): Promise<readonly SourceCheck[] | null> {
  const { analysis } = query;
  try {
    const select = withoutVariablesInWith(parseSelect(await analysis.tokens(statement)));
    const checks = select === null ? null : await checksOfSelect(select, query);
    for (const { countFaults } of checks ?? []) {
      if (hasVariable(await analysis.tokens(countFaults))) return null;
      await analysis.describe(countFaults, {});
    }
    return checks;
  } catch (error) {
    if (isRefusal(error)) return null;
    return orText(error);
  }
}

/**
 * Without the definitions of WITH that have variables, and those that mention these. Null if the rest mentions them: a
 * table may have the same name.
 */
function withoutVariablesInWith(select: Select): Select | null {
  const parts = splitList(select.clauses.get('WITH') ?? []);
  let left = parts.filter((part) => !hasVariable(part));
  const dropped = () => parts.filter((part) => !left.includes(part)).flatMap(namesOf);
  for (let size = -1; size !== left.length; ) {
    size = left.length;
    const names = dropped();
    left = left.filter((part) => !mentions(part, names));
  }
  const others = [...select.clauses].filter(([name]) => name !== 'WITH');
  const names = dropped();
  if (others.some(([, tokens]) => mentions(tokens, names))) return null;
  const separator = { kind: 'Symbol', text: ',', spaced: false };
  const list = left.flatMap((part, at) => (at === 0 ? part : [separator, ...part]));
  return { ...select, clauses: new Map(select.clauses).set('WITH', list) };
}

/** The name of a definition: its first token, as of a CTE, or its last. */
function namesOf(definition: Tokens): readonly string[] {
  return [definition.at(0), definition.at(-1)].filter(isName).map(nameOf);
}

function mentions(tokens: Tokens, names: readonly string[]): boolean {
  return tokens.some((token) => isName(token) && names.includes(nameOf(token)));
}

/** Without the conditions with variables, except that runs choose one value of a column compared by `=`. */
async function checksOfSelect(
  select: Select,
  query: Analyzed,
): Promise<readonly SourceCheck[] | null> {
  const { analysis, parameters } = query;
  const condition = parseCondition(select.clauses.get('WHERE') ?? [], parameters.names);
  const context = { ...query, select, condition };
  const groups = checkedGroups(context, analyzeGrouping(context));
  if (groups === null) return null;
  const columns = await analysis.describe(groups.ungrouped, parameters.samples);
  const typeOf = (column: string) => columns.find(({ name }) => name === column)?.type ?? '';
  return groupChecks(groups, parameters, chosenColumns(await typedComparisons(context, typeOf)));
}

/** Which columns a query or its sources select does not change the rows that it groups. */
function isOfRows(root: TreeNode, { query, depth }: PlacedQuery, names: AggregateNames): boolean {
  const rows = groupedRows(query);
  return [withoutUnusedExpressions(root), withoutUnused(root), root].some(
    (tree) => groupedRows(canonicalize(tree, names, { depth })) === rows,
  );
}

const groupingParts = ['JOIN TREE', 'PREWHERE', 'WHERE', 'GROUP BY'];

function groupedRows(query: Node): string {
  const parts = groupingParts.map((part) => partOf(query, part).map(({ key }) => key));
  return JSON.stringify([query.kind, query.detail, parts]);
}
