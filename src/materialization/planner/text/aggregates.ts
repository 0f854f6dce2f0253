/** Aggregate functions: which of them can be put together from parts, and how. */
import type { CatalogFunction } from '../../../sql/sql-analysis.ts';
import { refuse } from '../refusal.ts';
import { closeOf, isName, isWord, nameOf, type Span, splitList, textOf } from './tokens.ts';

/** An aggregate function's name, taken apart. */
export interface AggregateName {
  /** The function's own name, never another one for it: `quantileExact` for `medianExact`. */
  readonly base: string;
  /** `If`, `Array` … in the order they are written. */
  readonly combinators: readonly string[];
}

const combinatorNames = (
  'If Array Distinct OrNull OrDefault ForEach Map Resample ArgMin ArgMax SimpleState State Merge ' +
  'Null Tuple'
).split(' ');

export type AggregateNames = (name: string) => AggregateName | null;

/** Reads names as the engine does: other names, other case, combinators. Null for what is no aggregate. */
export function aggregateNames(catalog: readonly CatalogFunction[]): AggregateNames {
  const exact = new Map<string, string>();
  const anyCase = new Map<string, string>();
  for (const { name, isAggregate, isCaseInsensitive, aliasTo } of catalog) {
    if (!isAggregate) continue;
    const base = aliasTo === '' ? name : aliasTo;
    exact.set(name, base);
    if (isCaseInsensitive || aliasTo !== '') anyCase.set(name.toLowerCase(), base);
  }
  const read = (name: string): AggregateName | null => {
    const base = exact.get(name) ?? anyCase.get(name.toLowerCase());
    if (base !== undefined) return { base, combinators: [] };
    for (const suffix of combinatorNames) {
      if (!name.endsWith(suffix)) continue;
      const inner = read(name.slice(0, -suffix.length));
      if (inner !== null) return { ...inner, combinators: [...inner.combinators, suffix] };
    }
    return null;
  };
  return read;
}

export interface AggregateCall {
  /** Where it stands in the span: from the name to behind the last bracket. */
  readonly start: number;
  readonly end: number;
  readonly span: Span;
  readonly name: AggregateName;
  /** As they are written: `0.9` of `quantileExact(0.9)(x)`; empty when there are none. */
  readonly params: string;
  readonly args: string;
  /** Followed by OVER: computed over a window, not over a group. */
  readonly isWindow: boolean;
}

/** The outermost calls of aggregate functions outside of subqueries, those over windows included. */
export function aggregatesIn(span: Span, names: AggregateNames): readonly AggregateCall[] {
  const calls: AggregateCall[] = [];
  for (let at = 0; at < span.length; at += 1) {
    const token = span[at];
    if (token?.text === '(' && isWord(span[at + 1], 'SELECT', 'WITH')) {
      at = closeOf(span, at);
      continue;
    }
    if (!isName(token) || span[at + 1]?.text !== '(') continue;
    const name = names(nameOf(token));
    if (name === null) continue;
    const first = closeOf(span, at + 1);
    const hasParams = span[first + 1]?.text === '(';
    const last = hasParams ? closeOf(span, first + 1) : first;
    const inner = textOf(span.slice(at + 2, first));
    const isWindow = span[last + 1]?.text === 'OVER';
    calls.push({
      start: at,
      end: last + 1,
      span: span.slice(at, last + 1),
      name,
      isWindow,
      params: hasParams ? inner : '',
      args: hasParams ? textOf(span.slice(first + 2, last)) : inner,
    });
    at = last;
  }
  return calls;
}

/** How one aggregate is kept and put together. */
export interface StoredAggregate {
  /** The text of the call. */
  readonly key: string;
  /** What the stored table computes. */
  readonly stored: string;
  /** What the read computes over a stored column. */
  readonly merged: (column: string) => string;
  readonly call: AggregateCall;
}

