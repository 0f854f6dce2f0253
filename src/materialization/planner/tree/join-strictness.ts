/** Joins that do not take every match of a row. */
import { columnOf, type TreeNode } from '../../../sql/query-tree.ts';
import { refuse } from '../refusal.ts';
import type { AggregateNames } from '../text/aggregates.ts';
import { hasUniqueMatches } from './unique-matches.ts';

/**
 * Throws Refusal for a join that may take other rows if it reads fewer of them.
 *
 * A SEMI or ANTI JOIN keeps or drops each row of one side, whatever other rows that side has. Of the other side, a SEMI
 * JOIN takes any of the matching rows, so it is accepted if only the condition of the join uses that side. An ANY JOIN
 * is accepted where there is one match at most.
 *
 * @param tree every node of the query's tree.
 */
export function requireEveryMatch(tree: readonly TreeNode[], names: AggregateNames): void {
  for (const join of tree.filter(isJoin)) {
    const isExact =
      takesEveryMatch(join) || onlyFilters(join, tree) || hasUniqueMatches(join, names);
    if (!isExact) refuseJoin(join);
  }
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

function refuseJoin({ attributes }: TreeNode): never {
  const [, written = ''] = /strictness: (\w+)/.exec(attributes) ?? [];
  const name = written in instead ? written : 'PASTE';
  const [, side = ''] = /kind: (LEFT|RIGHT)\b/.exec(attributes) ?? [];
  const join = `${side} JOIN`.trim();
  const article = /^[AEIOU]/.test(name) ? 'An' : 'A';
  refuse(
    `${article} ${name} JOIN cannot be materialized with variables, since the row that it takes may be another one among fewer rows; write ${(instead[name] ?? '').replaceAll('JOIN', join)}.`,
  );
}

/** Alternatives by join strictness. */
const instead: Readonly<Record<string, string>> = {
  ANY: 'a JOIN with one row for each key: JOIN (SELECT key, min(value) AS value FROM … GROUP BY key) USING (key)',
  SEMI: 'WHERE key IN (SELECT key FROM …), or use the side that only has to match in its ON alone',
  ANTI: 'WHERE key NOT IN (SELECT key FROM …), or use the side that must not match in its ON alone',
  ASOF: 'a plain JOIN ON the key and the inequality, with argMax(value, time) and GROUP BY for the closest row',
  PASTE: 'a plain JOIN ON row numbers: row_number() OVER (ORDER BY …) in each of the two',
};
