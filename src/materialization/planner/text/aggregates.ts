/** Which aggregate functions can be merged from partial results, and how. */
import type { CatalogFunction } from '../../../sql/sql-analysis.ts';
import { refuse, refuseClause } from '../refusal.ts';
import { levelsOf, mendOfStates } from './aggregate-mends.ts';
import { isExactForCheckedGroups, isSequence, withoutTies } from './checked-aggregates.ts';
import { splitCondition } from './conditional-aggregates.ts';
import {
  closingBracketOf,
  isKeyword,
  isName,
  nameOf,
  splitList,
  type Tokens,
  textOf,
} from './tokens.ts';

export interface AggregateName {
  /** With aliases resolved: `quantileExact` for `medianExact`. */
  readonly base: string;
  /** `If`, `Array` … in written order. */
  readonly combinators: readonly string[];
}

const combinatorNames = (
  'If Array Distinct OrNull OrDefault ForEach Map Resample ArgMin ArgMax SimpleState State Merge ' +
  'Null Tuple'
).split(' ');

export type AggregateNames = (name: string) => AggregateName | null;

/** Resolves aliases, case and combinators as the engine does; null for other functions. */
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
  /** Token range: the index of the name, and of the token after the last parenthesis. */
  readonly start: number;
  readonly end: number;
  readonly tokens: Tokens;
  readonly name: AggregateName;
  /** As written: `0.9` of `quantileExact(0.9)(x)`; empty if there are none. */
  readonly params: string;
  readonly args: string;
  /** Followed by OVER: computed over a window instead of a group. */
  readonly isWindow: boolean;
}

/** The outermost aggregate calls outside subqueries, including those over windows. */
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

/** The calls computed over groups, including those in arguments of window functions but not the window functions. */
export function groupedCalls(tokens: Tokens, names: AggregateNames): readonly AggregateCall[] {
  return aggregateCalls(tokens, names).flatMap((call) => {
    if (!call.isWindow) return [call];
    const inner = groupedCalls(tokens.slice(call.start + 1, call.end), names);
    return inner.map((one) => ({
      ...one,
      start: one.start + call.start + 1,
      end: one.end + call.start + 1,
    }));
  });
}

/** How an aggregate is stored as partial results and merged at read time. */
export interface StoredAggregate {
  readonly text: string;
  /** The expression that the stored table computes. */
  readonly stored: string;
  /** The read's expression over the stored column, limited to stored rows that satisfy the condition. */
  readonly mergeCall: (column: string, condition?: string) => string;
  /** Combines the stored values of several rows into one stored value. */
  readonly combineCall: (column: string) => string;
  readonly call: AggregateCall;
  /** The condition with variables; null if all rows count. */
  readonly condition: Tokens | null;
}

const selfMerging = new Set('sum min max groupBitAnd groupBitOr groupBitXor'.split(' '));

/** With -If, the partial result of no rows must be the neutral value, or merging would count it. */
const neutralWhenEmpty = new Set(['count', 'sum', 'groupBitOr', 'groupBitXor']);

/** The aggregate that merges plain results, as sum does for counts; null if an aggregate state is needed. */
export function mergeFunctionOf({ base, combinators }: AggregateName): string | null {
  const suffix = combinators.join('');
  if (suffix !== '' && !(suffix === 'If' && neutralWhenEmpty.has(base))) return null;
  if (base === 'count') return 'sum';
  return selfMerging.has(base) ? base : null;
}

/** Timing is not among them: whether the engine rounds depends on the sizes of the states that it merges. */
export const QUANTILE =
  /^quantiles?(Exact(Low|High|Exclusive|Inclusive|Weighted|WeightedInterpolated)?|InterpolatedWeighted|Deterministic|BFloat16(Weighted)?|DD)$/;
const mergeable = new Set(
  (
    'count sum sumKahan sumWithOverflow min max avg avgWeighted argMin argMax argAndMin argAndMax sumCount groupBitAnd groupBitOr ' +
    'groupBitXor groupBitmap uniq uniqExact uniqCombined uniqCombined64 uniqHLL12 uniqUpTo groupArray groupUniqArray groupArraySorted ' +
    'stddevPop stddevSamp stddevPopStable stddevSampStable varPop varSamp varPopStable varSampStable covarPop covarSamp ' +
    'covarPopStable covarSampStable corr corrStable skewPop skewSamp kurtPop kurtSamp entropy simpleLinearRegression ' +
    'sumMap minMap maxMap sumMappedArrays minMappedArrays maxMappedArrays windowFunnel retention'
  ).split(' '),
);
const mergeableCombinators = new Set(
  'If Array OrNull OrDefault Distinct ForEach Map ArgMin ArgMax'.split(' '),
);
const arrayAggregates = new Set(['groupArray', 'groupUniqArray']);

/**
 * How to store the call as partial results that merge to the same result in any order and number. Throws Refusal for
 * an aggregate without such partial results.
 */
