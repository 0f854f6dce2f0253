/**
 * Columns of pieces that conditions use other than by comparing them with values: in a function, by comparing them with
 * another column, or under the name that a SELECT gives to them. The engine may use the index for what follows from such a
 * condition, and finds times, Decimals and FixedStrings inexactly then.
 */
import {
  argumentsOf,
  attributeOf,
  columnOf,
  operandsOf,
  partOf,
  type TreeNode,
} from '../../../sql/query-tree.ts';
import { COMPARISON, conditionsIn } from './reordered-values.ts';
import { selectedAs } from './selected-as.ts';

interface ReadTree {
  /** Nodes as they are printed first, since they have no children where they are printed again. */
  readonly byId: ReadonlyMap<number, TreeNode>;
  /** Index of the piece that a CTE gives; -1 for none. */
  readonly pieceOf: (cte: string) => number;
}

const LOGICAL = /^(?:and|or|not)$/;

/** As `${piece} ${column}`. */
export function usedOtherwise(root: TreeNode, { byId, pieceOf }: ReadTree): ReadonlySet<string> {
  const found = new Set<string>();
  const seen = new Set<TreeNode>();
  for (const condition of conditionsIn(root)) visitCondition(condition);
  return found;

  function visitCondition(condition: TreeNode): void {
    const name = attributeOf(condition, 'function_name');
    const [first, second] = argumentsOf(condition);
    // Of constants, what they were computed of: the tree is that of certain values of the variables.
    const parts =
      condition.kind === 'CONSTANT' ? partOf(condition, 'EXPRESSION') : argumentsOf(condition);
    if (condition.kind === 'CONSTANT' || LOGICAL.test(name)) {
      for (const part of parts) visitCondition(part);
    } else if (COMPARISON.test(name) && first !== undefined && second !== undefined) {
      visitCompared(first, second);
      visitCompared(second, first);
    } else {
      visit(condition);
    }
  }

  function visitCompared(side: TreeNode, other: TreeNode): void {
    if (hasColumns(other)) {
      visit(side);
      return;
    }
    const isTuple = attributeOf(side, 'function_name') === 'tuple';
    for (const one of isTuple ? argumentsOf(side) : [side]) if (!isOfPiece(one)) visit(one);
  }

  /** Notes each column in the expression; of a subquery only what it selects, since its conditions are visited by themselves. */
  function visit(node: TreeNode): void {
    if (seen.has(node)) return;
    seen.add(node);
    if (isSubquery(node)) {
      const selected = operandsOf(node).flatMap((query) => partOf(query, 'PROJECTION'));
      for (const one of selected) if (!isOfPiece(one)) visit(one);
      return;
    }
    for (const one of sourcesOf(node)) visit(one);
    for (const child of node.children) visit(child);
  }

  /** What a column stands for; notes that of a piece. */
  function sourcesOf(node: TreeNode): readonly TreeNode[] {
    const { name, source } = columnOf(node) ?? { name: '', source: null };
    const from = source === null ? undefined : byId.get(source);
    if (from === undefined) return [];
    const piece = pieceOf(attributeOf(from, 'cte_name'));
    if (piece >= 0) {
      found.add(`${piece} ${name}`);
      return [];
    }
    if (from.kind === 'ARRAY_JOIN') return partOf(from, 'JOIN EXPRESSIONS');
    // Of a join with USING, whose columns are printed once.
    if (from.kind === 'JOIN') return byId.get(node.id ?? -1)?.children ?? [];
    const selected = selectedAs(name, from);
    // If the name is printed otherwise, it may be any column.
    return selected.length > 0
      ? selected
      : operandsOf(from).flatMap((query) => partOf(query, 'PROJECTION'));
  }

  /** Whether it is a column of what reads a piece whole, as the piece's table is read. */
  function isOfPiece(node: TreeNode): boolean {
    const { name, source } = columnOf(node) ?? { name: '', source: null };
    const from = source === null ? undefined : byId.get(source);
    if (from === undefined) return false;
    const selected = selectedAs(name, from);
    return selected.length === 1 && selected.every((one) => isSelectedWhole(one));
  }

  function isSelectedWhole(node: TreeNode): boolean {
    const { source } = columnOf(node) ?? { source: null };
    const from = source === null ? undefined : byId.get(source);
    return from !== undefined && pieceOf(attributeOf(from, 'cte_name')) >= 0;
  }
}

const isSubquery = ({ kind }: TreeNode) => kind === 'QUERY' || kind === 'UNION';

/** Whether the value differs by row; that of a subquery does not. */
function hasColumns(node: TreeNode): boolean {
  return node.kind === 'COLUMN' || (!isSubquery(node) && node.children.some(hasColumns));
}
