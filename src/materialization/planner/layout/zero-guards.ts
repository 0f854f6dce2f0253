/**
 * 0 and -0 are equal, so `max(price)` over both returns whichever comes first, and an inline run may differ from a
 * stored table. Since -0 is rare, queries over floats are not refused; the build fails if it encounters -0. DISTINCT
 * and LIMIT BY take both for one value if the engine reads rows sorted, and for two if not; the same holds for NaNs of
 * different bits.
 */
import type { SourceCheck } from '../../../model/materialization-plan.ts';
import { quoteName, quoteTable, quoteText } from '../../../sql/quote-name.ts';
import { isTextError } from '../../../sql/sql-analysis.ts';
import { FLOAT } from '../column-types.ts';
import type { PlanContext } from '../plan-context.ts';
import { stored, storedClauses } from '../stored-columns.ts';
import { type AggregateCall, groupedCalls } from '../text/aggregates.ts';
import { argumentsOf } from '../text/conditional-aggregates.ts';
import { hasVariable } from '../text/parameters.ts';
import { renderSelect } from '../text/select.ts';
import { hasKeyword, hasSameText, type Tokens, textOf } from '../text/tokens.ts';
import {
  choosesValue,
  DISTINCT,
  isClause,
  LIMIT_BY,
  type ZeroChoice,
} from '../tree/signed-zero.ts';
import { parseLimitBy } from './ordering.ts';

const simpleCombinators = new Set(['If', 'OrNull', 'OrDefault', 'Distinct']);

interface Chosen {
  /** A function, or a clause. */
  readonly call: string;
  readonly argument: Tokens;
}

/** Expressions of the stored table's `__z…` columns, whose only value is 0. */
export async function zeroGuards(context: PlanContext): Promise<readonly string[]> {
  const isLimited = parseLimitBy(context.select) !== null;
  const floats = await floatsAmong(context, chosenArguments(context));
  return floats.map(({ call, argument }) => {
    const guarded = { argument: textOf(argument), within: call };
    return `max(${guardOf(isLimited ? LIMIT_BY : call, guarded)})`;
  });
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
    const params = call.params === '' ? '' : `(${call.params})`;
    found.push({ call: `${call.tokens[0]?.text ?? ''}${params}`, argument });
  }
  return found;
}

function isSimple({ name: { base, combinators } }: AggregateCall): boolean {
  return choosesValue(base) && combinators.every((one) => simpleCombinators.has(one));
}

/** None if an argument cannot be computed from the source's columns alone. */
async function floatsAmong(
  context: PlanContext,
  chosen: readonly Chosen[],
): Promise<readonly Chosen[]> {
  if (chosen.length === 0) return [];
  const { analysis, parameters } = context;
  const texts = storedClauses(context);
  for (const name of ['GROUP BY', 'HAVING', 'QUALIFY'] as const) texts.delete(name);
  texts.set('SELECT', chosen.map(({ argument }, at) => `${textOf(argument)} AS g${at}`).join(', '));
  try {
    const columns = await analysis.describe(renderSelect(texts), parameters.samples);
    return chosen.filter((_chosen, at) => FLOAT.test(columns[at]?.type ?? ''));
  } catch (error) {
    if (isTextError(error)) return [];
    throw error;
  }
}

/** Expressions of the guards for what a query without groups keeps once. */
export async function keptGuards(context: PlanContext): Promise<readonly string[]> {
  const { select } = context;
  const distinct = select.isDistinct ? select.items.map(({ expression }) => expression) : [];
  const limited = parseLimitBy(select)?.expressions ?? [];
  const kept = [
    ...distinct.map((argument) => ({ call: DISTINCT, argument })),
    ...limited.map((argument) => ({ call: LIMIT_BY, argument })),
  ].filter(({ argument }) => !hasVariable(argument));
  const floats = await floatsAmong(context, kept);
  return floats.map(({ call, argument }) => guardOf(call, { argument: textOf(argument) }));
}

