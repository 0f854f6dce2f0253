/** What a query may not hold for its stored table to be exact, read off the engine's own understanding of it. */
import type { CatalogFunction } from '../../../sql/sql-analysis.ts';
import { isKeyable } from '../column-types.ts';
import { refuse } from '../refusal.ts';
import type { AggregateNames } from '../text/aggregates.ts';
import { isMovingName, isUnsteadyName } from '../text/determinism.ts';
import { isAggregate, isWindow } from './canonical-functions.ts';
import { hasPart, replaced, type Term, termsOf, toTerm, walk } from './canonical-node.ts';
import { requireOrderFreeTerms } from './order-sensitivity.ts';
import {
  aggregatesOf,
  type Composed,
  groupingTerms,
  movedThrough,
  ownTerms,
} from './plan-equivalence.ts';

interface Known {
  readonly names: AggregateNames;
  readonly catalog: readonly CatalogFunction[];
}

/** Throws Refusal for what makes a result another one each time, in any query, with variables or without. */
export function requireSteadyTerms(original: Term, { names, catalog }: Known): void {
  const unsteady = new Set(
    catalog
      .filter(({ name, isDeterministic }) => isUnsteadyName(name, isDeterministic))
      .map(lowered),
  );
  requireSteady(
    original,
    '',
    (name) => unsteady.has(name.toLowerCase()) || isUnsteadyName(name, null),
  );
  requireOrderFreeTerms(original, names);
  requireOrderedCuts(original);
  for (const term of walk(original)) requireOrderedWindow(term);
}

/** EXISTS asks for any row, and the engine makes a LIMIT of that. */
function requireOrderedCuts(original: Term): void {
  const anyRow = new Set<Term>([original]);
  for (const term of walk(original)) {
    if (term.kind === 'FUNCTION' && term.name === 'exists') {
      for (const query of termsOf(term, 'ARGUMENTS')) anyRow.add(query);
    }
    const isFree = anyRow.has(term) || hasPart(term, 'ORDER BY') || isOneRow(term);
    if (term.kind !== 'QUERY' || !isCut(term) || isFree) continue;
    refuse(
      'A subquery with LIMIT but without ORDER BY takes any rows; add an ORDER BY so that it takes the same each time.',
    );
  }
}

const lowered = ({ name }: CatalogFunction) => name.toLowerCase();

function isCut(query: Term): boolean {
  return ['LIMIT', 'OFFSET', 'LIMIT BY'].some((part) => hasPart(query, part));
}

function isOneRow(query: Term): boolean {
  return !hasPart(query, 'GROUP BY') && aggregatesOf(query).length > 0;
}

/** @param part of the innermost query around. */
function requireSteady(term: Term, part: string, isUnsteady: (name: string) => boolean): void {
  if (term.kind === 'FUNCTION' && !isAggregate(term) && !isWindow(term)) {
    if (isMovingName(term.name)) {
      if (part !== 'WHERE' && part !== 'PREWHERE') {
        refuse(
          `The function ${term.name} is used outside of WHERE, where its value would stand still between syncs; use it in WHERE only, or return the time from your own code.`,
        );
      }
    } else if (isUnsteady(term.name)) {
      refuse(
        `The function ${term.name} gives another result each time; a stored result would not be the query’s. Leave it out.`,
      );
    }
  }
  for (const arg of term.args) {
    const isOfQuery = term.kind === 'QUERY' && arg.kind === 'part';
    requireSteady(arg, isOfQuery ? arg.name : part, isUnsteady);
  }
}

const ordered = new Set(
  (
    'row_number lag lead lagInFrame leadInFrame ntile any anyLast any_respect_nulls anyLast_respect_nulls nth_value ' +
    'nonNegativeDerivative groupArray'
  ).split(' '),
);

function requireOrderedWindow(term: Term): void {
  if (!isWindow(term) || !ordered.has(term.name)) return;
  if (termsOf(term, 'WINDOW').some((window) => hasPart(window, 'ORDER BY'))) return;
  refuse(
    `The window of ${term.name} has no ORDER BY, so that any row may be the first; write one into it.`,
  );
}

/** Throws Refusal for what rows that the variables leave out would change. */
export function requireIndependentTerms(
  original: Term,
  { inner, columns, isMerging }: Composed,
  single: ReadonlySet<string>,
): void {
  requireEveryMatch(original);
  const compared = [...columns].filter(([name]) => name.startsWith('__v'));
  for (const [, term] of compared) requirePlainNumbers(term);
  for (const term of ownTerms(inner)) {
    if (isWindow(term))
      requirePartition(
        term,
        compared.map(([, { key }]) => key),
      );
    if (term.kind === 'FUNCTION' && /^(arrayJoin|unnest)$/i.test(term.name)) {
      refuse(
        'The function arrayJoin cannot be materialized with variables; use an ARRAY JOIN clause.',
      );
    }
  }
  for (const query of [original, ...movedThrough(inner)]) requireNoZeros(query);
  if (isMerging) requireOwnKeys(original);
  const isGrouped = aggregatesOf(inner).length > 0 || hasPart(inner, 'GROUP BY');
  if (isMerging || !isGrouped) return;
  const keys = termsOf(original, 'GROUP BY')
    .flatMap(groupingTerms)
    .filter(({ type }) => isKeyable(type));
  const isWhole = compared.every(([name, term]) => single.has(name) || followsFrom(term, keys));
  if (termsOf(original, 'GROUP BY').length === 0 || !isWhole) {
    refuse(
      'The variables may choose some rows of a group and not others, and the names in this query hide which; give every expression a name of its own.',
    );
  }
}

