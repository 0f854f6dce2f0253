/** How a read uses the columns of pieces, as far as that decides whether an index finds the rows of their conditions. */
import {
  argumentsOf,
  attributeOf,
  columnOf,
  hasPart,
  nodesById,
  nodesIn,
  operandsOf,
  partOf,
  readQueryTree,
  type TreeColumn,
  type TreeNode,
  typeOf,
} from '../../../sql/query-tree.ts';
import { isFoundBySet, isIndexable, isSortable } from '../column-types.ts';
import {
  CONVERTED,
  comparedSides,
  conditionsIn,
  isMisordered,
  mayReorder,
  sortsIn,
} from './reordered-values.ts';
import { selectedAs } from './selected-as.ts';
import { usedOtherwise } from './used-otherwise.ts';

export interface ColumnUses {
  /**
   * Whether some part of the read compares it with values of a type that the index converts, or filters or sorts by a
   * function of it whose order the engine gets wrong.
   */
  isConverted(piece: number, column: string): boolean;
  /** Whether a condition uses the column other than by comparing it with values. */
  isUsedOtherwise(piece: number, column: string): boolean;
}

/**
 * By the tree of the read, in which a CTE gives each piece. The engine moves the predicates of a SELECT to where its
 * columns come from, so that they may be compared under other names; and names may mean something else in inner SELECTs.
 */
export function columnUses(lines: readonly string[], pieceOf: (cte: string) => number): ColumnUses {
  const nodes = readQueryTree(lines) ?? [];
  const [root] = nodes;
  if (root === undefined) return { isConverted: () => true, isUsedOtherwise: () => true };
  const converted = new Set<string>();
  const byId = nodesById(nodes);
  const seen = new Set<string>();
  const filters = filtersIn(root, true);
  for (const expression of [...filters.flatMap(convertedIn), ...chainedIn(filters)])
    visit(expression);
  for (const expression of sortsIn(root)) visitUsed(expression, sorting, false);
  const conditions = conditionsIn(root);
  for (const expression of conditions)
    for (const use of [filtering, filteringTimes]) visitUsed(expression, use, false);
  const otherwise = usedOtherwise(conditions, { byId, pieceOf });
  return {
    isConverted: (piece, column) => converted.has(`${piece} ${column}`),
    isUsedOtherwise: (piece, column) => otherwise.has(`${piece} ${column}`),
  };

  function visit(expression: TreeNode): void {
    for (const node of nodesIn(expression)) {
      const { source = null, name = '' } = columnOf(node) ?? {};
      const from = source === null ? undefined : byId.get(source);
      const isNew = from !== undefined && !seen.has(`${source} ${name}`);
      if (!isNew) continue;
      seen.add(`${source} ${name}`);
      const piece = pieceOf(attributeOf(from, 'cte_name'));
      if (piece >= 0) converted.add(`${piece} ${name}`);
      else selectedAs(name, from).forEach(visit);
    }
  }

  /** @param isOuter whether a function around the expression changes the order. */
  function visitUsed(expression: TreeNode, use: Use, isOuter: boolean): void {
    const isChanged = (isOuter && !isValueOfRun(expression)) || use.changes(expression);
    const column = columnOf(expression);
    if (column !== null) visitColumn(column, use, isChanged);
    for (const child of expression.children) visitUsed(child, use, isChanged);
  }

  function visitColumn({ source, name, type }: TreeColumn, use: Use, isChanged: boolean): void {
    const from = source === null ? undefined : byId.get(source);
    const key = `${use.name} ${isChanged} ${source} ${name}`;
    if (from === undefined || seen.has(key)) return;
    seen.add(key);
    const piece = pieceOf(attributeOf(from, 'cte_name'));
    if (piece < 0) {
      for (const each of selectedAs(name, from, use.reaches)) visitUsed(each, use, isChanged);
    } else if (isChanged && use.concerns(type)) converted.add(`${piece} ${name}`);
  }
}

/** How expressions of a read use the order of a column. */
interface Use {
  readonly name: string;
  /** Whether a function gives another order than the engine takes it for. */
  readonly changes: (node: TreeNode) => boolean;
  /** Whether the engine uses the order of what the SELECT reads. */
  readonly reaches: (query: TreeNode) => boolean;
  /** Whether columns of the type are left out for it. */
  readonly concerns: (type: string) => boolean;
}

const always = () => true;

