/** What a query may not hold for its stored table to be exact, read off the engine's own understanding of it. */
import type { CatalogFunction } from '../../../sql/sql-analysis.ts';
import { isSortable } from '../column-types.ts';
import { refuse } from '../refusal.ts';
import type { AggregateNames } from '../text/aggregates.ts';
import { isNonDeterministic, isTimeFunction } from '../text/determinism.ts';
import { isAggregate, isWindow } from './canonical-functions.ts';
import { hasPart, type Node, partOf, replaceNodes, toNode, walk } from './canonical-node.ts';
import { requireOrderInsensitiveAggregates } from './order-sensitivity.ts';
import {
  aggregatesOf,
  groupingNodes,
  ownNodes,
  pulledUpThrough,
  type SubstitutedRead,
} from './plan-equivalence.ts';

interface Functions {
  readonly names: AggregateNames;
  readonly catalog: readonly CatalogFunction[];
}

/** Throws Refusal for what makes a result another one each time, in any query, with variables or without. */
export function requireRepeatable(original: Node, { names, catalog }: Functions): void {
  const unsteady = new Set(
    catalog
      .filter(({ name, isDeterministic }) => isNonDeterministic(name, isDeterministic))
      .map(lowered),
  );
  requireDeterministicFunctions(
    original,
    '',
    (name) => unsteady.has(name.toLowerCase()) || isNonDeterministic(name, null),
  );
  requireOrderInsensitiveAggregates(original, names);
  requireOrderedLimits(original);
  for (const node of walk(original)) requireOrderedWindow(node);
}

/** EXISTS asks for any row, and the engine makes a LIMIT of that. */
function requireOrderedLimits(original: Node): void {
  const anyRow = new Set<Node>([original]);
  for (const node of walk(original)) {
    if (node.kind === 'FUNCTION' && node.name === 'exists') {
      for (const query of partOf(node, 'ARGUMENTS')) anyRow.add(query);
    }
    const isFree = anyRow.has(node) || hasPart(node, 'ORDER BY') || isOneRow(node);
    if (node.kind !== 'QUERY' || !isLimited(node) || isFree) continue;
    refuse(
      'A subquery with LIMIT but without ORDER BY takes any rows; add an ORDER BY so that it takes the same each time.',
    );
  }
}

const lowered = ({ name }: CatalogFunction) => name.toLowerCase();

function isLimited(query: Node): boolean {
  return ['LIMIT', 'OFFSET', 'LIMIT BY'].some((part) => hasPart(query, part));
}

function isOneRow(query: Node): boolean {
  return !hasPart(query, 'GROUP BY') && aggregatesOf(query).length > 0;
}

/** @param part of the innermost query around. */
function requireDeterministicFunctions(
  node: Node,
  part: string,
  isUnsteady: (name: string) => boolean,
): void {
  if (node.kind === 'FUNCTION' && !isAggregate(node) && !isWindow(node)) {
    if (isTimeFunction(node.name)) {
      if (part !== 'WHERE' && part !== 'PREWHERE') {
        refuse(
          `The function ${node.name} is used outside of WHERE, where its value would stand still between syncs; use it in WHERE only, or return the time from your own code.`,
        );
      }
    } else if (isUnsteady(node.name)) {
      refuse(
        `The function ${node.name} gives another result each time; a stored result would not be the query’s. Leave it out.`,
      );
    }
  }
  for (const arg of node.args) {
    const isOfQuery = node.kind === 'QUERY' && arg.kind === 'part';
    requireDeterministicFunctions(arg, isOfQuery ? arg.name : part, isUnsteady);
  }
}

const orderedWindowFunctions = new Set(
  (
    'row_number lag lead lagInFrame leadInFrame ntile any anyLast any_respect_nulls anyLast_respect_nulls nth_value ' +
    'nonNegativeDerivative groupArray'
  ).split(' '),
);

function requireOrderedWindow(node: Node): void {
  if (!isWindow(node) || !orderedWindowFunctions.has(node.name)) return;
  if (partOf(node, 'WINDOW').some((window) => hasPart(window, 'ORDER BY'))) return;
  refuse(
    `The window of ${node.name} has no ORDER BY, so that any row may be the first; write one into it.`,
  );
}

/** Throws Refusal for what rows that the variables leave out would change. */
export function requireFilterSafe(
  original: Node,
  { inner, columns, isMerging }: SubstitutedRead,
  single: ReadonlySet<string>,
): void {
  requireEveryMatch(original);
  const compared = [...columns].filter(([name]) => name.startsWith('__v'));
  for (const [, node] of compared) requireNoNestedFloats(node);
  for (const node of ownNodes(inner)) {
    if (isWindow(node))
      requirePartition(
        node,
        compared.map(([, { key }]) => key),
      );
    if (node.kind === 'FUNCTION' && /^(arrayJoin|unnest)$/i.test(node.name)) {
      refuse(
        'The function arrayJoin cannot be materialized with variables; use an ARRAY JOIN clause.',
      );
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
 * The engine groups by `x` where a query groups by `toString(x)`, which it takes for as fine. It is not for the several
 * NaNs, nor for the hour that a time zone has twice: inline these are two groups, and one when a read groups texts.
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

/** Whether an expression uses nothing but the keys. */
function followsFrom(node: Node, keys: readonly Node[]): boolean {
  const known = new Set(keys.map(({ key }) => key));
  const nothing = toNode({ kind: 'CONSTANT', name: '', detail: '', type: '', args: [] });
  const rest = replaceNodes(node, (inner) => (known.has(inner.key) ? nothing : null));
  return ![...walk(rest)].some(
    ({ kind, detail }) => kind === 'QUERY' || (kind === 'COLUMN' && !detail.startsWith('lambda')),
  );
}

function requireNoNestedFloats({ type }: Node): void {
  if (!/^(Tuple|Array|Map|Nested|Variant|Dynamic|JSON|Object|Nullable\(Tuple).*Float/.test(type))
    return;
  refuse(
    'A variable is compared with a tuple or an array of floating point numbers, among which 0, -0 and NaN count as equal in one place and not in another; compare each number on its own.',
  );
}

function requireEveryMatch(original: Node): void {
  for (const { kind, detail } of walk(original)) {
    if (kind !== 'JOIN' || (/strictness: ALL\b/.test(detail) && !/kind: PASTE/.test(detail)))
      continue;
    refuse(
      'A JOIN that takes any one match cannot be materialized with variables; use a JOIN that takes every match.',
    );
  }
}

function requirePartition(call: Node, compared: readonly string[]): void {
  const [window] = partOf(call, 'WINDOW');
  const partition = new Set(
    (window === undefined ? [] : partOf(window, 'PARTITION BY')).map(({ key }) => key),
  );
  if (compared.every((key) => partition.has(key))) return;
  refuse(
    `The window of ${call.name} looks at rows that the variables leave out; write what they are compared with into its PARTITION BY.`,
  );
}

const choosesOne = /^(min|max|argMin|argMax|quantiles?Exact\w*)$/;

/** Of 0 and -0, which count as equal, these take the one that comes first. */
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

/** Where NULL stands among tuples is one thing while rows are added, and another when parts are put together. */
function requireComparable(node: Node): void {
  const base = node.name.replace(/(If|Array)*$/, '');
  const compared = base.startsWith('arg') ? 1 : 0;
  const type = partOf(node, 'ARGUMENTS')[compared]?.type ?? '';
  if (
    !/^(arg)?(min|max)$/i.test(base) ||
    !/^(Tuple|Array|Map|Variant).*(Nullable|Float)/.test(type)
  )
    return;
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
