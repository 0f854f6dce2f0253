/**
 * Tables that each shard of a Distributed table looks up by itself: those that a query joins to it, or searches by IN,
 * without GLOBAL. Each shard may have other rows of them. Pure.
 */
import { attributeOf, partOf, type TreeNode, tableNameOf } from '../../../../sql/query-tree.ts';
import type { ShardLookup } from '../../../frozen-tables.ts';

/** The name under which the engine reads `SELECT 1`. */
const NO_TABLE = 'system.one';

/** As if every table were Distributed. @param nodes every node of the query's tree. */
export function shardLookups(nodes: readonly TreeNode[]): readonly ShardLookup[] {
  return nodes.flatMap((node) => {
    const first = node.kind === 'QUERY' ? firstSource(partOf(node, 'JOIN TREE')) : undefined;
    if (first === undefined || first.kind !== 'TABLE') return [];
    const of = tableNameOf(first);
    return tablesIn(node, first)
      .filter((table) => table !== NO_TABLE)
      .map((table) => ({ of, table }));
  });
}

/** The table or subquery from which the shards begin; one that is joined to it is read by each of them. */
function firstSource(nodes: readonly TreeNode[]): TreeNode | undefined {
  for (const node of nodes) {
    const found = isSource(node) ? node : firstSource(node.children);
    if (found !== undefined) return found;
  }
  return undefined;
}

const isSource = ({ kind }: TreeNode) => /^(?:TABLE|TABLE_FUNCTION|QUERY|UNION)$/.test(kind);

/** @param first left out. */
function tablesIn(node: TreeNode, first: TreeNode): readonly string[] {
  // A subquery that gives one value, and what GLOBAL stands before, is read once for all shards.
  if (node === first || node.kind === 'CONSTANT') return [];
  if (attributeOf(node, 'function_name').startsWith('global')) return [];
  const isGlobal = node.kind === 'JOIN' && attributeOf(node, 'locality') === 'GLOBAL';
  const read = isGlobal ? partOf(node, 'LEFT TABLE EXPRESSION') : node.children;
  const own = node.kind === 'TABLE' ? [tableNameOf(node)] : [];
  return [...own, ...read.flatMap((child) => tablesIn(child, first))];
}
