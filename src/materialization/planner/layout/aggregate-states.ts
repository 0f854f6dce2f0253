/** Layout that stores aggregates of a grouping query as aggregate states, which reads merge. */
import type { MergedColumn } from '../../../model/materialization-plan.ts';
import { quoteName } from '../../../sql/quote-name.ts';
import type { Counting, PlanContext, PlanDraft } from '../plan-context.ts';
import { refuse } from '../refusal.ts';
import { isGuard, renderRead, stored, withColumnNames } from '../stored-columns.ts';
import { groupedCalls, type StoredAggregate } from '../text/aggregates.ts';
import { renderCondition } from '../text/stored-expressions.ts';
import {
  hasKeyword,
  identifiersIn,
  isKeyword,
  nameOf,
  type Tokens,
  textOf,
} from '../text/tokens.ts';
import { distinctReason } from '../tree/filter-safety.ts';
import { countedSets, sumOfCounts } from './counted-sets.ts';
import { groupKeyAt } from './group-keys.ts';
import { aggregateColumn, type Grouping } from './grouping.ts';
import { parseLimitBy, resultColumnOf, sortElements } from './ordering.ts';
import { topOrder } from './top-groups.ts';

/**
 * Stores a row per group and value of the compared expressions. A read filters these rows by the variables, groups
 * them by the query's own keys and merges the aggregate states.
 */
export function planAggregateStates(context: PlanContext, grouping: Grouping): PlanDraft {
  return {
    storedQuery: withColumnNames(grouping.inner, grouping.columns),
    readQuery: readMerging(context, { ...grouping, mergeOf: mergeIn(grouping) }),
    aggregates: grouping.aggregates.map((aggregate) => ({
      expression: aggregate.text,
      stored: aggregate.stored,
    })),
    merged: {
      columns: mergedColumns(grouping),
      ungrouped: grouping.ungrouped(),
      conditions: {
        conditions: [...grouping.conditions.values()],
        nameOf: grouping.nameOf,
        keys: grouping.keys.map(({ column }) => column),
      },
      counting: planCounting(context, grouping),
      top: topOrder(context, grouping),
    },
  };
}

/** Null if none of the query's sets can be replaced by counts. */
function planCounting(context: PlanContext, grouping: Grouping): Counting | null {
  const counted = countedSets(context, grouping);
  if (counted.length === 0) return null;
  const merge = mergeIn(grouping);
  const sets = new Set(counted.map(({ aggregate }) => aggregate));
  const readQuery = readMerging(context, {
    ...grouping,
    mergeOf: (aggregate, at, condition) =>
      sets.has(at) ? sumOfCounts(at) : merge(aggregate, at, condition),
  });
  const items = counted.flatMap(({ items: own }) => own);
  return { readQuery, values: grouping.ungrouped(items), counted };
}

/** @param condition the aggregate's condition with variables; absent if it covers all rows. */
type MergeOf = (aggregate: StoredAggregate, at: number, condition?: string) => string;

interface Merging extends Grouping {
  readonly mergeOf: MergeOf;
}

function mergeIn({ aggregates }: Grouping): MergeOf {
  return ({ mergeCall }, at, condition) => mergeCall(aggregateColumn(aggregates, at), condition);
}

function readMerging(context: PlanContext, grouping: Merging): string {
  const { select, columns } = context;
  const items = select.items.map(({ expression }, at) => {
    const name = quoteName(columns[at]?.name ?? '');
    if (grouping.kinds[at] === 'keyed') return `${stored.result(at)} AS ${name}`;
    if (grouping.kinds[at] === 'constant') return `${textOf(expression)} AS ${name}`;
    return `${rewrite(expression, context, grouping)} AS ${name}`;
  });
  return renderRead(context, items, [
    ['GROUP BY', grouping.groupBy],
    ['HAVING', rewrite(select.clauses.get('HAVING') ?? [], context, grouping)],
    ['QUALIFY', rewrite(select.clauses.get('QUALIFY') ?? [], context, grouping)],
    ['ORDER BY', orderOf(context, grouping)],
    ['LIMIT BY', limitByOf(context, grouping)],
  ]);
}

function mergedColumns({ columns, aggregates }: Grouping): readonly MergedColumn[] {
  const merges = new Map(
    aggregates.map(({ combineCall }, at) => {
      const name = aggregateColumn(aggregates, at);
      return [name, combineCall(name)] as const;
    }),
  );
  // Guard columns hold the same value in every row.
  const guard = (name: string) => (isGuard(name) ? `max(${name})` : null);
  return columns.map((name) => ({ name, merge: merges.get(name) ?? guard(name) }));
}

