/** Joins that find at most one row for each row of the other side. */
import {
  argumentsOf,
  attributeOf,
  columnOf,
  partOf,
  type TreeNode,
  typeOf,
} from '../../../sql/query-tree.ts';
import type { AggregateNames } from '../text/aggregates.ts';
import { groupingNodes, isArrayJoin, ownNodes } from './canonical-functions.ts';
import { type Node, partOf as nodesOf } from './canonical-node.ts';
import { canonicalize } from './canonicalize.ts';

/**
 * Whether an ANY LEFT or ANY RIGHT JOIN takes every match: the side that is looked up is a subquery grouped by what the
 * join compares by `=`.
 */
export function hasUniqueMatches(join: TreeNode, names: AggregateNames): boolean {
  const [, kept] = /strictness: ANY, kind: (LEFT|RIGHT)\b/.exec(join.attributes) ?? [];
  if (kept === undefined) return false;
  const [side] = partOf(join, `${kept === 'LEFT' ? 'RIGHT' : 'LEFT'} TABLE EXPRESSION`);
  if (side?.kind !== 'QUERY' || ADDS_GROUPS.test(side.attributes)) return false;
  const compared = comparedColumns(join, side);
  const query = canonicalize(side, names);
  if (ownNodes(query).some(isArrayJoin)) return false;
  const selected = nodesOf(query, 'PROJECTION');
  const columns = side.children.find(({ kind }) => kind === 'PROJECTION COLUMNS')?.children ?? [];
  const isCompared = ({ key }: Node) =>
    selected.some((node, at) => node.key === key && compared.has(columns[at]?.kind ?? ''));
  const keys = nodesOf(query, 'GROUP BY').flatMap(groupingNodes);
  return keys.length > 0 && keys.every(isCompared);
}

const ADDS_GROUPS = /rollup|cube|totals|grouping_sets/;

/** 0 and -0 are equal, and may be two groups. */
const INEXACT = /Float|Dynamic|Variant|JSON/;

/** The columns of the side, as `name type`, that must be equal to something of the same type. */
function comparedColumns(join: TreeNode, side: TreeNode): ReadonlySet<string> {
  const found = partOf(join, 'JOIN EXPRESSION').flatMap(equalPairs);
  return new Set(
    found.flatMap((pair) =>
      pair.flatMap((node) => {
        const { name, type, source } = columnOf(node) ?? { name: '', type: '', source: null };
        const isOther = (other: TreeNode) =>
          plainType(typeOf(other)) === plainType(type) && !isOfSource(other, source);
        const others = pair.filter((other) => other !== node);
        const isExact = !INEXACT.test(type) && others.every(isOther);
        return source !== null && source === side.id && isExact ? [`${name} ${type}`] : [];
      }),
    ),
  );
}

function isOfSource(node: TreeNode, source: number | null): boolean {
  return (
    columnOf(node)?.source === source || node.children.some((child) => isOfSource(child, source))
  );
}

function plainType(type: string): string {
  return type.replace(/\b(?:Nullable|LowCardinality)\(|\)+$/g, '');
}

/** The sides of the equalities that all have to hold; a column of USING stands for its columns of both tables. */
function equalPairs(node: TreeNode): readonly (readonly TreeNode[])[] {
  if (node.kind === 'COLUMN') return [partOf(node, 'EXPRESSION')];
  const name = attributeOf(node, 'function_name');
  if (name === 'and') return argumentsOf(node).flatMap(equalPairs);
  return name === 'equals' ? [argumentsOf(node)] : [];
}
