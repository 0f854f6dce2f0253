/** Queries whose rows have one order alone: they are one row, or ORDER BY leaves no rows tied that differ. */
import { INEXACT } from '../column-types.ts';
import { aggregatesOf, groupingNodes, isArrayJoin, ownNodes } from './canonical-functions.ts';
import { hasPart, type Node, partOf } from './canonical-node.ts';
import { resultColumnsOf } from './push-down.ts';

/** Whether the query aggregates all its rows to one. */
export function isOneRow(query: Node): boolean {
  const isAggregating = !hasPart(query, 'GROUP BY') && aggregatesOf(query).length > 0;
  return query.kind === 'QUERY' && isAggregating && !isFilled(query) && !makesRows(query);
}

/** Whether the query sorts its groups by all their keys, or its rows by all that it selects. */
export function isSortedWithoutTies(query: Node): boolean {
  const isDistinct = query.detail === 'is_distinct: 1';
  if (query.detail !== '' && !isDistinct) return false;
  const groups = partOf(query, 'GROUP BY').flatMap(groupingNodes);
  const isOfGroups = groups.length > 0 && !isDistinct && !makesRows(query);
  const keys = isOfGroups ? groups : partOf(query, 'PROJECTION');
  const sorted = sortExpressions(query);
  return keys.length > 0 && keys.every((key) => isSortedBy(key, sorted));
}

/**
 * Whether the query only reads the groups of a subquery sorted without ties, or rows that are sorted by all that they
 * hold. The engine passes them on sequentially, so arrays keep that order: `SELECT groupArray(c) FROM (SELECT day,
 * count() AS c … GROUP BY day ORDER BY day)`.
 */
export function readsSortedRows(query: Node): boolean {
  const [source, ...others] = partOf(query, 'JOIN TREE');
  if (source?.kind !== 'QUERY' || others.length > 0) return false;
  return isSortedWithoutTies(source);
}

/** Whether the query only reads the groups of a subquery, which it sorts by all their keys. */
export function sortsGroupsRead(query: Node): boolean {
  const [source, ...others] = partOf(query, 'JOIN TREE');
  const isPlain = query.detail === '' && source?.kind === 'QUERY' && source.detail === '';
  if (source === undefined || !isPlain || others.length > 0) return false;
  if (partOf(query, 'GROUP BY').length > 0 || [query, source].some(makesRows)) return false;
  // Rows that are filled in may have the same key.
  if (isFilled(source)) return false;
  const selected = partOf(source, 'PROJECTION');
  const lines = resultColumnsOf(source).split('\n');
  const columns = sortExpressions(query).filter(({ kind }) => kind === 'COLUMN');
  const sorted = columns.flatMap(({ name }) => {
    const named = selected.filter((_node, at) => lines[at]?.startsWith(`${name} `));
    return named.length === 1 ? named : [];
  });
  const keys = partOf(source, 'GROUP BY').flatMap(groupingNodes);
  return keys.length > 0 && keys.every((key) => isSortedBy(key, sorted));
}

/** Without those by a collation, which takes different texts for equal. */
function sortExpressions(query: Node): readonly Node[] {
  const exact = partOf(query, 'ORDER BY').filter(({ detail }) => !/\bcollator: /.test(detail));
  return exact.flatMap((node) => partOf(node, 'EXPRESSION'));
}

function isSortedBy({ key, type }: Node, sorted: readonly Node[]): boolean {
  return !INEXACT.test(type) && sorted.some((other) => other.key === key);
}

/** Whether WITH FILL adds rows. */
export function isFilled(query: Node): boolean {
  return partOf(query, 'ORDER BY').some(({ detail }) => /\bwith_fill: 1\b/.test(detail));
}

/** arrayJoin makes several rows of a group, but for one that the query groups by. */
function makesRows(query: Node): boolean {
  const keys = new Set(
    partOf(query, 'GROUP BY')
      .flatMap(groupingNodes)
      .map(({ key }) => key),
  );
  return ownNodes(query, keys).some((node) => isArrayJoin(node) && !keys.has(node.key));
}
