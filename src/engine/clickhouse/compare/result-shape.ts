/** What a query determines about its result and what it leaves open, by the engine's own analysis. Pure. */
import {
  argumentsOf,
  attributeOf,
  conjunctsOf,
  partOf,
  readQueryTree,
  sortedValue,
  type TreeNode,
  typeOf,
} from '../../../sql/query-tree.ts';
import type { ResultCut, ResultShape } from '../../result-shape.ts';
import type { OwnOrder } from '../select/resolve-selection.ts';
import { precisionBelow, resultPrecisions } from './float-precision.ts';

/** @param lines output of `EXPLAIN QUERY TREE passes = 1`. */
export function readResultShape(lines: readonly string[]): ResultShape {
  const nodes = readQueryTree(lines) ?? [];
  const [root] = nodes;
  const precisions = root === undefined ? [] : resultPrecisions(root, nodes);
  const isRounded = root !== undefined && precisionBelow(root) === 'sum';
  const hasInnerCut = nodes.some((node) => node !== root && isCut(node));
  const open = { precisions, isRounded, hasInnerCut };
  if (root?.kind !== 'QUERY') {
    return { ...open, isOneSelect: false, isDistinct: false, keys: [], fixed: [], cut: null };
  }
  const columns = partOf(root, 'PROJECTION').map(printOf);
  return {
    ...open,
    isOneSelect: true,
    isDistinct: attributeOf(root, 'is_distinct') === '1',
    keys: partOf(root, 'ORDER BY').map((sort) => keyOf(sort, columns)),
    fixed: fixedPrints(root).flatMap((print) => positionsOf(columns, print)),
    cut: cutOf(root),
  };
}

/**
 * The keys of the query's own order, if all of them are result columns sorted by plain value.
 *
 * @param lines output of `EXPLAIN QUERY TREE passes = 1`.
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
  const expression = sortedValue(sort);
  if (expression === undefined) return null;
  const at = columns.indexOf(printOf(expression));
  return at < 0 ? null : at;
}

function positionsOf(columns: readonly string[], print: string): readonly number[] {
  return columns.flatMap((column, at) => (column === print ? [at] : []));
}

/** Types where each value equals only itself; excludes floating point numbers and padded strings. */
const ONE_VALUE =
  /^(?:LowCardinality\(|Nullable\()*(?:U?Int\d+|Decimal|String|Date|DateTime|Bool|Enum|UUID|IPv)/;

/** What WHERE compares by `=` with an expression that depends on no row. */
function fixedPrints(root: TreeNode): readonly string[] {
  const conditions = [...partOf(root, 'WHERE'), ...partOf(root, 'PREWHERE')].flatMap(conjunctsOf);
  return conditions.flatMap((condition) => {
    const sides = argumentsOf(condition);
    if (attributeOf(condition, 'function_name') !== 'equals') return [];
    const [fixed, ...others] = sides.filter(usesRows);
    if (fixed === undefined || others.length > 0) return [];
    const areExact = sides.every((side) => ONE_VALUE.test(typeOf(side)));
    return areExact ? [printOf(fixed)] : [];
  });
}

function usesRows(node: TreeNode): boolean {
  return /^(?:COLUMN|QUERY|UNION|LAMBDA)$/.test(node.kind) || node.children.some(usesRows);
}

/** Equal for nodes that compute the same value, whatever their aliases. */
function printOf(node: TreeNode): string {
  const attributes = node.attributes.replace(/^alias: .*?, (?=\w+: )/, '');
  const below = node.kind === 'CONSTANT' ? [] : node.children.map(printOf);
  return `${node.kind} ${attributes}(${below.join()})`;
}

function isCut(node: TreeNode): boolean {
  const clauses = ['LIMIT', 'OFFSET', 'LIMIT BY'];
  return node.kind === 'QUERY' && clauses.some((name) => partOf(node, name).length > 0);
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

/** NaN for anything but such a constant, for example a fraction of the rows. */
function wholeNumberOf(node: TreeNode): number {
  const text = /^constant_value: UInt64_(\d+),/.exec(node.attributes)?.[1];
  return text === undefined ? Number.NaN : Number(text);
}
