/** Joins that find at most one row for each row of the other side. */
import {
  argumentsOf,
  attributeOf,
  columnOf,
  conjunctsOf,
  partOf,
  type TreeColumn,
  type TreeNode,
  typeOf,
} from '../../../sql/query-tree.ts';
import { INEXACT } from '../column-types.ts';
import type { AggregateNames } from '../text/aggregates.ts';
import { groupingNodes, isArrayJoin, ownNodes } from './canonical-functions.ts';
import { type Node, partOf as nodesOf } from './canonical-node.ts';
import { canonicalize } from './canonicalize.ts';
import { isFilled } from './total-order.ts';

/** The side of a join that is searched for the one row that matches a row of the other side. */
export interface SearchedSide {
  readonly join: TreeNode;
  readonly side: TreeNode;
  /** Its columns, once each, of which each has to be equal to something, or nearest to it. One at least. */
  readonly compared: readonly TreeColumn[];
}

/** By strictness. An ANY INNER JOIN takes one row of both sides for each key. */
const kinds: Readonly<Record<string, readonly string[]>> = {
  ANY: ['LEFT', 'RIGHT'],
  SEMI: ['LEFT', 'RIGHT'],
  ASOF: ['LEFT', 'INNER'],
};

/** Null for a join of another kind, and where it compares no columns of the side as they are. */
export function searchedSide(join: TreeNode): SearchedSide | null {
  const [, strictness = '', kind = ''] =
    /strictness: (\w+), kind: (\w+)/.exec(join.attributes) ?? [];
  if (kinds[strictness]?.includes(kind) !== true) return null;
  const [side] = partOf(join, `${kind === 'RIGHT' ? 'LEFT' : 'RIGHT'} TABLE EXPRESSION`);
  if (side === undefined) return null;
  const conditions = partOf(join, 'JOIN EXPRESSION').flatMap(conjunctsOf);
  // Of several inequalities one chooses the nearest row; the others are conditions.
  const isNearest = strictness === 'ASOF' && conditions.filter(isInequality).length === 1;
  const columns = conditions.map((condition) =>
    comparedColumns(comparedPair(condition, isNearest), side),
  );
  const compared = [...new Map(columns.flat().map((column) => [column.name, column])).values()];
  const isLeftOut = strictness === 'ASOF' && columns.some(({ length }) => length === 0);
  return compared.length === 0 || isLeftOut ? null : { join, side, compared };
}

/** Whether each match is unique whatever the rows are: a subquery grouped by what is compared is searched. */
export function isGroupedByCompared(
  { side, compared }: SearchedSide,
  names: AggregateNames,
): boolean {
  if (side.kind !== 'QUERY' || ADDS_GROUPS.test(side.attributes)) return false;
  const query = canonicalize(side, names);
  // WITH FILL adds rows, in which what it does not sort by has its default, once for each of them.
  if (isFilled(query) || ownNodes(query).some(isArrayJoin)) return false;
  const selected = nodesOf(query, 'PROJECTION');
  const columns = side.children.find(({ kind }) => kind === 'PROJECTION COLUMNS')?.children ?? [];
  const lines = new Set(compared.map(({ name, type }) => `${name} ${type}`));
  const isCompared = ({ key }: Node) =>
    selected.some((node, at) => node.key === key && lines.has(columns[at]?.kind ?? ''));
  const keys = nodesOf(query, 'GROUP BY').flatMap(groupingNodes);
  return keys.length > 0 && keys.every(isCompared);
}

const ADDS_GROUPS = /rollup|cube|totals|grouping_sets/;

/** The columns of the side among things that are compared, if all others are of the same type. */
function comparedColumns(pair: readonly TreeNode[], side: TreeNode): readonly TreeColumn[] {
  return pair.flatMap((node) => {
    const column = columnOf(node);
    const others = pair.filter((other) => other !== node);
    if (column?.source !== side.id || INEXACT.test(column.type) || others.length === 0) return [];
    const isOther = (other: TreeNode) =>
      plainType(typeOf(other)) === plainType(column.type) && !isOfSource(other, side.id);
    return others.every(isOther) ? [column] : [];
  });
}

function isOfSource(node: TreeNode, source: number | null): boolean {
  return (
    columnOf(node)?.source === source || node.children.some((child) => isOfSource(child, source))
  );
}

function plainType(type: string): string {
  return type.replace(/\b(?:Nullable|LowCardinality)\(|\)+$/g, '');
}

/** A column of USING stands for its columns of both tables. */
function comparedPair(condition: TreeNode, isNearest: boolean): readonly TreeNode[] {
  if (condition.kind === 'COLUMN') return partOf(condition, 'EXPRESSION');
  const isEqual = attributeOf(condition, 'function_name') === 'equals';
  return isEqual || (isNearest && isInequality(condition)) ? argumentsOf(condition) : [];
}

function isInequality(node: TreeNode): boolean {
  return /^(?:less|greater)(?:OrEquals)?$/.test(attributeOf(node, 'function_name'));
}
