/** Joins that do not take every match of a row. */
import { columnOf, type TreeNode, tableNameOf } from '../../../sql/query-tree.ts';
import { refuse } from '../refusal.ts';
import type { AggregateNames } from '../text/aggregates.ts';
import { isGroupedByCompared, type SearchedSide, searchedSide } from './unique-matches.ts';

/**
 * The joins that are exact as long as the side that they search has one match at most for each row of the other side.
 * Throws Refusal for a join that may take other rows if it reads fewer of them.
 *
 * A SEMI or ANTI JOIN keeps or drops each row of one side, whatever other rows that side has. Of the other side, a SEMI
 * JOIN takes any of the matching rows, so it is accepted if only the condition of the join uses that side.
 *
 * @param tree every node of the query's tree.
 */
export function requireEveryMatch(
  tree: readonly TreeNode[],
  names: AggregateNames,
): readonly SearchedSide[] {
  return tree.filter(isJoin).flatMap((join) => {
    if (takesEveryMatch(join) || onlyFilters(join, tree)) return [];
    const searched = searchedSide(join) ?? refuseJoin(join);
    return isGroupedByCompared(searched, names) ? [] : [searched];
  });
}

function isJoin({ kind, id }: TreeNode): boolean {
  return kind === 'JOIN' && id !== null;
}

function takesEveryMatch({ attributes }: TreeNode): boolean {
  return /strictness: ALL\b/.test(attributes) && !/kind: PASTE/.test(attributes);
}

function onlyFilters(join: TreeNode, tree: readonly TreeNode[]): boolean {
  if (!/strictness: (SEMI|ANTI)\b/.test(join.attributes)) return false;
  const side = /kind: RIGHT\b/.test(join.attributes) ? 'LEFT' : 'RIGHT';
  const filtering = nodesOf(join, `${side} TABLE EXPRESSION`);
  const condition = nodesOf(join, 'JOIN EXPRESSION');
  const ids = new Set([...filtering].map(({ id }) => id));
  const used = tree.filter((node) => !filtering.has(node) && !condition.has(node)).map(columnOf);
  return used.every((column) => column?.source == null || !ids.has(column.source));
}

/** The nodes of the join's parts whose kind starts like this. */
function nodesOf(join: TreeNode, part: string): ReadonlySet<TreeNode> {
  const found = new Set<TreeNode>();
  const open = join.children.filter(({ kind }) => kind.startsWith(part));
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    found.add(node);
    for (const child of node.children) open.push(child);
  }
  return found;
}

/** Throws Refusal. */
export function refuseJoin(join: TreeNode): never {
  const { name, article, mend } = described(join);
  refuse(
    `${article} ${name} JOIN cannot be materialized with variables, unless a row has one match at most, which cannot be checked here: among fewer rows it may take another one; write ${mend}.`,
  );
}

/** Why the join is not exact where the side has several rows for one key, as a sentence. */
export function severalMatches({ join, side, compared }: SearchedSide): string {
  const { name, article, mend } = described(join);
  const table = tableNameOf(side).replace(/^.*?\./s, '');
  const of = table === '' ? 'the subquery that it searches' : table;
  const columns = compared.map((column) => column.name).join(', ');
  return `${article} ${name} JOIN takes any of several matching rows, and ${of} has several with the same ${columns}; write ${mend}.`;
}

function described({ attributes }: TreeNode) {
  const [, written = ''] = /strictness: (\w+)/.exec(attributes) ?? [];
  const name = written in instead ? written : 'PASTE';
  const [, side = ''] = /kind: (LEFT|RIGHT)\b/.exec(attributes) ?? [];
  return {
    name,
    article: /^[AEIOU]/.test(name) ? 'An' : 'A',
    mend: (instead[name] ?? '').replaceAll('JOIN', `${side} JOIN`.trim()),
  };
}

/** Alternatives by join strictness. */
const instead: Readonly<Record<string, string>> = {
  ANY: 'a JOIN with one row for each key: JOIN (SELECT key, min(value) AS value FROM … GROUP BY key) USING (key)',
  SEMI: 'WHERE key IN (SELECT key FROM …), or use the side that only has to match in its ON alone',
  ANTI: 'WHERE key NOT IN (SELECT key FROM …), or use the side that must not match in its ON alone',
  ASOF: 'ASOF JOIN (SELECT key, time, min(value) AS value FROM … GROUP BY key, time) with one row for each key and time',
  PASTE: 'a plain JOIN ON row numbers: row_number() OVER (ORDER BY …) in each of the two',
};
