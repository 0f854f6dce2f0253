/** Window functions under variables: exact where every window stays within one value of each variable. */
import type { PlanContext } from '../plan-context.ts';
import { refuse } from '../refusal.ts';
import { type AggregateCall, aggregateCalls } from '../text/aggregates.ts';
import { appended, clauseTexts, renderSelect } from '../text/select.ts';
import {
  closingBracketOf,
  hasSameText,
  isKeyword,
  nameOf,
  splitList,
  type Tokens,
  textOf,
} from '../text/tokens.ts';

const acceptedFunctions = new Set(
  (
    'row_number rank denseRank percentRank ntile cume_dist lag lead lagInFrame ' +
    'leadInFrame any anyLast nth_value count sum avg min max'
  ).split(' '),
);

/**
 * Throws Refusal unless each window of the SELECT is partitioned by every expression that a variable is
 * compared with: then a condition on it keeps or drops whole partitions.
 */
export async function requireExactWindows(context: PlanContext): Promise<void> {
  const { select, condition } = context;
  const tokenLists = [
    ...select.items.map(({ tokens }) => tokens),
    select.clauses.get('ORDER BY') ?? [],
  ];
  const sums: string[] = [];
  for (const tokens of tokenLists) {
    tokens.forEach((token, at) => {
      if (isKeyword(token, 'OVER')) requirePartition(tokens, at, context);
    });
    for (const call of aggregateCalls(tokens, context.names)) {
      if (call.isWindow) sums.push(...sumsOf(call));
    }
  }
  if (sums.length === 0) return;
  const texts = clauseTexts(select);
  const items = sums.map((sum, at) => `${sum} OVER () AS __a${at}`);
  texts.set(
    'SELECT',
    appended(select.items.map(({ tokens }) => textOf(tokens)).join(', '), items, ', '),
  );
  for (const name of ['ORDER BY', 'LIMIT BY', 'LIMIT', 'OFFSET'] as const) texts.delete(name);
  texts.set('WHERE', condition.rest.join(' AND '));
  const columns = await context.analysis.describe(renderSelect(texts), context.parameters.samples);
  for (const { type } of columns.slice(-sums.length)) {
    if (/Float/.test(type)) {
      refuse(
        'A sum or average of floating point numbers over a window depends on the order of the rows; convert them, as in toDecimal64(x, 4).',
      );
    }
  }
}

function requirePartition(
  tokens: Tokens,
  over: number,
  { condition, parameters }: PlanContext,
): void {
  const window = tokens.slice(over + 2, closingBracketOf(tokens, over + 1));
  const isWritten = tokens[over + 1]?.text === '(' && isKeyword(window[0], 'PARTITION');
  const end = window.findIndex((token) => isKeyword(token, 'ORDER', 'ROWS', 'RANGE', 'GROUPS'));
  const partition = isWritten ? splitList(window.slice(2, end < 0 ? undefined : end)) : [];
  for (const { left, variables } of condition.predicates) {
    if (partition.some((expression) => hasSameText(expression, left))) continue;
    const name = parameters.names[variables[0] ?? 0] ?? '';
    refuse(
      `A window function looks at rows that the variable ${name} leaves out; write ${textOf(left)} into its PARTITION BY.`,
    );
  }
}

function sumsOf(call: AggregateCall): readonly string[] {
  const { base, combinators } = call.name;
  if (!acceptedFunctions.has(base) || combinators.length > 0) {
    const name = call.tokens[0] === undefined ? '' : nameOf(call.tokens[0]);
    refuse(
      `The window function ${name} cannot be materialized with variables; compute it in your own code.`,
    );
  }
  return base === 'sum' || base === 'avg' ? [`sum(${call.args})`] : [];
}

/** Whether any window function is used. */
export function hasWindow({ select }: Pick<PlanContext, 'select'>): boolean {
  const tokenLists = [
    ...select.items.map(({ tokens }) => tokens),
    select.clauses.get('ORDER BY') ?? [],
  ];
  return tokenLists.some((tokens) => tokens.some((token) => isKeyword(token, 'OVER')));
}
