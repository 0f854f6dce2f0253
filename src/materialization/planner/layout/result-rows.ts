/** Layout that stores result rows as they are, with the values that variables are compared with. */
import { comparedExpressions, type PlanContext, type PlanDraft } from '../plan-context.ts';
import { refuse } from '../refusal.ts';
import {
  renderRead,
  resultItems,
  stored,
  storedClauses,
  withColumnNames,
} from '../stored-columns.ts';
import { appended, renderSelect } from '../text/select.ts';
import { textOf } from '../text/tokens.ts';
import { distinctReason } from '../tree/filter-safety.ts';
import { storedOrdering } from './ordering.ts';
import { guardColumns } from './zero-guards.ts';

/**
 * Stores a row per result row and value of the compared expressions. A read filters these rows by the variables and
 * applies DISTINCT, ORDER BY and LIMIT.
 *
 * @param isGrouped whether the query groups; compared expressions then become grouping keys too.
 */
export function planResultRows(context: PlanContext, isGrouped: boolean): PlanDraft {
  const { select, condition, columns, original } = context;
  const expressions = comparedExpressions(condition.predicates);
  const ordering = storedOrdering(select, original, select.isDistinct ? [] : expressions);
  if (select.isDistinct && ordering.extra.length > 0) refuse(distinctReason);
  const texts = storedClauses(context);
  const guards = guardColumns(context);
  const added = [
    ...expressions.map((tokens, at) => `${textOf(tokens)} AS ${stored.variable(at)}`),
    ...ordering.extra.map((tokens, at) => `${textOf(tokens)} AS ${stored.sort(at)}`),
    ...guards.map(([column, text]) => `${text} AS ${column}`),
  ];
  texts.set('SELECT', appended(texts.get('SELECT'), added, ', '));
  if (isGrouped) {
    texts.set('GROUP BY', appended(texts.get('GROUP BY'), expressions.map(textOf), ', '));
  }
  const names = [
    ...columns.map((_column, at) => stored.result(at)),
    ...expressions.map((_expression, at) => stored.variable(at)),
    ...ordering.extra.map((_expression, at) => stored.sort(at)),
    ...guards.map(([column]) => column),
  ];
  const readQuery = renderRead(context, resultItems(columns), [
    ['ORDER BY', ordering.orderBy],
    ['LIMIT BY', ordering.limitBy],
  ]);
  return {
    storedQuery: withColumnNames(renderSelect(texts), names),
    readQuery,
    aggregates: [],
    ...(ordering.order === null ? {} : { order: ordering.order }),
  };
}