export function toStoredAggregate(written: AggregateCall): StoredAggregate {
  const text = textOf(written.tokens);
  const { call, condition } = splitCondition(written) ?? { call: written, condition: null };
  const name = withoutCountDistinct(call.name);
  const { base, combinators } = name;
  const isMergeable = mergeable.has(base) || QUANTILE.test(base) || isExactForCheckedGroups(name);
  if (!isMergeable || combinators.some((combinator) => !mergeableCombinators.has(combinator))) {
    const reason = notMerged(call, condition === null ? null : textOf(condition), text);
    // Reads of the states' own columns can merge these.
    if (isMergeable && combinators.at(-1) === 'Merge') refuseClause(reason);
    refuse(reason);
  }
  const full = `${base}${combinators.join('')}`;
  const params = call.params === '' ? '' : `(${call.params})`;
  const plain = mergeFunctionOf(name);
  const merge = plain ?? `${full}Merge`;
  const whole = condition === null ? text : `${full}(${call.args})`;
  return {
    text,
    stored: plain === null ? `${full}State${params}(${call.args})` : whole,
    mergeCall: (column, chosen) =>
      chosen === undefined
        ? `${merge}${params}(${column})`
        : `${merge}If${params}(${column}, ${chosen})`,
    combineCall: (column) => `${plain ?? `${full}MergeState`}${params}(${column})`,
    call,
    condition,
  };
}

/** @param condition that of the call's `-If`. */
export function notMerged(
  call: AggregateCall,
  condition: string | null,
  text = textOf(call.tokens),
): string {
  return `The aggregate ${text} cannot be computed from the stored rows of several groups; ${mendOf(call, condition)}.`;
}

/**
 * Suggests, as SQL, an aggregate for the same purpose if there is one.
 *
 * @param condition that of the call's `-If`.
 */
export function mendOf(
  { name: { base, combinators }, args: values, params }: AggregateCall,
  condition: string | null,
): string {
  const combined = `${combinators.join('')}${condition === null ? '' : 'If'}`;
  const args = condition === null ? values : `${values}, ${condition}`;
  const levels = levelsOf(base, params);
  if (combinators.includes('Merge')) return mendOfStates(base);
  if (base === 'any' && combinators[0] === 'SimpleState') return `write any(${values})`;
  if (/^(any|first_value|last_value)/.test(base)) {
    return `write min${combined}(${args}) or max${combined}(${args}), or argMin and argMax with the column that decides`;
  }
  if (/^(quantile|median)/.test(base)) {
    const all = base.startsWith('quantiles') ? 'quantilesExact' : 'quantileExact';
    const weighted = base.endsWith('Weighted') ? 'Weighted' : '';
    return `write ${all}${weighted}${combined}(${levels})(${args})`;
  }
  if (isSequence(base)) return `use ${withoutTies}`;
  if (/^(topK|approx_top)/.test(base)) {
    const where = condition === null ? '' : `WHERE ${condition} `;
    const count = /^\d+/.exec(params)?.[0] ?? '10';
    const counted = (key: string, by: string) =>
      `SELECT ${key}${values}, count() … ${where}GROUP BY ${key}${values} ORDER BY count() DESC LIMIT ${count}${by}`;
    return `write ${counted('', '')}, or for each key ${counted('key, ', ' BY key')}`;
  }
  return 'write count, sum, min, max, avg, uniq, uniqExact, quantileExact, argMin, argMax, or arraySort(groupArray(…))';
}

/** `count(DISTINCT x)` is `uniqExact(x)`. */
export function withoutCountDistinct(name: AggregateName): AggregateName {
  const [first, ...combinators] = name.combinators;
  const isDistinct = name.base === 'count' && first === 'Distinct';
  return isDistinct ? { base: 'uniqExact', combinators } : name;
}

/** Throws Refusal for an array of floats: sorting it does not separate 0 from -0. */
export function requireOrderInsensitive(aggregate: StoredAggregate, storedType: string): void {
  const { text, call } = aggregate;
  if (arrayAggregates.has(call.name.base) && /\b(B?Float\d+)\b/.test(storedType)) {
    refuse(
      `The result of ${text} over floating point numbers depends on the order of the rows; convert them, as in toDecimal64(x, 4).`,
    );
  }
}

const orderInsensitive = new Set(['arraysort', 'arrayreversesort', 'length', 'arrayuniq']);

/** Throws Refusal for an array of rows' values that is not sorted: the query leaves its order undefined. */
export function requireSorted(tokens: Tokens, call: AggregateCall): void {
  if (!arrayAggregates.has(call.name.base)) return;
  const wrapper = tokens[call.start - 2];
  const isWrapped = tokens[call.start - 1]?.text === '(' && tokens[call.end]?.text === ')';
  const isSorted =
    isWrapped && wrapper !== undefined && orderInsensitive.has(nameOf(wrapper).toLowerCase());
  if (isSorted && call.params === '' && splitList(call.tokens).length > 0) return;
  const whole = call.params === '' ? textOf(call.tokens) : `${call.tokens[0]?.text}(${call.args})`;
  const cut = call.params === '' ? '' : ', without a maximum size';
  const isPlain = /^groupArray$/i.test(call.tokens[0]?.text ?? '') && call.params === '';
  const byKey = isPlain
    ? `, or arrayMap(x -> x.2, arraySort(${call.tokens[0]?.text}((key, ${call.args})))) for the order of a key`
    : '';
  refuse(
    `The order of the values in ${textOf(call.tokens)} is not fixed; write arraySort(${whole})${cut}${byKey}.`,
  );
}
