/** Groupings whose rows the engine gets wrong. Found in ClickHouse 26.7. Pure. */
import { argumentsOf, attributeOf, partOf, type TreeNode } from '../../../../sql/query-tree.ts';
import { type LexedText, positionOfName } from '../parse/lexed-text.ts';

/**
 * @param node node of the resolved tree.
 * @returns a sentence for the author, or null when the node is accepted.
 */
export function refusalOfGrouping(node: TreeNode, lexed: LexedText): string | null {
  if (node.kind !== 'QUERY') return null;
  const type = attributeOf(node, 'group_by_type');
  if (type === 'grouping_sets') return refusalOfTotal(node, lexed);
  return /^(?:rollup|cube)$/.test(type) ? refusalOfTuple(node, type, lexed) : null;
}

/** The row of the set `()` is missing where nothing is aggregated. */
function refusalOfTotal(query: TreeNode, lexed: LexedText): string | null {
  const sets = query.children.filter(({ kind }) => kind === 'GROUP BY').flatMap(listsIn);
  const hasEmpty = sets.some((set) => set.attributes === 'nodes: 0');
  if (!hasEmpty || query.children.flatMap(nodesOf).some(isAggregate)) return null;
  return `GROUPING SETS${positionOfName(lexed, 'sets')} has an empty set, whose row the engine leaves out where no aggregate is computed; select an aggregate too, such as count().`;
}

/** Of GROUP BY, a list of the sets, each a list of its keys. */
function listsIn(part: TreeNode): readonly TreeNode[] {
  return part.children.flatMap(({ children }) => children).filter(({ kind }) => kind === 'LIST');
}

/** The engine divides a tuple that is a key into several keys. */
function refusalOfTuple(query: TreeNode, type: string, lexed: LexedText): string | null {
  const keys = new Set(partOf(query, 'GROUP BY').map(({ id }) => id));
  const parts = ['PROJECTION', 'HAVING', 'ORDER BY'].flatMap((name) => partOf(query, name));
  const divided = parts.flatMap(nodesOf).find((node) => {
    const items = attributeOf(node, 'function_name') === 'tuple' ? argumentsOf(node) : [];
    return items.length > 0 && items.every(({ id }) => keys.has(id));
  });
  if (divided === undefined) return null;
  const name = type.toUpperCase();
  return `The engine divides a tuple that is a key of ${name}${positionOfName(lexed, type)} into several keys; make the tuple in a subquery, as in SELECT k, count() FROM (SELECT (a, b) AS k, … FROM …) GROUP BY ${name}(k), or, for a key of its own for each part, write GROUP BY ${name}(a, b) and select a and b.`;
}

/** The node and all below it, but for subqueries. */
function nodesOf(node: TreeNode): readonly TreeNode[] {
  if (/^(?:QUERY|UNION|JOIN TREE)$/.test(node.kind)) return [];
  return [node, ...node.children.flatMap(nodesOf)];
}

function isAggregate(node: TreeNode): boolean {
  return attributeOf(node, 'function_type') === 'aggregate';
}
