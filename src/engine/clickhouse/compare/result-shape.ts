/** What a query fixes of its result and what it leaves open, as the engine's own analysis has it. Pure. */
import { attributeOf, partOf, readQueryTree, type TreeNode } from '../../../sql/query-tree.ts';
import type { ResultCut, ResultShape } from '../../query-engine.ts';

/** @param lines of `EXPLAIN QUERY TREE passes = 1`. */
export function readResultShape(lines: readonly string[]): ResultShape {
  const nodes = readQueryTree(lines) ?? [];
  const [root] = nodes;
  const isAggregated = nodes.some((node) =>
    /^(aggregate|window)$/.test(attributeOf(node, 'function_type')),
  );
  if (root?.kind !== 'QUERY') {
    return { isOneSelect: false, isAggregated, isDistinct: false, keys: [], cut: null };
  }
  const columns = partOf(root, 'PROJECTION').map(printOf);
  return {
    isOneSelect: true,
    isAggregated,
    isDistinct: attributeOf(root, 'is_distinct') === '1',
    keys: partOf(root, 'ORDER BY').map((sort) => keyOf(sort, columns)),
    cut: cutOf(root),
  };
}

/** Not under a collation: it may take two texts for equal that are not. */
function keyOf(sort: TreeNode, columns: readonly string[]): number | null {
  if (attributeOf(sort, 'collator') !== '') return null;
  const expression = sort.children.find(({ kind }) => kind.startsWith('EXPRESSION'))?.children[0];
  if (expression === undefined) return null;
  const at = columns.indexOf(printOf(expression));
  return at < 0 ? null : at;
}

/** Equal for nodes that compute the same; names that were given to them do not count. */
function printOf(node: TreeNode): string {
  const attributes = node.attributes.replace(/^alias: .*?, (?=\w+: )/, '');
  const below = node.kind === 'CONSTANT' ? [] : node.children.map(printOf);
  return `${node.kind} ${attributes}(${below.join()})`;
}

function cutOf(root: TreeNode): ResultCut | null {
  const isBy = partOf(root, 'LIMIT BY').length > 0;
  const limit = part(root, 'LIMIT');
  const offset = part(root, 'OFFSET');
  if (!isBy && limit === null && offset === null) return null;
  const isWithTies = attributeOf(root, 'is_limit_with_ties') === '1';
  return {
    isBy,
    isWithTies,
    limit: limit === null ? null : wholeNumberOf(limit),
    offset: offset === null ? 0 : wholeNumberOf(offset),
  };
}

function part(root: TreeNode, name: string): TreeNode | null {
  return partOf(root, name)[0] ?? null;
}

/** Not a number for what is no such constant, as a fraction of the rows. */
function wholeNumberOf(node: TreeNode): number {
  const text = /^constant_value: UInt64_(\d+),/.exec(node.attributes)?.[1];
  return text === undefined ? Number.NaN : Number(text);
}
