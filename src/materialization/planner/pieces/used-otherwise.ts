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
  type TreeColumn,
  type TreeNode,
} from '../../../sql/query-tree.ts';
import { comparedSides } from './reordered-values.ts';
import { selectedAs } from './selected-as.ts';

interface ReadTree {
  /** Nodes as they are printed first, since they have no children where they are printed again. */
  readonly byId: ReadonlyMap<number, TreeNode>;
  /** Index of the piece that a CTE gives; -1 for none. */
  readonly pieceOf: (cte: string) => number;
}

const LOGICAL = /^(?:and|or|not)$/;

/** As `${piece} ${column}`. @param conditions of all SELECTs and joins. */
export function usedOtherwise(
  conditions: readonly TreeNode[],
  { byId, pieceOf }: ReadTree,
): ReadonlySet<string> {
  const found = new Set<string>();
  const seen = new Set<TreeNode>();
  for (const condition of conditions) visitCondition(condition);
  return found;

  function visitCondition(condition: TreeNode): void {
    const sides = comparedSides(condition);
    if (sides !== null) {
      const [left, right] = sides;
      visitCompared(left, right);
      visitCompared(right, left);
    } else if (condition.kind === 'CONSTANT') {
      // What it was computed of: the tree is that of certain values of the variables.
      partOf(condition, 'EXPRESSION').forEach(visitCondition);
    } else if (LOGICAL.test(attributeOf(condition, 'function_name'))) {
      argumentsOf(condition).forEach(visitCondition);
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
    const column = columnOf(node);
    const from = sourceOf(column);
    if (column === null || from === undefined) return [];
    if (isPiece(from)) {
      found.add(`${pieceOf(attributeOf(from, 'cte_name'))} ${column.name}`);
      return [];
    }
    if (from.kind === 'ARRAY_JOIN') return partOf(from, 'JOIN EXPRESSIONS');
    // Of a join with USING, whose columns are printed once.
    if (from.kind === 'JOIN') return byId.get(node.id ?? -1)?.children ?? [];
    const selected = selectedAs(column.name, from);
    // If the name is printed otherwise, it may be any column.
    return selected.length > 0
      ? selected
      : operandsOf(from).flatMap((query) => partOf(query, 'PROJECTION'));
  }

  /** Whether it is a column of what reads a piece whole, as the piece's table is read. */
  function isOfPiece(node: TreeNode): boolean {
    const column = columnOf(node);
    const from = sourceOf(column);
    if (column === null || from === undefined) return false;
    const [selected, ...others] = selectedAs(column.name, from);
    return selected !== undefined && others.length === 0 && isPiece(sourceOf(columnOf(selected)));
  }

  function sourceOf(column: TreeColumn | null): TreeNode | undefined {
    return column === null || column.source === null ? undefined : byId.get(column.source);
  }

  function isPiece(from: TreeNode | undefined): boolean {
    return from !== undefined && pieceOf(attributeOf(from, 'cte_name')) >= 0;
  }
}

const isSubquery = ({ kind }: TreeNode) => kind === 'QUERY' || kind === 'UNION';

/** Whether the value differs by row; that of a subquery does not. */
function hasColumns(node: TreeNode): boolean {
  return node.kind === 'COLUMN' || (!isSubquery(node) && node.children.some(hasColumns));
}