/** Groups are in no order before they are sorted, whatever they are made of. */
const sorting: Use = {
  name: 'sorting',
  changes: mayReorder,
  reaches: (query) => !hasPart(query, 'GROUP BY'),
  concerns: always,
};
const filtering: Use = {
  name: 'filtering',
  changes: isMisordered,
  reaches: always,
  concerns: always,
};
/** Of times that are computed of numbers; times themselves are not keys if another condition uses an expression of them. */
const filteringTimes: Use = {
  name: 'filtering times',
  changes: mayReorder,
  reaches: always,
  concerns: (type) => !type.includes('Date'),
};

const FILTER = /^(?:WHERE|PREWHERE|HAVING|QUALIFY|JOIN TREE)$/;

/** The expressions that filter rows, or that a SELECT around them may filter by. */
function filtersIn(node: TreeNode, isRoot = false, isFilter = false): readonly TreeNode[] {
  if (node.kind === 'QUERY') {
    return node.children.flatMap((part) =>
      filtersIn(part, false, FILTER.test(part.kind) || (part.kind === 'PROJECTION' && !isRoot)),
    );
  }
  const isAggregate = /^(?:aggregate|window)$/.test(attributeOf(node, 'function_type'));
  const below = node.children.flatMap((child) => filtersIn(child, false, isFilter && !isAggregate));
  return isFilter && node.kind === 'FUNCTION' ? [node, ...below] : below;
}

/** The compared expressions if the index may find other rows than the comparison. */
function convertedIn(comparison: TreeNode): readonly TreeNode[] {
  const sides = comparedSides(comparison);
  if (sides === null) return [];
  const [left, right] = sides;
  const isPair = (one: TreeNode, given: TreeNode) => isOfColumns(one) && isConverted(one, given);
  return [...(isPair(left, right) ? [left] : []), ...(isPair(right, left) ? [right] : [])];
}

/**
 * The sides of comparisons between columns if the index converts some of their values: from `a = b AND b > {x}` the engine
 * concludes `a > {x}`, and so on from column to column. Times and the like are no keys if they are compared with columns.
 */
function chainedIn(filters: readonly TreeNode[]): readonly TreeNode[] {
  const chained = filters
    .map(comparedSides)
    .filter((sides) => sides !== null)
    .filter((sides) => sides.every(isOfColumns));
  const isOdd = (one: TreeNode, other: TreeNode) =>
    isSortable(typeOf(one)) && !CONVERTED.test(typeOf(one)) && isOtherType(one, other);
  return chained.some(([left, right]) => isOdd(left, right) || isOdd(right, left))
    ? chained.flat()
    : [];
}

const isOfColumns = (node: TreeNode) =>
  !nodesIn(node).some(isOfQuery) && nodesIn(node).some(isColumn);

/** Whether the index might find other values of one than equal or are behind the other. */
const isOtherType = (one: TreeNode, other: TreeNode) =>
  !isIndexable(typeOf(one), typeOf(other)) && !isFoundBySet(typeOf(one), typeOf(other));

/** A subquery whose result is the same for all rows, whatever functions around it do. */
const isValueOfRun = (node: TreeNode) =>
  /^(?:QUERY|UNION)$/.test(node.kind) && attributeOf(node, 'is_correlated') !== '1';

const isOfQuery = ({ kind }: TreeNode) => kind === 'QUERY' || kind === 'UNION' || kind === 'TABLE';
const isColumn = ({ kind }: TreeNode) => kind === 'COLUMN';

function isConverted(left: TreeNode, right: TreeNode): boolean {
  if (!nodesIn(right).some(isOfQuery)) {
    if (nodesIn(right).some(isColumn)) return false;
    return isOtherType(left, right);
  }
  const lists = setsIn(right);
  const isTuple = attributeOf(left, 'function_name') === 'tuple';
  const compared = isTuple ? argumentsOf(left) : [left];
  return lists.some(
    (types) =>
      types.length !== compared.length ||
      compared.some((one, at) => !isFoundBySet(typeOf(one), types[at] ?? '')),
  );
}

/** The types of the columns of each SELECT of a set, or of the one value of a subquery. */
function setsIn(node: TreeNode): readonly (readonly string[])[] {
  return operandsOf(node).map((one) =>
    one.kind === 'QUERY' ? partOf(one, 'PROJECTION').map(typeOf) : [typeOf(one)],
  );
}
