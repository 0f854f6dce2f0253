/** Which nodes of a query tree have no value of a table. Pure. */
import {
  argumentsOf,
  columnOf,
  nodesById,
  operandsOf,
  partOf,
  type TreeNode,
} from '../../../../sql/query-tree.ts';

export type IsConstant = (node: TreeNode) => boolean;

/** Whether a node has no value of a table, so that the engine may evaluate it before it reads one. */
export function constantsOf(nodes: readonly TreeNode[]): IsConstant {
  // Few trees have a comparison for which it is needed.
  let byId: ReadonlyMap<number, TreeNode> | undefined;
  const nodeOf = (id: number | null) => {
    byId ??= nodesById(nodes);
    return byId.get(id ?? -1);
  };
  const known = new Map<number, boolean>();
  const find = (node: TreeNode): boolean => {
    if (node.kind === 'FUNCTION') return argumentsOf(node).every(isConstant);
    const column = columnOf(node);
    if (column === null) return node.kind === 'CONSTANT';
    const made = partOf(node, 'EXPRESSION');
    if (made.length > 0) return made.every(isConstant);
    const source = nodeOf(column.source);
    if (source === undefined || !/^(?:QUERY|UNION)$/.test(source.kind)) return false;
    const queries = operandsOf(source);
    const names = queries.slice(0, 1).flatMap((query) => partOf(query, 'PROJECTION COLUMNS'));
    const line = `${column.name} ${column.type}`;
    return queries.some((query) =>
      partOf(query, 'PROJECTION').some((item, at) => names[at]?.kind === line && isConstant(item)),
    );
  };
  const isConstant = (printed: TreeNode): boolean => {
    // A node that is printed again has no children there.
    const node = nodeOf(printed.id) ?? printed;
    const id = node.id ?? -1;
    const before = known.get(id);
    if (before !== undefined) return before;
    // A recursive query may lead back here.
    known.set(id, false);
    known.set(id, find(node));
    return known.get(id) === true;
  };
  return isConstant;
}
