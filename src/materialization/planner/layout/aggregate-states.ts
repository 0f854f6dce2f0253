/** Plans for a grouping query whose aggregates are kept in parts and put together at each read. */
import { storedTable } from '../../../model/materialization-plan.ts';
import { quoteName } from '../../../sql/quote-name.ts';
import {
  type PlanContext,
  type PlanDraft,
  readConditions,
  storedColumn,
  withColumnNames,
} from '../plan-context.ts';
import { refuse } from '../refusal.ts';
import { aggregateCalls, type StoredAggregate } from '../text/aggregates.ts';
import { clauseTexts, renderSelect } from '../text/select.ts';
import {
  hasKeyword,
  identifiersIn,
  isKeyword,
  nameOf,
  splitBy,
  splitList,
  type Tokens,
  textOf,
} from '../text/tokens.ts';
import { type Grouping, groupKeyAt } from './grouping.ts';
import { distinctReason, resultColumnOf, sortElements } from './ordering.ts';

/**
 * Keeps one row per group and value of the compared expressions; a read groups the rows that the variables
 * choose by the query's own keys and puts their aggregates together.
 */
export function planAggregateStates(context: PlanContext, parts: Grouping): PlanDraft {
  const { select, condition, columns } = context;
  const items = select.items.map(({ expression }, at) => {
    const name = quoteName(columns[at]?.name ?? '');
    if (parts.kinds[at] === 'keyed') return `${storedColumn.result(at)} AS ${name}`;
    if (parts.kinds[at] === 'constant') return `${textOf(expression)} AS ${name}`;
    return `${rewrite(expression, context, parts)} AS ${name}`;
  });
  const keyed = parts.columns.filter((name) => /^__[ck]/.test(name));
  const having = select.clauses.get('HAVING');
  const own = clauseTexts(select);
  const readQuery = renderSelect(
    new Map([
      ['SELECT', `${select.isDistinct ? 'DISTINCT ' : ''}${items.join(', ')}`],
      ['FROM', storedTable],
      ['WHERE', readConditions(condition.predicates)],
      ['GROUP BY', keyed.join(', ')],
      ['HAVING', having === undefined ? '' : rewrite(having, context, parts)],
      ['ORDER BY', orderOf(context, parts)],
      ['LIMIT BY', limitByOf(context, parts)],
      ['LIMIT', own.get('LIMIT') ?? ''],
      ['OFFSET', own.get('OFFSET') ?? ''],
    ]),
  );
  return {
    storedQuery: withColumnNames(parts.inner, parts.columns),
    readQuery,
    aggregates: parts.aggregates.map(({ text, stored }) => ({ expression: text, stored })),
  };
}

function orderOf(context: PlanContext, parts: Grouping): string {
  const { select } = context;
  const elements = sortElements(select.clauses.get('ORDER BY') ?? []);
  const isSelected = elements.every(
    ({ expression }) => resultColumnOf(expression, select.items) !== null,
  );
  if (select.isDistinct && !isSelected) refuse(distinctReason);
  return elements
    .map(({ expression, modifiers }) => `${rewrite(expression, context, parts)}${modifiers}`)
    .join(', ');
}

function limitByOf(context: PlanContext, parts: Grouping): string {
  const tokens = context.select.clauses.get('LIMIT BY') ?? [];
  const [head, by] = splitBy(tokens, (token) => isKeyword(token, 'BY'));
  if (head === undefined || by === undefined) return '';
  const columns = splitList(by).map((expression) => rewrite(expression, context, parts));
  return `${textOf(head)} BY ${columns.join(', ')}`;
}

/**
 * The expression over stored columns: aggregates put together, keys by their columns, and the names of other
 * items, which the read gives them too.
 */
function rewrite(tokens: Tokens, context: PlanContext, parts: Grouping): string {
  if (hasKeyword(tokens, 'AS', 'SELECT')) {
    refuse(
      `The expression ${textOf(tokens)} holds a name or a subquery beside aggregates; write it as an item of its own.`,
    );
  }
  const calls = new Map(aggregateCalls(tokens, context.names).map((call) => [call.start, call]));
  const identifiers = new Set(identifiersIn(tokens));
  const pieces: string[] = [];
  for (let at = 0; at < tokens.length; ) {
    const token = tokens[at];
    const glue = at > 0 && token?.spaced === true ? ' ' : '';
    const call = calls.get(at);
    const key = call === undefined ? groupKeyAt(tokens, at, parts.keys) : null;
    if (call !== undefined) {
      pieces.push(glue, mergedOf(textOf(call.tokens), parts.aggregates));
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

function mergedOf(key: string, aggregates: readonly StoredAggregate[]): string {
  const at = aggregates.findIndex((aggregate) => aggregate.text === key);
  const aggregate = aggregates[at];
  if (aggregate === undefined) {
    refuse(
      `The aggregate ${key} stands where it cannot be put together; write it as an item of its own.`,
    );
  }
  return aggregate.mergeCall(storedColumn.aggregate(at));
}

function requireAlias(tokens: Tokens, at: number, { select }: PlanContext): void {
  const token = tokens[at];
  const isAlias =
    token !== undefined &&
    tokens[at + 1]?.text !== '.' &&
    select.items.some(({ alias }) => alias === nameOf(token));
  if (isAlias) return;
  refuse(
    `The expression ${textOf(tokens)} uses ${token?.text ?? ''} beside aggregates; write it exactly as in GROUP BY, or as an item of its own.`,
  );
}