/** Its parts are results themselves: a count of counts is their sum. */
const recombined: ReadonlyMap<string, string> = new Map([
  ['count', 'sum'],
  ['sum', 'sum'],
  ['min', 'min'],
  ['max', 'max'],
  ['groupBitAnd', 'groupBitAnd'],
  ['groupBitOr', 'groupBitOr'],
  ['groupBitXor', 'groupBitXor'],
]);

/** A part of no rows must be the neutral value for these to be put together under -If. */
const neutralWhenEmpty = new Set(['count', 'sum', 'groupBitOr', 'groupBitXor']);

const QUANTILE = /^quantiles?Exact(Low|High|Exclusive|Inclusive)?$/;
const mergeable = new Set(['count', 'sum', 'min', 'max', 'avg', 'argMin', 'argMax', 'sumCount']);
const counting = new Set(['uniq', 'uniqExact', 'uniqCombined', 'uniqCombined64', 'uniqHLL12']);
const gathering = new Set(['groupArray', 'groupUniqArray']);
const accepted = new Set(['If', 'Array']);

/**
 * How to keep the call in parts that give the same result put together, in any order and number. Throws
 * Refusal for an aggregate that cannot, or whose result depends on the order of the rows.
 */
export function toStored(call: AggregateCall, name: AggregateName = call.name): StoredAggregate {
  const [first, ...others] = name.combinators;
  if (name.base === 'count' && first === 'Distinct') {
    return toStored(call, { base: 'uniqExact', combinators: others });
  }
  const key = textOf(call.span);
  requireMergeable(key, name);
  const suffix = name.combinators.join('');
  const merge = recombined.get(name.base);
  const isPlain = suffix === '' || (suffix === 'If' && neutralWhenEmpty.has(name.base));
  if (merge !== undefined && isPlain) {
    return { key, stored: key, merged: (column) => `${merge}(${column})`, call };
  }
  const params = call.params === '' ? '' : `(${call.params})`;
  return {
    key,
    stored: `${name.base}${suffix}State${params}(${call.args})`,
    merged: (column) => `${name.base}${suffix}Merge${params}(${column})`,
    call,
  };
}

function requireMergeable(key: string, { base, combinators }: AggregateName): void {
  const isKnown =
    recombined.has(base) ||
    mergeable.has(base) ||
    counting.has(base) ||
    gathering.has(base) ||
    QUANTILE.test(base);
  if (!isKnown || combinators.some((name) => !accepted.has(name))) {
    refuse(
      `The aggregate ${key} cannot be put together from parts exactly; use count, sum, min, max, avg, uniq, uniqExact, quantileExact, argMin, argMax, or arraySort(groupArray(…)).`,
    );
  }
}

/** Throws Refusal when the aggregate's result depends on the order in which rows are added up. */
export function requireOrderFree({ key, call }: StoredAggregate, storedType: string): void {
  const addsUp = new Set(['sum', 'avg', 'sumCount', ...gathering]);
  if (addsUp.has(call.name.base) && /\b(B?Float\d+)\b/.test(storedType)) {
    refuse(
      `The result of ${key} over floating point numbers depends on the order of the rows; convert them, as in sum(toDecimal64(x, 4)).`,
    );
  }
}

const sorting = new Set(['arraysort', 'arrayreversesort', 'length', 'arrayuniq']);

/** Throws Refusal for an array of rows' values that is not sorted: its order is not the query's to say. */
export function requireSorted(span: Span, call: AggregateCall): void {
  if (!gathering.has(call.name.base)) return;
  const wrapper = span[call.start - 2];
  const isWrapped = span[call.start - 1]?.text === '(' && span[call.end]?.text === ')';
  const isSorted = isWrapped && wrapper !== undefined && sorting.has(nameOf(wrapper).toLowerCase());
  if (isSorted && call.params === '' && splitList(call.span).length > 0) return;
  refuse(
    `The order of the values in ${textOf(call.span)} is not fixed; write arraySort(${textOf(call.span)}).`,
  );
}
