/**
 * Functions of which the engine is wrong about the order of their results. It takes a table that is sorted by `at` for sorted by
 * `toDate(at)` as well, reads the first rows of `ORDER BY toDate(at)` only, and skips rows by the values of `at` at the ends of
 * a granule; but a time that the other type does not hold becomes another one, before or after all others, the text of an hour
 * that clocks repeat is there twice, and the least integer is the negative of itself.
 */
import {
  argumentsOf,
  attributeOf,
  bareTypeOf,
  hasPart,
  nodesIn,
  numberOf,
  partOf,
  stringOf,
  type TreeNode,
  typeOf,
} from '../../../sql/query-tree.ts';

const SORTS = ['PARTITION BY', 'ORDER BY', 'LIMIT BY'] as const;

/** The expressions that SELECTs and their windows sort rows by. Groups are in no order before they are sorted. */
export function sortsIn(node: TreeNode, isOfGroups = false): readonly TreeNode[] {
  const isGrouped = node.kind === 'QUERY' ? hasPart(node, 'GROUP BY') : isOfGroups;
  const isSorted = !isGrouped && /^(?:QUERY|WINDOW)$/.test(node.kind);
  const own = isSorted ? SORTS.flatMap((part) => partOf(node, part)) : [];
  return [...own, ...node.children.flatMap((child) => sortsIn(child, isGrouped))];
}

const CONDITIONS = ['WHERE', 'PREWHERE', 'HAVING', 'QUALIFY', 'JOIN EXPRESSION'] as const;

/** The conditions of all SELECTs and joins. The engine moves them to where their columns come from. */
export function conditionsIn(root: TreeNode): readonly TreeNode[] {
  return nodesIn(root).flatMap((node) => CONDITIONS.flatMap((part) => partOf(node, part)));
}

/** Types that the engine finds inexactly by conditions in which columns are not compared with values. */
export const CONVERTED = /Date|Decimal|FixedString/;

const COMPARISON =
  /^(?:(?:global)?(?:not)?(?:null)?in(?:ignoreset)?|equals|notequals|(?:less|greater)(?:orequals)?|(?:not)?i?like|match|startswith(?:utf8)?|has)$/i;

/** Both sides of a comparison of a value with another one or with those of a set; null for any other node. */
export function comparedSides(node: TreeNode): readonly [TreeNode, TreeNode] | null {
  const [left, right] = argumentsOf(node);
  if (left === undefined || right === undefined) return null;
  return COMPARISON.test(attributeOf(node, 'function_name')) ? [left, right] : null;
}

const LONG = /^(?:Date32|DateTime64)$/;
const SHORT = /^Date(?:Time)?$/;
/** Functions to seconds that may not hold those of the last days. */
const SECONDS = /^to(?:UnixTimestamp|Relative(?:Second|Minute)Num)$/i;
/** Functions to numbers that may not hold all times; `toYear` and the like do. */
const COUNTED = /^to(?:Relative|U?Int|UnixTimestamp|(?:Year|Month)NumSinceEpoch)/i;
/** Functions to times of which those near the ends of the type have none. */
const FINE = /^toStartOf(?:Second|Millisecond|Microsecond|Nanosecond)$/i;
const CAST = /^_?cast$|^accurateCast|^toDateTime64/i;
/** Functions whose result may be beyond the first or the last time of the type. */
const BEYOND_ENDS = /^(?:toLastDayOf(?:Month|Week)|plus|minus|(?:add|subtract)[A-Z])/i;

/** Functions whose results come round again, which the engine knows for others. */
const PERIODIC: readonly (readonly [name: RegExp, from: RegExp])[] = [
  [/^to(?:Milli|Micro|Nano)second$/i, /^DateTime/],
  [/^to(?:Hour|Minute|Second)$/i, /^DateTime64$/],
];

/** Functions that give what a clock shows, which comes twice in an hour that clocks repeat. */
const CLOCK = /^(?:toYYYYMMDDhhmmss|toString|_?cast|accurateCast)$/i;
/**
 * Functions that the engine takes for ordered although they are not for an argument of these types. A cast counts as the
 * function to its type.
 */
const WRONGLY_ORDERED: readonly (readonly [name: RegExp, from: RegExp, place?: number])[] = [
  [/^negate$/i, /^Int/],
  [/^toBool$/i, /^U?Int/],
  [/^(?:divide|intDiv(?:OrZero)?)$/i, /^Int/, 1],
  [/^(?:divide|intDiv|minus)$/i, /^IPv/],
];
const ROUNDING = /^(?:floor|ceil|ceiling|round|roundBankers|trunc|truncate)$/i;
/** Functions to times of numbers, of which a time may be beyond the last one of its type. */
const TO_TIME = /^(?:to|from|make|plus|minus|add|subtract|date)/i;
/** Those of which every number is a time. */
const WHOLE_TYPES: readonly (readonly [name: RegExp, from: RegExp])[] = [
  [/^toDateTime$/i, /^UInt(?:8|16|32)$/],
  [/^toDate$/i, /^UInt(?:8|16)$/],
];