/**
 * The engine groups by `x` where a query groups by `toString(x)`, which it takes for as fine. It is not for the several
 * NaNs, nor for the hour that a time zone has twice: inline these are two groups, and one when a read groups texts.
 */
function requireOwnKeys(original: Term): void {
  for (const key of termsOf(original, 'GROUP BY').flatMap((one) => [...walk(one)])) {
    const isText = /^(toString|_?CAST)$/i.test(key.name) && /String/.test(key.type);
    const odd = termsOf(key, 'ARGUMENTS').find(({ type }) => /Float|DateTime(64)?\(.*'/.test(type));
    if (!isText || odd === undefined) continue;
    refuse(
      'Floating point numbers or times with a time zone are grouped by their texts, of which several values may have the same; group by the values.',
    );
  }
}

/** Whether an expression uses nothing but the keys. */
function followsFrom(term: Term, keys: readonly Term[]): boolean {
  const known = new Set(keys.map(({ key }) => key));
  const nothing = toTerm({ kind: 'CONSTANT', name: '', detail: '', type: '', args: [] });
  const rest = replaced(term, (inner) => (known.has(inner.key) ? nothing : null));
  return ![...walk(rest)].some(
    ({ kind, detail }) => kind === 'QUERY' || (kind === 'COLUMN' && !detail.startsWith('lambda')),
  );
}

function requirePlainNumbers({ type }: Term): void {
  if (!/^(Tuple|Array|Map|Nested|Variant|Dynamic|JSON|Object|Nullable\(Tuple).*Float/.test(type))
    return;
  refuse(
    'A variable is compared with a tuple or an array of floating point numbers, among which 0, -0 and NaN count as equal in one place and not in another; compare each number on its own.',
  );
}

function requireEveryMatch(original: Term): void {
  for (const { kind, detail } of walk(original)) {
    if (kind !== 'JOIN' || (/strictness: ALL\b/.test(detail) && !/kind: PASTE/.test(detail)))
      continue;
    refuse(
      'A JOIN that takes any one match cannot be materialized with variables; use a JOIN that takes every match.',
    );
  }
}

function requirePartition(call: Term, compared: readonly string[]): void {
  const [window] = termsOf(call, 'WINDOW');
  const partition = new Set(
    (window === undefined ? [] : termsOf(window, 'PARTITION BY')).map(({ key }) => key),
  );
  if (compared.every((key) => partition.has(key))) return;
  refuse(
    `The window of ${call.name} looks at rows that the variables leave out; write what they are compared with into its PARTITION BY.`,
  );
}

const choosing = /^(min|max|argMin|argMax|quantiles?Exact\w*)$/;

/** Of 0 and -0, which count as equal, these take the one that comes first. */
function requireNoZeros(original: Term): void {
  for (const term of ownTerms(original)) {
    if (!isAggregate(term) && !isWindow(term)) continue;
    const [chosen] = termsOf(term, 'ARGUMENTS');
    requireNoInnerNulls(term);
    if (chosen === undefined || !choosing.test(term.name.replace(/(If|Array)*$/, ''))) continue;
    if (!/Float/.test(chosen.type) || term.name.startsWith('arg') || hasNoZeros(chosen)) continue;
    refuse(
      `The result of ${term.name} over floating point numbers may be 0 or -0 depending on the order of the rows; add 0, as in ${term.name}(x + 0), or convert them, as in toDecimal64(x, 4).`,
    );
  }
}

/** Where NULL stands among tuples is one thing while rows are added, and another when parts are put together. */
function requireNoInnerNulls(term: Term): void {
  const base = term.name.replace(/(If|Array)*$/, '');
  const compared = base.startsWith('arg') ? 1 : 0;
  const type = termsOf(term, 'ARGUMENTS')[compared]?.type ?? '';
  if (
    !/^(arg)?(min|max)$/i.test(base) ||
    !/^(Tuple|Array|Map|Variant).*(Nullable|Float)/.test(type)
  )
    return;
  refuse(
    `The result of ${term.name} over tuples or arrays that may hold NULL or floating point numbers depends on the order of the rows; leave these out of what it compares.`,
  );
}

/** -0 + 0 is 0. */
function hasNoZeros(term: Term): boolean {
  const [left, right] = termsOf(term, 'ARGUMENTS');
  const isZero = (side: Term | undefined) =>
    side?.kind === 'CONSTANT' && /^constant_value: U?Int64_0,/.test(side.detail);
  const isSum = term.name === 'plus' && (isZero(left) || isZero(right));
  return isSum && /^(Nullable\()?Float\d+\)?$/.test(term.type);
}
