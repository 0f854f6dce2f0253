/** Limits of a run that follow from functions that cannot be stopped within a block of rows. Pure. */
import {
  argumentsOf,
  attributeOf,
  numberOf,
  partOf,
  type TreeNode,
} from '../../../../sql/query-tree.ts';
import { functionName } from '../parse/tree-names.ts';
import { memberFunctions, productFunctions, shortFunctions } from './arguments.ts';
import { marksIn } from './variable-marks.ts';
import type { VariableRules } from './variable-rules.ts';

/** Rows per block when the searched value differs from row to row. */
const SEARCH_ROWS = 4096;
/** Rows on either side of a row that a window frame may span without small blocks. */
const WIDE_FRAME = 1000;
const FEW_ROWS = 512;
/** Limit for a variable that is passed to a polygon function. */
const SHAPE_BYTES = 1000;

type CostRules = Pick<VariableRules, 'short' | 'blockRows'>;

/** @param nodes nodes of the unresolved tree, in which variables are marked. */
export function costRules(nodes: readonly TreeNode[]): CostRules {
  const short = new Map<string, number>();
  let blockRows: number | null = null;
  for (const node of nodes) {
    if (isWideWindow(node) || isVaryingMember(node)) blockRows = FEW_ROWS;
    if (node.kind !== 'FUNCTION') continue;
    const name = functionName(node);
    const bytes =
      productFunctions.get(name)?.bytes ?? (shortFunctions.has(name) ? SHAPE_BYTES : null);
    if (bytes === null) continue;
    for (const variable of variablesBelow(node)) {
      short.set(variable, Math.min(bytes, short.get(variable) ?? bytes));
    }
    const rows = rowsPerBlock(node, name);
    if (rows !== null) blockRows = Math.min(rows, blockRows ?? rows);
  }
  return { short, blockRows };
}

function rowsPerBlock(node: TreeNode, name: string): number | null {
  const product = productFunctions.get(name);
  if (product === undefined || product.short === 'one') return null;
  const isSameInEachRow = argumentsOf(node)
    .slice(1)
    .every(({ kind }) => kind === 'CONSTANT');
  return product.blockRows ?? (isSameInEachRow ? null : SEARCH_ROWS);
}

/** A frame with a moving start is rescanned for each row, and the engine checks no limit within a block. */
function isWideWindow(node: TreeNode): boolean {
  if (node.kind !== 'WINDOW' || node.id === null) return false;
  if (attributeOf(node, 'frame_begin_type') === 'unbounded preceding') return false;
  const isRows = attributeOf(node, 'frame_type') === 'ROWS';
  const hasEnd = attributeOf(node, 'frame_end_type') !== 'unbounded following';
  const offsets = [...partOf(node, 'FRAME BEGIN OFFSET'), ...partOf(node, 'FRAME END OFFSET')];
  return !(isRows && hasEnd && offsets.every((offset) => numberOf(offset) <= WIDE_FRAME));
}

/** Searches an array for a value that differs from row to row. */
function isVaryingMember(node: TreeNode): boolean {
  const [array, wanted] = argumentsOf(node);
  if (node.kind !== 'FUNCTION' || array === undefined || wanted?.kind === 'CONSTANT') return false;
  return memberFunctions.has(functionName(node));
}

function variablesBelow(node: TreeNode): readonly string[] {
  return [...marksIn(node.attributes), ...node.children.flatMap(variablesBelow)];
}
