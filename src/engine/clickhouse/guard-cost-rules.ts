/** What a run of a text has to keep to because of functions that cannot be stopped within a block of rows. Pure. */
import { argumentsOf, attributeOf, type TreeNode } from '../../domain/query-tree.ts';
import { productFunctions, shortFunctions } from './guard-arguments.ts';
import { marksIn } from './variable-marks.ts';
import type { VariableRules } from './variable-rules.ts';

/** Where what is looked for is another in each row. */
const SEARCH_ROWS = 4096;
/** Of a variable that is one side of a polygon or the like. */
const SHAPE_BYTES = 1000;

type CostRules = Pick<VariableRules, 'short' | 'blockRows'>;

/** @param nodes of the tree before it is resolved, in which variables are marked. */
export function costRules(nodes: readonly TreeNode[]): CostRules {
  const short = new Map<string, number>();
  let blockRows: number | null = null;
  for (const node of nodes) {
    if (node.kind !== 'FUNCTION') continue;
    const name = attributeOf(node, 'function_name').toLowerCase();
    const bytes =
      productFunctions.get(name)?.bytes ?? (shortFunctions.has(name) ? SHAPE_BYTES : null);
    if (bytes === null) continue;
    for (const variable of variablesBelow(node)) {
      short.set(variable, Math.min(bytes, short.get(variable) ?? bytes));
    }
    const rows = rowsAtOnce(node, name);
    if (rows !== null) blockRows = Math.min(rows, blockRows ?? rows);
  }
  return { short, blockRows };
}

function rowsAtOnce(node: TreeNode, name: string): number | null {
  const product = productFunctions.get(name);
  if (product === undefined || product.short === 'one') return null;
  const isSameInEachRow = argumentsOf(node)
    .slice(1)
    .every(({ kind }) => kind === 'CONSTANT');
  return product.blockRows ?? (isSameInEachRow ? null : SEARCH_ROWS);
}

function variablesBelow(node: TreeNode): readonly string[] {
  return [...marksIn(node.attributes), ...node.children.flatMap(variablesBelow)];
}
