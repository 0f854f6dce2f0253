/** What a query determines of its result and what it leaves open, by the engine's own analysis. Pure. */
import { attributeOf, partOf, readQueryTree, type TreeNode } from '../../../sql/query-tree.ts';
import type { ResultCut, ResultShape } from '../../query-engine.ts';
import type { OwnOrder } from '../select/resolve-selection.ts';

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

/**
 * The keys of the query's own order, if all of them are result columns that are sorted as by name alone.
 *
 * @param lines of `EXPLAIN QUERY TREE passes = 1`.
 */
export function readOwnOrder(lines: readonly string[]): OwnOrder {
  const [root] = readQueryTree(lines) ?? [];
  if (root === undefined) return 'other';
  const sorts = root.kind === 'QUERY' ? partOf(root, 'ORDER BY') : [];
  if (sorts.length === 0) return 'none';
  const columns = partOf(root, 'PROJECTION').map(printOf);
  const keys = sorts.map((sort) => {
    const position = keyOf(sort, columns);
    const isPlain = attributeOf(sort, 'nulls_sort_direction') === '';
    const isDescending = attributeOf(sort, 'sort_direction') === 'DESCENDING';
    return position === null || !isPlain ? null : { position, isDescending };
  });
  const known = keys.filter((key) => key !== null);
  return known.length === keys.length ? known : 'other';
}

/** Null under a collation, which may treat different texts as equal. */
function keyOf(sort: TreeNode, columns: readonly string[]): number | null {
  if (attributeOf(sort, 'collator') !== '') return null;
  const expression = sort.children.find(({ kind }) => kind.startsWith('EXPRESSION'))?.children[0];
  if (expression === undefined) return null;
  const at = columns.indexOf(printOf(expression));
  return at < 0 ? null : at;
}

/** Equal for nodes that compute the same, whatever their aliases. */
function printOf(node: TreeNode): string {
  const attributes = node.attributes.replace(/^alias: .*?, (?=\w+: )/, '');
  const below = node.kind === 'CONSTANT' ? [] : node.children.map(printOf);
  return `${node.kind} ${attributes}(${below.join()})`;
}

function cutOf(root: TreeNode): ResultCut | null {
  const isBy = partOf(root, 'LIMIT BY').length > 0;
  const [limit] = partOf(root, 'LIMIT');
  const [offset] = partOf(root, 'OFFSET');
  if (!isBy && limit === undefined && offset === undefined) return null;
  const isWithTies = attributeOf(root, 'is_limit_with_ties') === '1';
  return {
    isBy,
    isWithTies,
    limit: limit === undefined ? null : wholeNumberOf(limit),
    offset: offset === undefined ? 0 : wholeNumberOf(offset),
  };
}

/** NaN for anything else than such a constant, as a fraction of the rows. */
function wholeNumberOf(node: TreeNode): number {
  const text = /^constant_value: UInt64_(\d+),/.exec(node.attributes)?.[1];
  return text === undefined ? Number.NaN : Number(text);
}
