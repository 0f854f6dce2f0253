/**
 * Values that a read sorts its rows by as another type, as in `ORDER BY toDate(at)`, also in a window. The engine takes a table
 * that is sorted by `at` for sorted by that as well, and reads the first rows only; but a time that the other type does not
 * hold becomes another one, before or after all others, and the text of an hour that clocks repeat is there twice.
 */
import { parseClickHouseType, withoutWrappers } from '../../../sql/clickhouse-type.ts';
import {
  argumentsOf,
  attributeOf,
  hasPart,
  nodesIn,
  partOf,
  stringOf,
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

const CONDITIONS = ['WHERE', 'PREWHERE', 'HAVING', 'QUALIFY', 'JOIN EXPRESSION'] as const;

/** The conditions of all SELECTs and joins. The engine moves them to where their columns come from. */
export function conditionsIn(root: TreeNode): readonly TreeNode[] {
  return nodesIn(root).flatMap((node) => CONDITIONS.flatMap((part) => partOf(node, part)));
}

const LONG = /^(?:Date32|DateTime64)$/;
const SHORT = /^Date(?:Time)?$/;
/** Functions to numbers that may not hold all times; `toYear` and the like do. */
const COUNTED = /^to(?:Relative|U?Int|UnixTimestamp)/i;
const CAST = /^_?cast$|^accurateCast|^toDateTime64/i;
/** Functions whose result may be beyond the first or the last time of the type. */
const BEYOND_ENDS = /^(?:toLastDayOfMonth|plus|minus|(?:add|subtract)[A-Z])/i;

/** Functions that give what a clock shows, which comes twice in an hour that clocks repeat. */
const CLOCK = /^(?:toYYYYMMDDhhmmss|toString|_?cast|accurateCast)$/i;
/**
 * Functions that the engine takes for ordered although they are not for an argument of these types: the least integer is the
 * negative of itself, for example. A cast counts as the function to its type.
 */
const WRONGLY_ORDERED: readonly (readonly [name: RegExp, from: RegExp, place?: number])[] = [
  [/^negate$/i, /^Int/],
  [/^(?:floor|ceil|ceiling|round|roundBankers|trunc|truncate)$/i, /^U?Int/],
  [/^toDate(?:32|Time)?$/i, /^(?:UInt64|U?Int128|U?Int256|Enum)/],
  [/^toBool$/i, /^U?Int/],
  [/^divide$/i, /^Int/, 1],
  [/^(?:divide|intDiv|minus)$/i, /^IPv/],
  [/^toMillisecond$/i, /^DateTime/],
];

/** Whether it is a function of which the engine is wrong about the order of its results, in conditions as well as in ORDER BY. */
export function isMisordered(node: TreeNode): boolean {
  const written = attributeOf(node, 'function_name');
  const name = CAST.test(written) ? `to${nameOf(node)}` : written;
  return argumentsOf(node).some((argument, at) =>
    WRONGLY_ORDERED.some(
      ([one, from, place = at]) => place === at && one.test(name) && from.test(nameOf(argument)),
    ),
  );
}

/** Whether a function changes the order of the values that it is applied to. */
export function mayReorder(node: TreeNode): boolean {
  if (node.kind !== 'FUNCTION') return false;
  if (isMisordered(node)) return true;
  const to = nameOf(node);
  const name = attributeOf(node, 'function_name');
  return argumentsOf(node).some((argument) => {
    const from = nameOf(argument);
    const isClock = CLOCK.test(name) && from.startsWith('DateTime') && !to.startsWith('Date');
    if (isClock && isOfOtherZone(node, argument)) return true;
    if (SHORT.test(from)) return (from === 'Date' && to === 'DateTime') || movesBeyond(name, to);
    if (!LONG.test(from)) return false;
    const isCast = CAST.test(name) && /^(?:U?Int|DateTime64)/.test(to);
    return SHORT.test(to) || COUNTED.test(name) || isCast || movesBeyond(name, to);
  });
}

/** The tree may escape the quotes. */
const ZONED = /DateTime(?:64)?\((?:\d+, ?)?\\?'(?!UTC\\?'\))/;

/** Whether the clock may be one that is put back. Columns without a time zone are in UTC. */
function isOfOtherZone(call: TreeNode, time: TreeNode): boolean {
  const [, zone] = /^to/.test(attributeOf(call, 'function_name')) ? argumentsOf(call) : [];
  return zone === undefined ? ZONED.test(typeOf(time)) : stringOf(zone) !== 'UTC';
}

function movesBeyond(name: string, to: string): boolean {
  return BEYOND_ENDS.test(name) && to.startsWith('Date');
}

const nameOf = (node: TreeNode) => withoutWrappers(parseClickHouseType(typeOf(node))).name;
