/** Which sets of distinct values can be stored as counts, and how reads add the counts up. */
import type { CountedValue, PlanContext } from '../plan-context.ts';
import { isGuard, stored } from '../stored-columns.ts';
import { type StoredAggregate, withoutCountDistinct } from '../text/aggregates.ts';
import { argumentsOf } from '../text/conditional-aggregates.ts';
import { usesTime } from '../text/determinism.ts';
import { hasKeyword, isName, nameOf, type Tokens, textOf } from '../text/tokens.ts';
import type { Grouping, StoredItem } from './grouping.ts';

export interface CountedSet extends CountedValue {
  readonly items: readonly StoredItem[];
}

/**
 * The sets of `count(DISTINCT x)` and `uniqExact(x)`, also with `If`. None if a read merges groups of several keys,
 * if reading the source twice may give different rows, or if the arguments of aggregates determine the rows.
 */
export function countedSets(
  { select, condition, zeroGuards = [] }: PlanContext,
  { aggregates, conditions, columns, isPlain }: Grouping,
): readonly CountedSet[] {
  const written = [...select.clauses.values(), ...select.items.map(({ tokens }) => tokens)];
  const isRuledOut =
    !isPlain ||
    conditions.size > 0 ||
    zeroGuards.length > 0 ||
    columns.some(isGuard) ||
    condition.predicates.length === 0 ||
    hasKeyword(select.clauses.get('FROM') ?? [], 'GROUP', 'LIMIT', 'OFFSET', 'FETCH', 'OVER') ||
    written.some((tokens) => usesTime(tokens) || multipliesRows(tokens));
  if (isRuledOut) return [];
  return aggregates.flatMap((aggregate, at) => {
    const parts = countedParts(aggregate);
    if (parts === null) return [];
    const value = `__querydock_value${at}`;
    const items: StoredItem[] = [[value, `${textOf(parts.value)} AS ${value}`]];
    const own = parts.condition === null ? null : `__querydock_if${at}`;
    if (own !== null) items.push([own, `${textOf(parts.condition ?? [])} AS ${own}`]);
    return [{ aggregate: at, value, condition: own, items }];
  });
}

function countedParts({ call, condition }: StoredAggregate) {
  const { base, combinators } = withoutCountDistinct(call.name);
  const isOne = base === 'uniqExact' && call.params === '' && condition === null;
  const isConditional = combinators.length === 1 && combinators[0] === 'If';
  if (!isOne || (combinators.length > 0 && !isConditional)) return null;
  const [value, own, ...others] = argumentsOf(call);
  if (value === undefined || others.length > 0 || (own !== undefined) !== isConditional)
    return null;
  if (hasKeyword([...value, ...(own ?? [])], 'SELECT', 'AS', 'OVER')) return null;
  return { value, condition: own ?? null };
}

function multipliesRows(tokens: Tokens): boolean {
  return tokens.some((token) => isName(token) && /^(arrayjoin|unnest)$/i.test(nameOf(token)));
}

/** In a read: the placeholder for the predicate on the previous point, and the name of that point. */
export const inRange = '__querydock_in_range';
export const previousPoint = '__querydock_previous';

/** Replaces the merge of an aggregate's set; 0 without rows, as the merge is. */
export function sumOfCounts(aggregate: number): string {
  const count = '__querydock_count';
  return `sum(${stored.first(aggregate)} + arraySum((${previousPoint}, ${count}) -> if(${inRange}, 0, ${count}), ${stored.previous(aggregate)}, ${stored.counts(aggregate)}))`;
}
