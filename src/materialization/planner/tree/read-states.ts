/**
 * Functions that read the states of aggregates. A state holds values in the order in which its rows came, which only some
 * of them leave out.
 */
import { mayHoldState, parseClickHouseType } from '../../../sql/clickhouse-type.ts';
import { refuse } from '../refusal.ts';
import type { AggregateNames } from '../text/aggregates.ts';
import { isAggregate } from './canonical-functions.ts';
import { type Node, partOf, walk } from './canonical-node.ts';
import { arrayAggregates, isOrderInsensitive, isSorted } from './order-insensitive.ts';

/** A bitmap of a few values keeps them in the order of their rows, and these return or choose them in it. */
const readsOrder = /^(?:bitmapToArray|subBitmap|hex|bin|toString|toJSONString|runningAccumulate)$/i;

/** Throws Refusal if a state that the query makes is read by a function whose result depends on the order of rows. */
export function requireUnorderedStates(root: Node, names: AggregateNames): void {
  const isMade = ({ name }: Node) => names(name)?.combinators.at(-1) === 'State';
  if (![...walk(root, (node) => !isMade(node))].some(isMade)) return;
  visit(root, []);

  /** @param around the functions around the node, innermost first. */
  function visit(node: Node, around: readonly Node[]): void {
    requireUnordered(node, around, names);
    const outside = node.kind === 'FUNCTION' ? [node, ...around] : around;
    for (const arg of node.args) visit(arg, node.kind === 'QUERY' ? [] : outside);
  }
}

function requireUnordered(call: Node, around: readonly Node[], names: AggregateNames): void {
  const state = partOf(call, 'ARGUMENTS').find(({ type }) => mayHoldState(type));
  if (call.kind !== 'FUNCTION' || state === undefined || isAggregate(call)) return;
  const isFinal = call.name === 'finalizeAggregation';
  const base = isFinal ? baseOf(state, names) : '';
  const isArray = call.name === 'bitmapToArray' || arrayAggregates.has(base);
  const isUnordered = isFinal ? isOrderInsensitive(base) : !readsOrder.test(call.name);
  if (isArray ? isSorted(around) : isUnordered) return;
  const mend = isArray
    ? `arraySort(${call.name}(…))`
    : 'the result of the aggregate instead of its state';
  refuse(
    `What ${call.name} returns of the state of an aggregate depends on the order of the rows, which a query leaves open; use ${mend}.`,
  );
}

/** The aggregate whose state a value is, without combinators; empty for a state within another value. */
function baseOf({ type }: Node, names: AggregateNames): string {
  const { name, args } = parseClickHouseType(type);
  if (name !== 'AggregateFunction') return '';
  // A version may come first.
  const written = (args ?? []).map(({ text }) => text).find((text) => !/^\d+$/.test(text)) ?? '';
  const [function_ = ''] = written.split('(');
  return names(function_)?.base ?? function_;
}
