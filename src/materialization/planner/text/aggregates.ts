/** Aggregate functions: which of them can be put together from parts, and how. */
import type { CatalogFunction } from '../../../sql/sql-analysis.ts';
import { refuse } from '../refusal.ts';
import {
  closingBracketOf,
  isKeyword,
  isName,
  nameOf,
  splitList,
  type Tokens,
  textOf,
} from './tokens.ts';

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
export function openAggregateNames(catalog: readonly CatalogFunction[]): AggregateNames {
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
  /** Where it stands in the tokens: from the name to behind the last bracket. */
  readonly start: number;
  readonly end: number;
  readonly tokens: Tokens;
  readonly name: AggregateName;
  /** As they are written: `0.9` of `quantileExact(0.9)(x)`; empty when there are none. */
  readonly params: string;
  readonly args: string;
  /** Followed by OVER: computed over a window, not over a group. */
  readonly isWindow: boolean;
}

/** The outermost calls of aggregate functions outside of subqueries, those over windows included. */
export function aggregateCalls(tokens: Tokens, names: AggregateNames): readonly AggregateCall[] {
  const calls: AggregateCall[] = [];
  for (let at = 0; at < tokens.length; at += 1) {
    const token = tokens[at];
    if (token?.text === '(' && isKeyword(tokens[at + 1], 'SELECT', 'WITH')) {
      at = closingBracketOf(tokens, at);
      continue;
    }
    if (!isName(token) || tokens[at + 1]?.text !== '(') continue;
    const name = names(nameOf(token));
    if (name === null) continue;
    const first = closingBracketOf(tokens, at + 1);
    const hasParams = tokens[first + 1]?.text === '(';
    const last = hasParams ? closingBracketOf(tokens, first + 1) : first;
    const inner = textOf(tokens.slice(at + 2, first));
    const isWindow = tokens[last + 1]?.text === 'OVER';
    calls.push({
      start: at,
      end: last + 1,
      tokens: tokens.slice(at, last + 1),
      name,
      isWindow,
      params: hasParams ? inner : '',
      args: hasParams ? textOf(tokens.slice(first + 2, last)) : inner,
    });
    at = last;
  }
  return calls;
}

/** How one aggregate is kept and put together. */
export interface StoredAggregate {
  /** The text of the call. */
  readonly text: string;
  /** What the stored table computes. */
  readonly stored: string;
  /** What the read computes over a stored column. */
  readonly mergeCall: (column: string) => string;
  readonly call: AggregateCall;
}

/** Its parts are results themselves: a count of counts is their sum. */
const mergeFunction: ReadonlyMap<string, string> = new Map([
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
const distinctCounts = new Set([
  'uniq',
  'uniqExact',
  'uniqCombined',
  'uniqCombined64',
  'uniqHLL12',
]);
const arrayAggregates = new Set(['groupArray', 'groupUniqArray']);
const acceptedCombinators = new Set(['If', 'Array']);

/**
 * How to keep the call in parts that give the same result put together, in any order and number. Throws
 * Refusal for an aggregate that cannot, or whose result depends on the order of the rows.
 */
export function toStoredAggregate(
  call: AggregateCall,
  name: AggregateName = call.name,
): StoredAggregate {
  const [first, ...others] = name.combinators;
  if (name.base === 'count' && first === 'Distinct') {
    return toStoredAggregate(call, { base: 'uniqExact', combinators: others });
  }
  const key = textOf(call.tokens);
  requireMergeable(key, name);
  const suffix = name.combinators.join('');
  const merge = mergeFunction.get(name.base);
  const isPlain = suffix === '' || (suffix === 'If' && neutralWhenEmpty.has(name.base));
  if (merge !== undefined && isPlain) {
    return { text: key, stored: key, mergeCall: (column) => `${merge}(${column})`, call };
  }
  const params = call.params === '' ? '' : `(${call.params})`;
  return {
    text: key,
    stored: `${name.base}${suffix}State${params}(${call.args})`,
    mergeCall: (column) => `${name.base}${suffix}Merge${params}(${column})`,
    call,
  };
}

function requireMergeable(key: string, { base, combinators }: AggregateName): void {
  const isKnown =
    mergeFunction.has(base) ||
    mergeable.has(base) ||
    distinctCounts.has(base) ||
    arrayAggregates.has(base) ||
    QUANTILE.test(base);
  if (!isKnown || combinators.some((name) => !acceptedCombinators.has(name))) {
    refuse(
      `The aggregate ${key} cannot be put together from parts exactly; use count, sum, min, max, avg, uniq, uniqExact, quantileExact, argMin, argMax, or arraySort(groupArray(…)).`,
    );
  }
}

/** Throws Refusal when the aggregate's result depends on the order in which rows are added up. */
export function requireOrderInsensitive(
  { text: key, call }: StoredAggregate,
  storedType: string,
): void {
  const addsUp = new Set(['sum', 'avg', 'sumCount', ...arrayAggregates]);
  if (addsUp.has(call.name.base) && /\b(B?Float\d+)\b/.test(storedType)) {
    refuse(
      `The result of ${key} over floating point numbers depends on the order of the rows; convert them, as in sum(toDecimal64(x, 4)).`,
    );
  }
}

const orderInsensitive = new Set(['arraysort', 'arrayreversesort', 'length', 'arrayuniq']);

/** Throws Refusal for an array of rows' values that is not sorted: its order is not the query's to say. */
export function requireSorted(tokens: Tokens, call: AggregateCall): void {
  if (!arrayAggregates.has(call.name.base)) return;
  const wrapper = tokens[call.start - 2];
  const isWrapped = tokens[call.start - 1]?.text === '(' && tokens[call.end]?.text === ')';
  const isSorted =
    isWrapped && wrapper !== undefined && orderInsensitive.has(nameOf(wrapper).toLowerCase());
  if (isSorted && call.params === '' && splitList(call.tokens).length > 0) return;
  refuse(
    `The order of the values in ${textOf(call.tokens)} is not fixed; write arraySort(${textOf(call.tokens)}).`,
  );
}
