/** Whether filtering stored rows by the variables gives the same result as filtering source rows. */
import { isSortable } from '../column-types.ts';
import { refuse, refuseClause } from '../refusal.ts';
import { arrayJoinReason } from '../text/supported-clauses.ts';
import {
  aggregatesOf,
  groupingNodes,
  isAggregate,
  isArrayJoin,
  isWindow,
  ownNodes,
} from './canonical-functions.ts';
import { hasPart, type Node, partOf, replaceNodes, toNode, walk } from './canonical-node.ts';
import { placedQueries } from './placed-queries.ts';
import type { SubstitutedRead } from './plan-equivalence.ts';
import { pulledUpThrough } from './push-down.ts';
import {
  argumentOf,
  guardedKeys,
  requireSignedZeroSafe,
  type ZeroChoice,
  zeroChoices,
} from './signed-zero.ts';
import { isSortedWithoutTies, readsSortedRows, sortsGroupsRead } from './total-order.ts';

/**
 * Throws Refusal if rows that the variables exclude could change the result.
 *
 * @param single stored columns for which every run chooses one value.
 */
export function requireFilterSafe(
  original: Node,
  { inner, columns, isMerging }: SubstitutedRead,
  single: ReadonlySet<string>,
): void {
  const compared = [...columns].filter(([name]) => name.startsWith('__v'));
  const comparedKeys = compared.map(([, { key }]) => key);
  for (const [name, node] of columns) {
    if (/^__[vd]/.test(name)) requireNoNestedFloats(node);
  }
  for (const node of ownNodes(inner)) {
    if (isWindow(node)) requirePartition(node, comparedKeys);
    if (isArrayJoin(node)) refuseClause(arrayJoinReason);
  }
  requireSignedZeroSafe({ query: original, depth: 0 }, guardedKeys(columns));
  pulledUpThrough(inner).forEach((query, at) => {
    requireSignedZeroSafe({ query, depth: at + 1 });
  });
  if (isMerging) requireSameGroups(original);
  const isGrouped = aggregatesOf(inner).length > 0 || hasPart(inner, 'GROUP BY');
  if (isMerging || !isGrouped) return;
  const keys = partOf(original, 'GROUP BY')
    .flatMap(groupingNodes)
    .filter(({ type }) => isSortable(type));
  const isWhole = compared.every(([name, node]) => single.has(name) || followsFrom(node, keys));
  if (partOf(original, 'GROUP BY').length === 0 || !isWhole) {
    refuse(
      'A run may take some rows of a group and leave out others, because a variable is compared with something else than GROUP BY lists; a name in this query stands for two things, so give every expression a name that no column has.',
    );
  }
}

/**
 * Throws Refusal if the order in which the engine reads the same rows could change the result.
 *
 * @returns what depends on the numbers that columns hold.
 */
export function requireOrderFree(original: Node): readonly ZeroChoice[] {
  const sorted = new Set(placedQueries(original).flatMap(({ query }) => arraysOfSortedRows(query)));
  for (const node of walk(original)) {
    if (isWindow(node)) requireNoFloatWindow(node);
    const isArray = isAggregate(node) && IN_ORDER.test(node.name);
    if (isArray && !sorted.has(node)) requireNoFloats(node);
  }
  for (const { query } of placedQueries(original)) {
    requireSelectedOrder(query);
    requireInterpolatedOrder(query);
  }
  return zeroChoicesWithin(original);
}

/** The same of its subqueries as well. Throws Refusal. */
export function zeroChoicesWithin(original: Node): readonly ZeroChoice[] {
  return placedQueries(original).flatMap(zeroChoices);
}

const takesOne =
  /^(min|max|any\w*|first_value\w*|last_value\w*|nth_value|lag\w*|lead\w*|percent_?rank|cume_dist)$/i;

function requireNoFloatWindow(call: Node): void {
  if (/Float/.test(call.type) && !takesOne.test(call.name) && !ADDS.test(call.name)) {
    refuse(
      `The result of ${call.name} over floating point numbers in a window depends on the order of the rows; convert them, as in toDecimal64(${argumentOf(call)}, 4).`,
    );
  }
  const partition = partOf(call, 'WINDOW').flatMap((window) => partOf(window, 'PARTITION BY'));
  if (!partition.some(({ type }) => /Float/.test(type))) return;
  refuse(
    'A window is partitioned by floating point numbers, among which 0, -0 and NaN may be in one partition or in several; convert them, as in toDecimal64(x, 4).',
  );
}

/** Row order only changes their last digits, which the query leaves undefined. */
const ADDS = /^(sum|avg|var|std|covar|corr|skew|kurt|entropy|simpleLinear|exponential)/i;
const IN_ORDER = /^group(Uniq)?Array|Test/i;

