/**
 * The subqueries, CTEs and branches of UNION with aggregates that are exact as long as their groups are small, and how
 * each sync counts these groups: by the SELECT on its own.
 */
import type { SourceCheck } from '../../../model/materialization-plan.ts';
import { readQueryTree, type TreeNode } from '../../../sql/query-tree.ts';
import { isTextError } from '../../../sql/sql-analysis.ts';
import { writtenSelects } from '../../../sql/written-selects.ts';
import type { QueryContext } from '../plan-context.ts';
import { isRefusal } from '../refusal.ts';
import type { AggregateNames } from '../text/aggregates.ts';
import { hasVariable } from '../text/parameters.ts';
import { parseCondition } from '../text/predicates.ts';
import { parseSelect, type Select } from '../text/select.ts';
import { isName, nameOf, splitList, type Tokens, textOf } from '../text/tokens.ts';
import { type Node, partOf } from '../tree/canonical-node.ts';
import { canonicalize } from '../tree/canonicalize.ts';
import { type PlacedQuery, queriesOfSmallGroups } from '../tree/order-sensitivity.ts';
import { withoutUnused, withoutUnusedExpressions } from '../tree/unused-columns.ts';
import { chosenColumns, typedComparisons } from '../typed-comparisons.ts';
import { analyzeGrouping } from './grouping.ts';
import { sampleCheck, sampledGroups } from './sampled-groups.ts';

export interface SmallGroups {
  /** The queries whose groups are counted. */
  readonly queries: ReadonlySet<Node>;
  readonly checks: readonly SourceCheck[];
}

type Analyzed = Pick<QueryContext, 'analysis' | 'names' | 'parameters'>;

/**
 * @param original the engine's tree of the text.
 * @returns the queries in the tree whose groups can be counted alone, whatever values variables have.
 */
export async function smallGroups(
  original: Node,
  text: Tokens,
  query: Analyzed,
): Promise<SmallGroups> {
  const places = queriesOfSmallGroups(original, query.names);
  const statements = places.length === 0 ? [] : writtenSelects(textOf(text));
  const checks: SourceCheck[] = [];
  const counted = new Set<Node>();
  const uncounted = new Set<Node>();
  for (const { statement } of statements) {
    const found = await placesOf(statement, places, query);
    const check = found.length === 0 ? null : await checkOf(statement, query);
    const own = check === null ? uncounted : counted;
    for (const node of found) own.add(node);
    if (check !== null) checks.push(check);
  }
  return { queries: new Set([...counted].filter((node) => !uncounted.has(node))), checks };
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

/** Null if the groups cannot be counted. */
async function checkOf(statement: string, query: Analyzed): Promise<SourceCheck | null> {
  const { analysis } = query;
  try {
    const select = withoutVariablesInWith(parseSelect(await analysis.tokens(statement)));
    const check = select === null ? null : await checkOfSelect(select, query);
    if (check === null || hasVariable(await analysis.tokens(check.countFaults))) return null;
    await analysis.describe(check.countFaults, {});
    return check;
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
async function checkOfSelect(select: Select, query: Analyzed): Promise<SourceCheck | null> {
  const { analysis, parameters } = query;
  const condition = parseCondition(select.clauses.get('WHERE') ?? [], parameters.names);
  const context = { ...query, select, condition };
  const sampled = sampledGroups(context, analyzeGrouping(context));
  if (sampled === null) return null;
  const columns = await analysis.describe(sampled.ungrouped, parameters.samples);
  const typeOf = (column: string) => columns.find(({ name }) => name === column)?.type ?? '';
  return sampleCheck(sampled, chosenColumns(await typedComparisons(context, typeOf)));
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
