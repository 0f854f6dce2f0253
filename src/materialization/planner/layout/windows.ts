/** Window functions beside variables: exact where every window stays within one value of each variable. */
import type { PlanContext } from '../plan-context.ts';
import { refuse } from '../refusal.ts';
import { storedClauses } from '../stored-columns.ts';
import { type AggregateCall, aggregateCalls } from '../text/aggregates.ts';
import { renderSelect, type Select } from '../text/select.ts';
import {
  closingBracketOf,
  hasKeyword,
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
 * compared with, so that a condition on it selects whole partitions.
 */
export async function requireExactWindows(context: PlanContext): Promise<void> {
  const { select } = context;
  const sums: string[] = [];
  for (const tokens of windowedParts(select)) {
    tokens.forEach((token, at) => {
      if (isKeyword(token, 'OVER')) requirePartition(tokens, at, context);
    });
    for (const call of aggregateCalls(tokens, context.names)) {
      if (call.isWindow) sums.push(...sumsOf(call));
    }
  }
  if (sums.length === 0) return;
  const texts = storedClauses(context);
  const items = select.items.map(({ tokens }) => textOf(tokens));
  const added = sums.map((sum, at) => `${sum} OVER () AS __a${at}`);
  texts.set('SELECT', [...items, ...added].join(', '));
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
export function hasWindow({ select }: PlanContext): boolean {
  return windowedParts(select).some((tokens) => hasKeyword(tokens, 'OVER'));
}

function windowedParts({ items, clauses }: Select): readonly Tokens[] {
  return [...items.map(({ tokens }) => tokens), clauses.get('ORDER BY') ?? []];
}
