/**
 * Times that a read sorts its rows by as another type, as in `ORDER BY toDate(at)`, also in a window. The engine takes a table that is sorted by
 * `at` for sorted by that as well, and reads the first rows only; but a time that the other type does not hold becomes another
 * one, before or after all others.
 */
import { parseClickHouseType, withoutWrappers } from '../../../sql/clickhouse-type.ts';
import {
  argumentsOf,
  attributeOf,
  hasPart,
  partOf,
  type TreeNode,
  typeOf,
} from '../../../sql/query-tree.ts';

/** The expressions that SELECTs and their windows sort rows by. Groups are in no order before they are sorted. */
export function sortsIn(node: TreeNode, isOfGroups = false): readonly TreeNode[] {
  const isGrouped = node.kind === 'QUERY' ? hasPart(node, 'GROUP BY') : isOfGroups;
  const isSorted = !isGrouped && /^(?:QUERY|WINDOW)$/.test(node.kind);
  const own = isSorted ? [...partOf(node, 'PARTITION BY'), ...partOf(node, 'ORDER BY')] : [];
  return [...own, ...node.children.flatMap((child) => sortsIn(child, isGrouped))];
}

const LONG = /^(?:Date32|DateTime64)$/;
const SHORT = /^Date(?:Time)?$/;
/** Functions to numbers that may not hold all times; `toYear` and the like do. */
const COUNTED = /^to(?:Relative|U?Int|UnixTimestamp)/i;
const CAST = /^_?cast$|^accurateCast|^toDateTime64/i;
/** Functions whose result may be beyond the first or the last time of the type. */
const BEYOND_ENDS = /^(?:toLastDayOfMonth|plus|minus|(?:add|subtract)[A-Z])/i;

/** Whether a function changes the order of the times that it is applied to. */
export function mayReorder(node: TreeNode): boolean {
  if (node.kind !== 'FUNCTION') return false;
  const name = attributeOf(node, 'function_name');
  const to = nameOf(node);
  return argumentsOf(node).some((argument) => {
    const from = nameOf(argument);
    if (SHORT.test(from)) return (from === 'Date' && to === 'DateTime') || movesBeyond(name, to);
    if (!LONG.test(from)) return false;
    const isCast = CAST.test(name) && /^(?:U?Int|DateTime64)/.test(to);
    return SHORT.test(to) || COUNTED.test(name) || isCast || movesBeyond(name, to);
  });
}

function movesBeyond(name: string, to: string): boolean {
  return BEYOND_ENDS.test(name) && to.startsWith('Date');
}

const nameOf = (node: TreeNode) => withoutWrappers(parseClickHouseType(typeOf(node))).name;
