/** Plans for a query whose result rows are stored as they are, beside the values that variables are compared with. */
import { storedTable } from '../../../model/materialization-plan.ts';
import { quoteName } from '../../../sql/quote-name.ts';
import type { PlanContext, PlanDraft } from '../plan-context.ts';
import {
  comparedExpressions,
  readConditions,
  storedColumn,
  withColumnNames,
} from '../plan-context.ts';
import { refuse } from '../refusal.ts';
import { appended, clauseTexts, renderSelect } from '../text/select.ts';
import { textOf } from '../text/tokens.ts';
import { distinctReason, storedOrdering } from './ordering.ts';

/**
 * Keeps one row per result row and value of the compared expressions; a read takes the rows that the
 * variables choose and does DISTINCT, ORDER BY and LIMIT over them again.
 *
 * @param isGrouped the query's groups are final per value: the expressions become grouping keys as well.
 */
export function planResultRows(context: PlanContext, isGrouped: boolean): PlanDraft {
  const { select, condition, columns, original } = context;
  const ordering = storedOrdering(select, original);
  if (select.isDistinct && ordering.extra.length > 0) {
    refuse(distinctReason);
  }
  const expressions = comparedExpressions(condition.predicates);
  const texts = clauseTexts(select);
  const added = [
    ...expressions.map((tokens, at) => `${textOf(tokens)} AS ${storedColumn.variable(at)}`),
    ...ordering.extra.map((tokens, at) => `${textOf(tokens)} AS ${storedColumn.sort(at)}`),
  ];
  texts.set('SELECT', appended(texts.get('SELECT'), added, ', '));
  texts.set('WHERE', condition.rest.join(' AND '));
  if (isGrouped) {
    texts.set('GROUP BY', appended(texts.get('GROUP BY'), expressions.map(textOf), ', '));
  }
  for (const name of ['ORDER BY', 'LIMIT BY', 'LIMIT', 'OFFSET'] as const) texts.delete(name);
  const names = [
    ...columns.map((_column, at) => storedColumn.result(at)),
    ...expressions.map((_expression, at) => storedColumn.variable(at)),
    ...ordering.extra.map((_expression, at) => storedColumn.sort(at)),
  ];
  const own = clauseTexts(select);
  const selected = columns.map(
    ({ name }, at) => `${storedColumn.result(at)} AS ${quoteName(name)}`,
  );
  const readQuery = renderSelect(
    new Map([
      ['SELECT', `${select.isDistinct ? 'DISTINCT ' : ''}${selected.join(', ')}`],
      ['FROM', storedTable],
      ['WHERE', readConditions(condition.predicates)],
      ['ORDER BY', ordering.orderBy],
      ['LIMIT BY', ordering.limitBy],
      ['LIMIT', own.get('LIMIT') ?? ''],
      ['OFFSET', own.get('OFFSET') ?? ''],
    ]),
  );
  return { storedQuery: withColumnNames(renderSelect(texts), names), readQuery, aggregates: [] };
}