/** Whether it is a function of which the engine is wrong about the order of its results, in conditions as well as in ORDER BY. */
export function isMisordered(node: TreeNode): boolean {
  if (node.kind !== 'FUNCTION') return false;
  const to = nameOf(node);
  const written = attributeOf(node, 'function_name');
  const name = CAST.test(written) ? `to${to}` : written;
  const all = argumentsOf(node);
  const [, second] = all;
  return all.some((argument, at) => {
    const from = nameOf(argument);
    if (at === 0 && /^U?Int/.test(from)) {
      // By the identity, and by a positive number, the order is kept.
      if (ROUNDING.test(name) && second !== undefined && !isAtLeast(second, 0)) return true;
      if (/^intDiv/i.test(name) && !isAtLeast(second, 1)) return true;
    }
    const isWrong = WRONGLY_ORDERED.some(
      ([one, type, place = at]) => place === at && one.test(name) && type.test(from),
    );
    return (isWrong || isOfNumbers(name, to, from)) && nodesIn(argument).some(isColumn);
  });
}

function isOfNumbers(name: string, to: string, from: string): boolean {
  if (!to.startsWith('Date') || !/^(?:U?Int|Interval|Enum)/.test(from) || !TO_TIME.test(name))
    return false;
  return !WHOLE_TYPES.some(([one, type]) => one.test(name) && type.test(from));
}

/** Whether it is a number in the text itself, rather than the value of a variable, and not less. */
function isAtLeast(node: TreeNode | undefined, least: number): boolean {
  if (node === undefined || node.children.length > 0) return false;
  const value = numberOf(node);
  return Number.isFinite(value) && value >= least;
}

const isColumn = ({ kind }: TreeNode) => kind === 'COLUMN';

/** Whether a function changes the order of the values that it is applied to. */
export function mayReorder(node: TreeNode): boolean {
  if (node.kind !== 'FUNCTION') return false;
  if (isMisordered(node)) return true;
  const to = nameOf(node);
  const name = attributeOf(node, 'function_name');
  const all = argumentsOf(node);
  const [first, second] = all;
  if (first === undefined) return false;
  if (isPeriodic(node, first)) return true;
  if (/^(?:floor|ceil)/i.test(name) && nameOf(first).startsWith('Decimal'))
    return second !== undefined && !isAtLeast(second, 0);
  return all.some((argument) => {
    const from = nameOf(argument);
    const isClock = CLOCK.test(name) && from.startsWith('DateTime') && !to.startsWith('Date');
    if (isClock && isOfOtherZone(node, argument)) return true;
    const isDate = from === 'Date' && (to === 'DateTime' || SECONDS.test(name));
    if (SHORT.test(from)) return isDate || movesBeyond(name, to);
    if (!LONG.test(from)) return false;
    const isCast = CAST.test(name) && /^(?:U?Int|DateTime64)/.test(to);
    const isBeyond = FINE.test(name) || movesBeyond(name, to);
    return SHORT.test(to) || COUNTED.test(name) || isCast || isBeyond;
  });
}

/** The second argument of `toDayOfWeek` may make it begin with 0. Clocks of some time zones are put back by half an hour. */
function isPeriodic(node: TreeNode, time: TreeNode): boolean {
  const name = attributeOf(node, 'function_name');
  const from = nameOf(time);
  if (/^toDayOfWeek$/i.test(name)) return argumentsOf(node).length > 1;
  if (/^toMinute$/i.test(name) && from === 'DateTime' && isOfOtherZone(node, time)) return true;
  return PERIODIC.some(([one, type]) => one.test(name) && type.test(from));
}

/** The tree may escape the quotes. */
const ZONED = /DateTime(?:64)?\((?:\d+, ?)?\\?'(?!UTC\\?'\))/;

/** Whether the clock may be one that is put back. Columns without a time zone are in UTC. */
function isOfOtherZone(call: TreeNode, time: TreeNode): boolean {
  const [, zone] = attributeOf(call, 'function_name').startsWith('to') ? argumentsOf(call) : [];
  return zone === undefined ? ZONED.test(typeOf(time)) : stringOf(zone) !== 'UTC';
}

function movesBeyond(name: string, to: string): boolean {
  return BEYOND_ENDS.test(name) && to.startsWith('Date');
}

const nameOf = (node: TreeNode) => bareTypeOf(node).name;