/** They compare no elements, and neither 0 and -0 nor NaNs change places. */
function arraysOfSortedRows(query: Node): readonly Node[] {
  if (!readsSortedRows(query)) return [];
  return ownNodes(query).filter((node) => isAggregate(node) && node.name === 'groupArray');
}

function requireNoFloats(call: Node): void {
  const isFloat = partOf(call, 'ARGUMENTS').some(({ type }) => /Float/.test(type));
  if (!isFloat) return;
  refuse(
    `The result of ${call.name} over floating point numbers depends on the order of the rows; convert them, as in toDecimal64(${argumentOf(call)}, 4).`,
  );
}

export const distinctReason =
  'SELECT DISTINCT is ordered by an expression that it does not select; select it too.';

/** DISTINCT keeps any of the rows with equal columns, and other columns may differ among them. */
function requireSelectedOrder(query: Node): void {
  const selected = partOf(query, 'PROJECTION');
  const sorted = partOf(query, 'ORDER BY').flatMap((node) => partOf(node, 'EXPRESSION'));
  const isDistinct = /is_distinct: 1/.test(query.detail);
  if (!isDistinct || sorted.every((node) => followsFrom(node, selected))) return;
  refuse(distinctReason);
}

/** INTERPOLATE continues the row before, which may be any of those that ORDER BY treats as equal. */
function requireInterpolatedOrder(query: Node): void {
  if (!hasPart(query, 'INTERPOLATE') || isSortedWithoutTies(query) || sortsGroupsRead(query))
    return;
  refuse(
    'INTERPOLATE continues one of the rows that ORDER BY treats as equal, and which one is open; group by the columns of ORDER BY, as in SELECT day, sum(amount) AS total … GROUP BY day ORDER BY day WITH FILL INTERPOLATE (total).',
  );
}

/** Throws Refusal if a query or subquery whose read merges stored groups may have other groups inline. */
export function requireSameGroupsWithin(original: Node): void {
  for (const { query } of placedQueries(original)) requireSameGroups(query);
}

function requireSameGroups(original: Node): void {
  requireKeysOfRows(original);
  requireDistinctTexts(original);
}

/**
 * The engine groups by `x` if a query groups by `toString(x)`. NaNs, and times in the hour a time zone repeats, are
 * different values with the same text: two groups inline, but one group when a read groups stored texts.
 */
function requireDistinctTexts(original: Node): void {
  for (const key of partOf(original, 'GROUP BY').flatMap((one) => [...walk(one)])) {
    const isText = /^(toString|_?CAST)$/i.test(key.name) && /String/.test(key.type);
    const odd = partOf(key, 'ARGUMENTS').find(({ type }) => /Float|DateTime(64)?\(.*'/.test(type));
    if (!isText || odd === undefined) continue;
    refuse(
      'Floating point numbers or times with a time zone are grouped by their texts, of which several values may have the same; group by the values.',
    );
  }
}

/** The engine leaves out `materialize(1)` as a key, and returns a row of no rows then; a read groups by a stored column. */
function requireKeysOfRows(original: Node): void {
  const keys = partOf(original, 'GROUP BY').flatMap((key) => [...walk(key)]);
  const isHidden = keys.some(({ name }) => name === 'materialize');
  if (!isHidden || keys.some(({ kind }) => kind === 'COLUMN' || kind === 'QUERY')) return;
  refuseClause('GROUP BY lists materialize of a constant; leave materialize out.');
}

/** Whether an expression is the same for equal keys: it uses no other columns, and no other rows. */
function followsFrom(node: Node, keys: readonly Node[]): boolean {
  const keySet = new Set(keys.map(({ key }) => key));
  const nothing = toNode({ kind: 'CONSTANT', name: '', detail: '', type: '', args: [] });
  const rest = replaceNodes(node, (inner) => (keySet.has(inner.key) ? nothing : null));
  const isOther = (inner: Node) =>
    inner.kind === 'QUERY' ||
    (inner.kind === 'COLUMN' && !inner.detail.startsWith('lambda')) ||
    isAggregate(inner) ||
    isWindow(inner) ||
    isArrayJoin(inner);
  return ![...walk(rest)].some(isOther);
}

function requireNoNestedFloats({ type }: Node): void {
  const nested = /^(Tuple|Array|Map|Nested|Variant|Dynamic|JSON|Object|Nullable\(Tuple).*Float/;
  if (!nested.test(type)) return;
  refuse(
    'A variable is compared with a tuple or an array of floating point numbers, among which 0, -0 and NaN count as equal in one place and not in another; compare each number on its own.',
  );
}

function requirePartition(call: Node, compared: readonly string[]): void {
  const [window] = partOf(call, 'WINDOW');
  const partition = window === undefined ? [] : partOf(window, 'PARTITION BY');
  if (compared.every((compare) => partition.some(({ key }) => key === compare))) return;
  refuse(
    `The window of ${call.name} looks at rows that the variables leave out; write what they are compared with into its PARTITION BY.`,
  );
}
