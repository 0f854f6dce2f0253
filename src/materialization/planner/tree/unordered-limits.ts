/** Subqueries, CTEs and branches of UNION with LIMIT but without ORDER BY, which take any rows. */
import { conjunctsOf, isArrayJoin, isWindow, ownNodes } from './canonical-functions.ts';
import { hasPart, type Node, partOf } from './canonical-node.ts';
import type { PlacedQuery } from './placed-queries.ts';
import { isOneRow } from './total-order.ts';

/** Those whose rows differ in what is selected, as far as the query tells. */
export function unorderedLimits(original: Node): readonly PlacedQuery[] {
  return limitsWithin(original, 0, new Set([original]));
}

/** @param anyRow queries of which every row will do. */
function limitsWithin(
  node: Node,
  depth: number,
  anyRow: ReadonlySet<Node>,
): readonly PlacedQuery[] {
  const isQuery = node.kind === 'QUERY';
  const own = isQuery && isUnordered(node) && !anyRow.has(node) ? [{ query: node, depth }] : [];
  // EXISTS accepts any row; the engine writes it as a subquery with LIMIT.
  const isExists = node.kind === 'FUNCTION' && node.name === 'exists';
  const within = isExists ? new Set([...anyRow, ...partOf(node, 'ARGUMENTS')]) : anyRow;
  const inner = node.args.flatMap((arg) => limitsWithin(arg, isQuery ? depth + 1 : depth, within));
  return [...own, ...inner];
}

function isUnordered(query: Node): boolean {
  const isLimited = ['LIMIT', 'OFFSET', 'LIMIT BY'].some((part) => hasPart(query, part));
  return isLimited && !(hasPart(query, 'ORDER BY') || isOneRow(query) || isSameForAnyRow(query));
}

/** Whether the rows that a limit may choose among are equal in what is selected. */
function isSameForAnyRow(query: Node): boolean {
  const selected = partOf(query, 'PROJECTION').filter(({ kind }) => kind !== 'CONSTANT');
  const keys = partOf(query, 'LIMIT BY');
  // 0 and -0 are one key, and so are NaNs of different bits.
  if (keys.some(({ type }) => /Float|Dynamic|Variant|JSON/.test(type))) return false;
  if (selected.length === 0) return true;
  if (hasPart(query, 'LIMIT') || hasPart(query, 'OFFSET')) return false;
  const chosen = new Set(keys.map(({ key }) => key));
  return selected.every(({ key }) => chosen.has(key));
}

const FILTERED = ['GROUP BY', 'HAVING', 'QUALIFY'];

/**
 * Whether the rows that it may take can be compared, as rows of what it reads. All rows of a table are hardly ever equal,
 * so one column has to be compared by `=`.
 */
export function takesComparedRows(query: Node): boolean {
  const isOther = (node: Node) => isArrayJoin(node) || isWindow(node);
  const conditions = conjunctsOf([...partOf(query, 'PREWHERE'), ...partOf(query, 'WHERE')]);
  return (
    conditions.some(({ name }) => name === 'equals') &&
    !FILTERED.some((part) => hasPart(query, part)) &&
    !ownNodes(query).some(isOther)
  );
}

/** Whether a query is `any(tuple(…))` over the same rows, of all that the other one selects. */
export function choosesRowOf(any: Node, query: Node): boolean {
  const [call, ...others] = partOf(any, 'PROJECTION');
  const [row] = call?.name === 'any' ? partOf(call, 'ARGUMENTS') : [];
  if (row?.name !== 'tuple' || others.length > 0) return false;
  const selected = new Set(partOf(row, 'ARGUMENTS').map(({ key }) => key));
  return (
    partOf(query, 'PROJECTION').every(({ key }) => selected.has(key)) &&
    ['JOIN TREE', 'PREWHERE', 'WHERE'].every((part) => keyOf(any, part) === keyOf(query, part))
  );
}

function keyOf(query: Node, part: string): string {
  return JSON.stringify(partOf(query, part).map(({ key }) => key));
}
