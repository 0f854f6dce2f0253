/** Which aggregates do not depend on row order. */
import { refuse } from '../refusal.ts';
import { mendOfStates } from '../text/aggregate-mends.ts';
import type { AggregateName, AggregateNames } from '../text/aggregates.ts';
import {
  isExactForCheckedGroups,
  isExactForDistinctTimes,
  isExactForSmallGroups,
  withoutTies,
} from '../text/checked-aggregates.ts';
import {
  aggregatesOf,
  isAggregate,
  isArrayJoin,
  isWindow,
  ownNodes,
} from './canonical-functions.ts';
import { hasPart, type Node, partOf } from './canonical-node.ts';
import { arrayAggregates, isOrderInsensitive, isSorted } from './order-insensitive.ts';
import { type PlacedQuery, placedQueries } from './placed-queries.ts';
import { isOneRow, readsSortedRows } from './total-order.ts';

/** A state is not a result; what reads it is checked instead. */
const STATE = /(?<!Simple)State$/;

const alternatives: readonly (readonly [RegExp, string])[] = [
  [
    /^(any|anyLast|anyHeavy|any_respect_nulls|anyLast_respect_nulls)$/,
    'min, max, argMin or argMax',
  ],
  [/^quantiles.*Weighted$/, 'quantilesExactWeighted'],
  [/^quantile.*Weighted$/, 'quantileExactWeighted'],
  [/^quantiles/, 'quantilesExact, or quantilesDD with its accuracy'],
  [/^(quantile|median)/, 'quantileExact, or quantileDD with its accuracy'],
  [
    /^groupArray(?!InsertAt|Moving)/,
    'arraySort(groupArray(…)), or arrayMap(x -> x.2, arraySort(groupArray((key, value)))) for the order of a key',
  ],
  [/^groupConcat$/, "arrayStringConcat(arraySort(groupArray(…)), ',')"],
  [/^sequence(?!NextNode)/, withoutTies],
  [/^deltaSum/, 'a sum of differences to lagInFrame(…) OVER (ORDER BY …), computed in a subquery'],
  [/^(topK|approx_top)/, 'count with GROUP BY, ORDER BY and LIMIT'],
];

/**
 * Throws Refusal for the first aggregate of the query or its subqueries whose result depends on row order and may
 * therefore differ between runs.
 */
export function requireOrderInsensitiveAggregates(
  node: Node,
  names: AggregateNames,
  { keepsOrder, checked }: GroupedRows,
): void {
  visit(node, [], null);

  function visit(inner: Node, around: readonly Node[], query: Node | null): void {
    const isInOrder = keepsOrder && query !== null && readsSortedRows(query);
    const isChecked = query !== null && checked.has(query);
    if (isAggregate(inner) || isWindow(inner)) requireDoublePrecision(inner, names);
    const isOfOneRow = query !== null && readsOneRow(query);
    if (isAggregate(inner) && !isOfOneRow)
      requireOne({ call: inner, around, isInOrder, isChecked }, names);
    const outside = inner.kind === 'FUNCTION' ? [inner, ...around] : around;
    const isQuery = inner.kind === 'QUERY';
    for (const arg of inner.args) visit(arg, isQuery ? [] : outside, isQuery ? inner : query);
  }
}

export interface GroupedRows {
  /** Whether the order of sorted subqueries is preserved for the queries that read them. */
  readonly keepsOrder: boolean;
  /** The queries of which each sync checks what their aggregates require of groups, or a LIMIT of rows. */
  readonly checked: ReadonlySet<Node>;
}

/** The queries with aggregates that are exact for groups of a certain kind, as far as these can be checked. */
export function queriesOfCheckedGroups(node: Node, names: AggregateNames): readonly PlacedQuery[] {
  return placedQueries(node).filter(({ query }) => {
    // arrayJoin makes several rows of one after they have been checked.
    return checkedAggregates(query, names).length > 0 && !ownNodes(query).some(isArrayJoin);
  });
}

/** The query's own aggregates that are exact for groups of a certain kind. */
export function checkedAggregates(query: Node, names: AggregateNames): readonly Node[] {
  return aggregatesOf(query).filter((call) => needsChecks(call, names));
}

function needsChecks(call: Node, names: AggregateNames): boolean {
  const name = names(call.name);
  return name !== null && isExactForCheckedGroups(name);
}

interface PlacedCall {
  readonly call: Node;
  /** The enclosing functions, innermost first. */
  readonly around: readonly Node[];
  /** Whether it receives rows in an order the query specifies. */
  readonly isInOrder: boolean;
  /** Whether the groups whose rows it receives are checked. */
  readonly isChecked: boolean;
}

function requireOne(placed: PlacedCall, names: AggregateNames): void {
  const { call, around, isInOrder, isChecked } = placed;
  if (isChecked && needsChecks(call, names)) return;
  const name = names(call.name);
  const base = name?.base ?? call.name;
  if (base === 'groupArray' && isInOrder) return;
  if (isOrderInsensitive(base)) return;
  if (arrayAggregates.has(base) && !hasPart(call, 'PARAMETERS') && isSorted(around)) return;
  if (STATE.test(call.name) && arrayAggregates.has(base)) return;
  // With its combinators, which decide on the values: DISTINCT and FILTER are among them.
  const found =
    arrayAggregates.has(base) && call.name !== 'groupArray'
      ? `arraySort(${call.name}(…))`
      : alternatives.find(([pattern]) => pattern.test(base))?.[1];
  const isCut = arrayAggregates.has(base) && hasPart(call, 'PARAMETERS');
  const better = isCut ? `${found}, without a maximum size` : found;
  const mend = better === undefined ? 'leave it out' : `use ${better}`;
  const isOfStates = name?.combinators.includes('Merge') === true;
  refuse(
    `The result of the aggregate ${call.name} depends on the order of the rows, which a query leaves open${unchecked(name)}; ${isOfStates ? mendOfStates(base) : mend}.`,
  );
}

function requiredKind(name: AggregateName): string {
  if (isExactForSmallGroups(name)) return 'are small';
  return isExactForDistinctTimes(name) ? 'have no two events of one time' : 'have one value each';
}

function unchecked(name: AggregateName | null): string {
  if (name === null || !isExactForCheckedGroups(name)) return '';
  return `, and whether its groups ${requiredKind(name)} cannot be checked here`;
}

/** The engine adds up Float32 in 32 bits for these, so that digits depend on the order of the rows. */
const IN_SINGLE_PRECISION = /^(?:stddev|var|covar|corr|skew|kurt|sumWithOverflow)/;

function requireDoublePrecision({ name, type }: Node, names: AggregateNames): void {
  const isSingle = /\b(?:Float32|BFloat16)\b/.test(type);
  if (!isSingle || !IN_SINGLE_PRECISION.test(names(name)?.base ?? name)) return;
  refuse(
    `The result of the aggregate ${name} of single precision depends on the order of the rows in its last digits; write ${name}(toFloat64(…)).`,
  );
}

/** Whether the query reads a subquery that aggregates all its rows to one. arrayJoin may make several of it. */
function readsOneRow(query: Node): boolean {
  const [source, ...others] = partOf(query, 'JOIN TREE');
  return (
    source !== undefined &&
    others.length === 0 &&
    isOneRow(source) &&
    !ownNodes(query).some(isArrayJoin)
  );
}
