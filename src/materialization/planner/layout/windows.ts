/** Window functions with variables: exact if each window stays within one value of every compared expression. */
import type { PlanContext } from '../plan-context.ts';
import { refuse } from '../refusal.ts';
import { type AggregateCall, aggregateCalls } from '../text/aggregates.ts';
import type { Select } from '../text/select.ts';
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
 * Throws Refusal unless every window is partitioned by each expression compared with a variable, so that a predicate
 * on it selects whole partitions.
 */
export function requireExactWindows(context: PlanContext): void {
  for (const tokens of windowedParts(context.select)) {
    tokens.forEach((token, at) => {
      if (isKeyword(token, 'OVER')) requirePartition(tokens, at, context);
    });
    for (const call of aggregateCalls(tokens, context.names)) {
      if (call.isWindow) requireAccepted(call);
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
  for (const { columns, variables } of condition.predicates) {
    const outside = columns.find(
      ({ expression }) => !partition.some((other) => hasSameText(other, expression)),
    );
    if (outside === undefined) continue;
    const name = parameters.names[variables[0] ?? 0] ?? '';
    refuse(
      `A window function looks at rows that the variable ${name} leaves out; write ${textOf(outside.expression)} into its PARTITION BY.`,
    );
  }
}

function requireAccepted(call: AggregateCall): void {
  const { base, combinators } = call.name;
  if (!acceptedFunctions.has(base) || combinators.length > 0) {
    const name = call.tokens[0] === undefined ? '' : nameOf(call.tokens[0]);
    refuse(
      `The window function ${name} cannot be materialized with variables; compute it in your own code.`,
    );
  }
}

export function hasWindow({ select }: PlanContext): boolean {
  return windowedParts(select).some((tokens) => hasKeyword(tokens, 'OVER'));
}

function windowedParts({ items, clauses }: Select): readonly Tokens[] {
  const others = [clauses.get('ORDER BY') ?? [], clauses.get('QUALIFY') ?? []];
  return [...items.map(({ tokens }) => tokens), ...others];
}
