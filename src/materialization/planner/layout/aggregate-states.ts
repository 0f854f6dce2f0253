/** Plans for a grouping query whose aggregates are kept in parts and put together at each read. */
import { storedTable } from '../../../model/materialization-plan.ts';
import { quoteName } from '../../../sql/quote-name.ts';
import { type Context, type Draft, readConditions, renamed, stored } from '../plan-context.ts';
import { refuse } from '../refusal.ts';
import { aggregatesIn, type StoredAggregate } from '../text/aggregates.ts';
import { clauseTexts, renderSelect } from '../text/select.ts';
import {
  hasWord,
  identifiersIn,
  isWord,
  nameOf,
  type Span,
  splitAt,
  splitList,
  textOf,
} from '../text/tokens.ts';
import { type GroupParts, keyAt } from './grouping.ts';
import { distinctReason, resultColumnOf, sortElements } from './ordering.ts';

/**
 * Keeps one row per group and value of the compared expressions; a read groups the rows that the variables
 * choose by the query's own keys and puts their aggregates together.
 */
export function planStates(context: Context, parts: GroupParts): Draft {
  const { select, condition, columns } = context;
  const items = select.items.map(({ expression }, at) => {
    const name = quoteName(columns[at]?.name ?? '');
    if (parts.kinds[at] === 'keyed') return `${stored.result(at)} AS ${name}`;
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
    storedQuery: renamed(parts.inner, parts.columns),
    readQuery,
    aggregates: parts.aggregates.map(({ key, stored: kept }) => ({
      expression: key,
      stored: kept,
    })),
  };
}

function orderOf(context: Context, parts: GroupParts): string {
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

function limitByOf(context: Context, parts: GroupParts): string {
  const span = context.select.clauses.get('LIMIT BY') ?? [];
  const [head, by] = splitAt(span, (token) => isWord(token, 'BY'));
  if (head === undefined || by === undefined) return '';
  const columns = splitList(by).map((expression) => rewrite(expression, context, parts));
  return `${textOf(head)} BY ${columns.join(', ')}`;
}

/**
 * The expression over stored columns: aggregates put together, keys by their columns, and the names of other
 * items, which the read gives them too.
 */
function rewrite(span: Span, context: Context, parts: GroupParts): string {
  if (hasWord(span, 'AS', 'SELECT')) {
    refuse(
      `The expression ${textOf(span)} holds a name or a subquery beside aggregates; write it as an item of its own.`,
    );
  }
  const calls = new Map(aggregatesIn(span, context.names).map((call) => [call.start, call]));
  const identifiers = new Set(identifiersIn(span));
  const pieces: string[] = [];
  for (let at = 0; at < span.length; ) {
    const token = span[at];
    const glue = at > 0 && token?.spaced === true ? ' ' : '';
    const call = calls.get(at);
    const key = call === undefined ? keyAt(span, at, parts.keys) : null;
    if (call !== undefined) {
      pieces.push(glue, mergedOf(textOf(call.span), parts.aggregates));
      at = call.end;
    } else if (key !== null) {
      pieces.push(glue, key.column);
      at += key.expression.length;
    } else {
      if (identifiers.has(at)) requireAlias(span, at, context);
      pieces.push(glue, token?.text ?? '');
      at += 1;
    }
  }
  return pieces.join('');
}

function mergedOf(key: string, aggregates: readonly StoredAggregate[]): string {
  const at = aggregates.findIndex((aggregate) => aggregate.key === key);
  const aggregate = aggregates[at];
  if (aggregate === undefined) {
    refuse(
      `The aggregate ${key} stands where it cannot be put together; write it as an item of its own.`,
    );
  }
  return aggregate.merged(stored.aggregate(at));
}

function requireAlias(span: Span, at: number, { select }: Context): void {
  const token = span[at];
  const isAlias =
    token !== undefined &&
    span[at + 1]?.text !== '.' &&
    select.items.some(({ alias }) => alias === nameOf(token));
  if (isAlias) return;
  refuse(
    `The expression ${textOf(span)} uses ${token?.text ?? ''} beside aggregates; write it exactly as in GROUP BY, or as an item of its own.`,
  );
}
