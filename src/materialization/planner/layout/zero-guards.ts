/**
 * 0 and -0 are equal, so `max(price)` of both is whichever comes first: an inline run and a stored table may differ. Data that
 * holds -0 is rare, so a query over floating point numbers is not refused for it. Instead the build fails where -0 occurs.
 */
import { quoteText } from '../../../sql/quote-name.ts';
import { isTextError } from '../../../sql/sql-analysis.ts';
import { FLOAT } from '../column-types.ts';
import type { PlanContext } from '../plan-context.ts';
import { stored, storedClauses } from '../stored-columns.ts';
import { type AggregateCall, groupedCalls } from '../text/aggregates.ts';
import { argumentsOf } from '../text/conditional-aggregates.ts';
import { hasVariable } from '../text/parameters.ts';
import { renderSelect } from '../text/select.ts';
import { hasKeyword, hasSameText, type Tokens, textOf } from '../text/tokens.ts';

const CHOOSES_ONE = /^(min|max|quantiles?Exact\w*)$/;
const simpleCombinators = new Set(['If', 'OrNull', 'OrDefault', 'Distinct']);

interface Chosen {
  readonly call: string;
  readonly argument: Tokens;
}

/** Expressions for the columns `__z…` of the stored table, which hold nothing but 0. */
export async function zeroGuards(context: PlanContext): Promise<readonly string[]> {
  const chosen = chosenArguments(context);
  if (chosen.length === 0) return [];
  const types = await typesOf(context, chosen);
  return chosen.flatMap(({ call, argument }, at) =>
    FLOAT.test(types[at] ?? '') ? [`max(${guardOf(call, { argument: textOf(argument) })})`] : [],
  );
}

function chosenArguments({ select, names }: PlanContext): readonly Chosen[] {
  const { items, clauses } = select;
  const others = (['HAVING', 'LIMIT BY', 'QUALIFY', 'ORDER BY'] as const).map(
    (name) => clauses.get(name) ?? [],
  );
  const lists = [...items.map(({ expression }) => expression), ...others];
  const found: Chosen[] = [];
  for (const call of lists.flatMap((tokens) => groupedCalls(tokens, names))) {
    const argument = isSimple(call) ? argumentsOf(call)[0] : undefined;
    if (argument === undefined || hasVariable(argument)) continue;
    if (hasKeyword(argument, 'AS', 'SELECT', 'OVER')) continue;
    if (found.some((other) => hasSameText(other.argument, argument))) continue;
    found.push({ call: call.tokens[0]?.text ?? '', argument });
  }
  return found;
}

function isSimple({ name: { base, combinators } }: AggregateCall): boolean {
  return CHOOSES_ONE.test(base) && combinators.every((one) => simpleCombinators.has(one));
}

/** None where the arguments are no expressions of columns alone. */
async function typesOf(
  context: PlanContext,
  chosen: readonly Chosen[],
): Promise<readonly string[]> {
  const { analysis, parameters } = context;
  const texts = storedClauses(context);
  for (const name of ['GROUP BY', 'HAVING', 'QUALIFY'] as const) texts.delete(name);
  texts.set('SELECT', chosen.map(({ argument }, at) => `${textOf(argument)} AS g${at}`).join(', '));
  try {
    const columns = await analysis.describe(renderSelect(texts), parameters.samples);
    return columns.map(({ type }) => type);
  } catch (error) {
    if (isTextError(error)) return [];
    throw error;
  }
}

const meetsZero =
  'meets -0 in the data, so that it may be 0 or -0 depending on the order of the rows';
/** The engine's message about a longer one would be cut. */
const maxShown = 60;

interface Guarded {
  /** In SQL. */
  readonly argument: string;
  /** As the message has it. */
  readonly shown?: string;
}

/** An expression that is 0, or fails the build. 1 / -0 is negative. */
export function guardOf(call: string, { argument, shown = argument }: Guarded): string {
  const named = `${call}(${shown.length > maxShown ? 'x' : shown}`;
  const reason = `The result of ${named}) ${meetsZero}; write ${named} + 0).`;
  const isNegative = `((${argument}) = 0) AND ((1 / (${argument})) < 0)`;
  return `throwIf(ifNull(${isNegative}, 0), ${quoteText(reason)})`;
}

/** Whether a build failed because of -0. */
export function isRefusedForZero(message: string): boolean {
  return message.includes(meetsZero);
}

/** The stored columns of a layout's guards, with what is in them. */
export function guardColumns({
  zeroGuards: guards = [],
}: Pick<PlanContext, 'zeroGuards'>): readonly (readonly [column: string, text: string])[] {
  return guards.map((text, at) => [stored.guard(at), text]);
}
