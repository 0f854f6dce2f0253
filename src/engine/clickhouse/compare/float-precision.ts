/** How precisely a query determines the floating point numbers of its result, by the engine's own analysis. Pure. */
import { attributeOf, nodesById, partOf, type TreeNode } from '../../../sql/query-tree.ts';
import type { FloatPrecision } from '../../result-shape.ts';

/** Functions that return one of their arguments or a count, so nothing is summed. */
const CHOOSING =
  /^(count|min|max|any|first_value|last_value|nth_value|arg|lag|lead|uniq|group|top|approx_top|rank(?!Corr)|dense_?rank|percent_?rank|cume_dist|row_number|ntile|singleValueOrNull|quantile|median)/i;
/** Functions that are exact for integers and decimals. */
const EXACT_OF_INTEGERS = /^(sum|avg)(?!Kahan|Weighted)/i;
const FLOAT_TYPE = /\b(?:result_type|constant_value_type): .*Float/s;

const order: readonly FloatPrecision[] = ['bits', 'number', 'sum'];

function leastPrecise(found: readonly FloatPrecision[]): FloatPrecision {
  return order.findLast((precision) => found.includes(precision)) ?? 'bits';
}

/** The combined precision of everything below a node. */
export function precisionBelow(node: TreeNode): FloatPrecision {
  return leastPrecise([ownPrecision(node), ...node.children.map(precisionBelow)]);
}

function ownPrecision(node: TreeNode): FloatPrecision {
  if (!/^(aggregate|window)$/.test(attributeOf(node, 'function_type'))) return 'bits';
  const name = attributeOf(node, 'function_name');
  if (CHOOSING.test(name)) return 'number';
  const isOfFloats = partOf(node, 'ARGUMENTS').some(({ attributes }) =>
    FLOAT_TYPE.test(attributes),
  );
  const isRounded = isOfFloats || !EXACT_OF_INTEGERS.test(name);
  return isRounded && (isOfFloats || FLOAT_TYPE.test(node.attributes)) ? 'sum' : 'number';
}

/**
 * The precision of each result column of a query or a union.
 *
 * @param nodes nodes of the whole tree.
 */
export function resultPrecisions(
  root: TreeNode,
  nodes: readonly TreeNode[],
): readonly FloatPrecision[] {
  const byId = nodesById(nodes);
  const known = new Map<TreeNode, readonly FloatPrecision[]>();
  return columnsOf(root);

  function columnsOf(query: TreeNode): readonly FloatPrecision[] {
    const found = known.get(query) ?? computeColumns(query);
    known.set(query, found);
    return found;
  }

  function computeColumns(query: TreeNode): readonly FloatPrecision[] {
    if (query.kind !== 'UNION') return partOf(query, 'PROJECTION').map(precisionOf);
    const branches = partOf(query, 'QUERIES').map(columnsOf);
    const [first = []] = branches;
    return first.map((_one, at) => leastPrecise(branches.flatMap((branch) => branch[at] ?? [])));
  }

  function precisionOf(node: TreeNode): FloatPrecision {
    const below = node.children.map(precisionOf);
    return leastPrecise([ownPrecision(node), sourcePrecision(node), ...below]);
  }

  function sourcePrecision(node: TreeNode): FloatPrecision {
    if (node.kind !== 'COLUMN') return 'bits';
    const id = /, source_id: (\d+)$/.exec(node.attributes)?.[1];
    const source = byId.get(Number(id));
    if (source === undefined || /^(TABLE|TABLE_FUNCTION|LAMBDA)$/.test(source.kind)) return 'bits';
    const at = columnIndex(source, attributeOf(node, 'column_name'));
    const column = at === null ? undefined : columnsOf(source)[at];
    return column ?? precisionBelow(root);
  }
}

/** Null for a source that is not a query, such as a JOIN. */
function columnIndex(source: TreeNode, name: string): number | null {
  const query = source.kind === 'UNION' ? partOf(source, 'QUERIES')[0] : source;
  const columns = query?.children.find(({ kind }) => kind === 'PROJECTION COLUMNS');
  const at = (columns?.children ?? []).findIndex(({ kind }) => kind.startsWith(`${name} `));
  return at < 0 ? null : at;
}