function orderOf(context: PlanContext, grouping: Merging): string {
  const { select } = context;
  const elements = sortElements(select.clauses.get('ORDER BY') ?? []);
  const isSelected = elements.every(
    ({ expression }) => resultColumnOf(expression, select.items) !== null,
  );
  if (select.isDistinct && !isSelected) refuse(distinctReason);
  return elements
    .map(({ expression, modifiers }) => `${rewrite(expression, context, grouping)}${modifiers}`)
    .join(', ');
}

function limitByOf(context: PlanContext, grouping: Merging): string {
  const limitBy = parseLimitBy(context.select);
  if (limitBy === null) return '';
  const columns = limitBy.expressions.map((expression) => rewrite(expression, context, grouping));
  return `${limitBy.limit} BY ${columns.join(', ')}`;
}

/** The expression over stored columns: aggregates become merges, keys become columns, item aliases stay. */
function rewrite(tokens: Tokens, context: PlanContext, grouping: Merging): string {
  if (hasKeyword(tokens, 'AS', 'SELECT')) {
    refuse(
      `The expression ${textOf(tokens)} holds a name or a subquery beside aggregates; give it a name with AS, or write the parts as items of their own.`,
    );
  }
  const calls = new Map(groupedCalls(tokens, context.names).map((call) => [call.start, call]));
  const identifiers = new Set(identifiersIn(tokens));
  const pieces: string[] = [];
  for (let at = 0; at < tokens.length; ) {
    const token = tokens[at];
    const glue = at > 0 && token?.spaced === true ? ' ' : '';
    const call = calls.get(at);
    const key = call === undefined ? groupKeyAt(tokens, at, grouping.keys) : null;
    if (call !== undefined) {
      pieces.push(glue, mergedOf(textOf(call.tokens), grouping));
      at = call.end;
    } else if (key !== null) {
      pieces.push(glue, key.column);
      at += key.expression.length;
    } else {
      if (identifiers.has(at)) requireAlias(tokens, at, context);
      pieces.push(glue, token?.text ?? '');
      at += 1;
    }
  }
  return pieces.join('');
}

function mergedOf(text: string, grouping: Merging): string {
  const at = grouping.aggregates.findIndex((aggregate) => aggregate.text === text);
  const aggregate = grouping.aggregates[at];
  if (aggregate === undefined) {
    refuse(
      `The aggregate ${text} stands where it cannot be put together; write it as an item of its own.`,
    );
  }
  const condition = grouping.conditions.get(aggregate);
  const chosen = condition === undefined ? undefined : renderCondition(condition, grouping.nameOf);
  return grouping.mergeOf(aggregate, at, chosen);
}

const windowWords =
  'PARTITION ORDER ASC DESC NULLS FIRST LAST ROWS RANGE GROUPS BETWEEN UNBOUNDED PRECEDING FOLLOWING CURRENT ROW'.split(
    ' ',
  );

function requireAlias(tokens: Tokens, at: number, { select }: PlanContext): void {
  const token = tokens[at];
  if (hasKeyword(tokens, 'OVER') && isKeyword(token, ...windowWords)) return;
  const isAlias =
    token !== undefined &&
    tokens[at + 1]?.text !== '.' &&
    select.items.some(({ alias }) => alias === nameOf(token));
  if (isAlias || lambdaParameters(tokens).has(token?.text ?? '')) return;
  refuse(
    `The expression ${textOf(tokens)} uses ${token?.text ?? ''} beside aggregates; write it exactly as in GROUP BY, or as an item of its own.`,
  );
}

/** The names in front of each `->`, as written: `x`, or `x` and `y` of `(x, y) -> …`. */
function lambdaParameters(tokens: Tokens): ReadonlySet<string> {
  const found = new Set<string>();
  for (const [at, { text }] of tokens.entries()) {
    if (text !== '->') continue;
    const isList = tokens[at - 1]?.text === ')';
    const open = tokens.slice(0, at).findLastIndex((token) => token.text === '(');
    for (const token of isList ? tokens.slice(open + 1, at - 1) : tokens.slice(at - 1, at)) {
      found.add(token.text);
    }
  }
  return found;
}
