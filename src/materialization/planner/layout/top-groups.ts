/** Which reads return only the groups with the greatest count or sum. */
import type { PlanContext, TopOrder } from '../plan-context.ts';
import { stored } from '../stored-columns.ts';
import { groupedCalls } from '../text/aggregates.ts';
import { hasKeyword, type Tokens, textOf } from '../text/tokens.ts';
import type { Grouping } from './grouping.ts';
import { resultColumns, sortElements } from './ordering.ts';

/** A read looks at the greatest groups twice, so there must be few of them. */
const maxRows = 10_000;

/**
 * The order of a query `… GROUP BY … ORDER BY count() DESC LIMIT n`, or by a sum. Null if the query has clauses that
 * choose among its groups in another way.
 */
export function topOrder(context: PlanContext, grouping: Grouping): TopOrder | null {
  const { clauses, isDistinct } = context.select;
  const choosing = ['HAVING', 'QUALIFY', 'LIMIT BY'] as const;
  const chooses = choosing.some((name) => clauses.has(name));
  if (chooses || isDistinct || !grouping.isPlain || grouping.keys.length === 0) return null;
  const rows = rowsOf(clauses.get('LIMIT') ?? [], clauses.get('OFFSET') ?? []);
  const orderBy = clauses.get('ORDER BY') ?? [];
  if (rows === null || hasKeyword(orderBy, 'FILL')) return null;
  const elements = sortElements(orderBy);
  const [first] = elements;
  const item = resultColumns(context.original, 'ORDER BY', elements.length)[0] ?? null;
  if (first?.modifiers !== ' DESC') return null;
  const sorted = item === null ? first.expression : (context.select.items[item]?.expression ?? []);
  const at = aggregateOf(context, grouping, sorted);
  if (at === null) return null;
  const column = stored.aggregate(at);
  // A count is stored as a count, and merged by sum too.
  if (grouping.aggregates[at]?.mergeCall(column) !== `sum(${column})`) return null;
  return { column, groupBy: grouping.groupBy, rows };
}

/** How many of the first groups decide the result; null for anything but whole numbers. */
function rowsOf(limit: Tokens, offset: Tokens): number | null {
  const numbers = [...limit.filter(({ text }) => text !== ','), ...offset];
  const isWhole = numbers.every(({ kind, text }) => kind === 'Number' && /^\d+$/.test(text));
  if (limit.length === 0 || !isWhole) return null;
  const rows = numbers.reduce((sum, { text }) => sum + Number(text), 0);
  return rows > 0 && rows <= maxRows ? rows : null;
}

/** The aggregate that is the whole expression, over all rows of the group. */
function aggregateOf(
  { names }: PlanContext,
  { aggregates }: Grouping,
  expression: Tokens,
): number | null {
  const [call, ...others] = groupedCalls(expression, names);
  const isWhole = call?.start === 0 && call.end === expression.length && others.length === 0;
  if (call === undefined || !isWhole) return null;
  const at = aggregates.findIndex(({ text }) => text === textOf(call.tokens));
  return aggregates[at]?.condition === null ? at : null;
}