const meetsZero = 'in the data, so that it may be 0 or -0 depending on the order of the rows';
const meetsBoth = 'in the data, which may count once or twice depending on the order of the rows';
/** The engine would truncate its message for a longer one. */
const maxShown = 60;

interface Guarded {
  /** SQL. */
  readonly argument: string;
  /** As displayed in the message. */
  readonly shown?: string;
  /** For a clause: the function whose results it compares. */
  readonly within?: string;
}

/** An expression that is 0 or fails the build. */
export function guardOf(call: string, guarded: Guarded): string {
  const { condition, reason } = zeroFault(call, guarded);
  return `throwIf(${condition}, ${quoteText(reason)})`;
}

/** The condition of the rows for which an expression must not be used. Detects -0 by 1 / -0 being negative. */
export function zeroFault(
  call: string,
  { argument, shown = argument, within }: Guarded,
): { readonly condition: string; readonly reason: string } {
  const name = shown.length > maxShown ? 'x' : shown;
  const isNegative = `((${argument}) = 0) AND ((1 / (${argument})) < 0)`;
  if (!isClause(call)) {
    const named = `${call}(${name}`;
    const reason = `The result of ${named}) meets -0 ${meetsZero}; write ${named} + 0).`;
    return { condition: `ifNull(${isNegative}, 0)`, reason };
  }
  const called = (text: string) => (within === undefined ? text : `${within}(${text})`);
  const mend = called(`ifNotFinite(${name}, 0) + 0`);
  const reason = `${call} of ${called(name)} meets -0, or a NaN of unusual bits, ${meetsBoth}; write ${mend}.`;
  const bits = `reinterpretAsUInt64(assumeNotNull(toFloat64(${argument})))`;
  const isUnusual = `isNaN(${argument}) AND (${bits} != ${usualNaN})`;
  return { condition: `ifNull((${isNegative}) OR (${isUnusual}), 0)`, reason };
}

/** The bits of the NaN that is read from text. */
const usualNaN = 0x7ff8n << 48n;

/** Whether a build failed because of -0, or of a NaN. */
export function isRefusedForZero(message: string): boolean {
  return message.includes(meetsZero) || message.includes(meetsBoth);
}

/** The stored columns of the guards, with their expressions. */
export function guardColumns({
  zeroGuards: guards = [],
}: Pick<PlanContext, 'zeroGuards'>): readonly (readonly [column: string, text: string])[] {
  return guards.map((text, at) => [stored.guard(at), text]);
}

/** Columns that must not hold -0, which the stored table guards, with the function or clause that is named in errors. */
export function guardedColumns(choices: readonly ZeroChoice[]): ReadonlyMap<string, string> {
  const guarded = new Map<string, string>();
  for (const { call, isDirect, sources } of choices) {
    for (const { column } of isDirect ? sources : []) {
      // The guard of a clause excludes more than that of a function.
      if (!isClause(guarded.get(column))) guarded.set(column, call);
    }
  }
  return guarded;
}

/** How each sync checks the columns of the tables, where no stored table guards them. */
export function zeroChecks(choices: readonly ZeroChoice[]): readonly SourceCheck[] {
  return choices.flatMap(({ call, argument, sources }) =>
    sources.map(({ table, column, isFloat, excluded }) => {
      const name = quoteName(column);
      const fault = zeroFault(call, { argument: name, shown: argument });
      const isNegative = excluded === 'negative' ? [`ifNull(${name} < 0, 0)`] : [];
      const isFault = [...isNegative, ...(isFloat ? [fault.condition] : [])].join(' OR ');
      return {
        countFaults: `SELECT countIf(${isFault}) FROM ${quoteTable(table)}`,
        reason: excluded === 'negative' ? signReason(call, argument, column) : fault.reason,
      };
    }),
  );
}

function signReason(call: string, argument: string, column: string): string {
  return `The result of ${call}(${argument}) may be 0 or -0 depending on the order of the rows, since it is computed of ${column}, which has numbers below 0; write ${call}(${argument} + 0).`;
}
