/** Whether filtering stored rows by the variables gives what filtering the source rows gives. */
import { isSortable } from '../column-types.ts';
import { refuse } from '../refusal.ts';
import { arrayJoinReason } from '../text/supported-clauses.ts';
import {
  aggregatesOf,
  groupingNodes,
  isAggregate,
  isWindow,
  ownNodes,
} from './canonical-functions.ts';
import { hasPart, type Node, partOf, replaceNodes, toNode, walk } from './canonical-node.ts';
import type { SubstitutedRead } from './plan-equivalence.ts';
import { pulledUpThrough } from './push-down.ts';

/**
 * Throws Refusal where rows that the variables leave out could change the result.
 *
 * @param single stored columns of which a run chooses one value each.
 */
export function requireFilterSafe(
  original: Node,
  { inner, columns, isMerging }: SubstitutedRead,
  single: ReadonlySet<string>,
): void {
  requireEveryMatch(original);
  const compared = [...columns].filter(([name]) => name.startsWith('__v'));
  const comparedKeys = compared.map(([, { key }]) => key);
  for (const [, node] of compared) requireNoNestedFloats(node);
  for (const node of ownNodes(inner)) {
    if (isWindow(node)) requirePartition(node, comparedKeys);
    if (node.kind === 'FUNCTION' && /^(arrayJoin|unnest)$/i.test(node.name)) {
      refuse(arrayJoinReason);
    }
  }
  for (const query of [original, ...pulledUpThrough(inner)]) requireSignedZeroSafe(query);
  if (isMerging) requireDistinctTexts(original);
  const isGrouped = aggregatesOf(inner).length > 0 || hasPart(inner, 'GROUP BY');
  if (isMerging || !isGrouped) return;
  const keys = partOf(original, 'GROUP BY')
    .flatMap(groupingNodes)
    .filter(({ type }) => isSortable(type));
  const isWhole = compared.every(([name, node]) => single.has(name) || followsFrom(node, keys));
  if (partOf(original, 'GROUP BY').length === 0 || !isWhole) {
    refuse(
      'The variables may choose some rows of a group and not others, and the names in this query hide which; give every expression a name of its own.',
    );
  }
}

/**
 * The engine groups by `x` where a query groups by `toString(x)`. The several NaNs, and the hour that a time zone has
 * twice, are different values with one text: two groups inline, but one when a read groups the stored texts.
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

/** Whether an expression uses no columns but the keys. */
function followsFrom(node: Node, keys: readonly Node[]): boolean {
  const keySet = new Set(keys.map(({ key }) => key));
  const nothing = toNode({ kind: 'CONSTANT', name: '', detail: '', type: '', args: [] });
  const rest = replaceNodes(node, (inner) => (keySet.has(inner.key) ? nothing : null));
  return ![...walk(rest)].some(
    ({ kind, detail }) => kind === 'QUERY' || (kind === 'COLUMN' && !detail.startsWith('lambda')),
  );
}

function requireNoNestedFloats({ type }: Node): void {
  const nested = /^(Tuple|Array|Map|Nested|Variant|Dynamic|JSON|Object|Nullable\(Tuple).*Float/;
  if (!nested.test(type)) return;
  refuse(
    'A variable is compared with a tuple or an array of floating point numbers, among which 0, -0 and NaN count as equal in one place and not in another; compare each number on its own.',
  );
}

function requireEveryMatch(original: Node): void {
  for (const { kind, detail } of walk(original)) {
    const isEvery = /strictness: ALL\b/.test(detail) && !/kind: PASTE/.test(detail);
    if (kind !== 'JOIN' || isEvery) continue;
    refuse(
      'A JOIN that takes any one match cannot be materialized with variables; use a JOIN that takes every match.',
    );
  }
}

function requirePartition(call: Node, compared: readonly string[]): void {
  const [window] = partOf(call, 'WINDOW');
  const partition = window === undefined ? [] : partOf(window, 'PARTITION BY');
  if (compared.every((compare) => partition.some(({ key }) => key === compare))) return;
  refuse(
    `The window of ${call.name} looks at rows that the variables leave out; write what they are compared with into its PARTITION BY.`,
  );
}

const choosesOne = /^(min|max|argMin|argMax|quantiles?Exact\w*)$/;

/** 0 and -0 compare as equal, so these functions return whichever comes first. */
function requireSignedZeroSafe(original: Node): void {
  for (const node of ownNodes(original)) {
    if (!isAggregate(node) && !isWindow(node)) continue;
    const [chosen] = partOf(node, 'ARGUMENTS');
    requireComparable(node);
    if (chosen === undefined || !choosesOne.test(node.name.replace(/(If|Array)*$/, ''))) continue;
    if (!/Float/.test(chosen.type) || node.name.startsWith('arg') || hasNoZeros(chosen)) continue;
    refuse(
      `The result of ${node.name} over floating point numbers may be 0 or -0 depending on the order of the rows; add 0, as in ${node.name}(x + 0), or convert them, as in toDecimal64(x, 4).`,
    );
  }
}

/** The engine orders NULL inside of tuples differently while it adds rows and while it merges states. */
function requireComparable(node: Node): void {
  const base = node.name.replace(/(If|Array)*$/, '');
  const compared = base.startsWith('arg') ? 1 : 0;
  const type = partOf(node, 'ARGUMENTS')[compared]?.type ?? '';
  const isNested = /^(Tuple|Array|Map|Variant).*(Nullable|Float)/.test(type);
  if (!isNested || !/^(arg)?(min|max)$/i.test(base)) return;
  refuse(
    `The result of ${node.name} over tuples or arrays that may hold NULL or floating point numbers depends on the order of the rows; leave these out of what it compares.`,
  );
}

/** -0 + 0 is 0. */
function hasNoZeros(node: Node): boolean {
  const [left, right] = partOf(node, 'ARGUMENTS');
  const isZero = (side: Node | undefined) =>
    side?.kind === 'CONSTANT' && /^constant_value: U?Int64_0,/.test(side.detail);
  const isSum = node.name === 'plus' && (isZero(left) || isZero(right));
  return isSum && /^(Nullable\()?Float\d+\)?$/.test(node.type);
}
