/**
 * Rounding: a sum of floats depends on the order of addition, so a query does not determine results that depend on
 * its last digits, such as which rows pass `HAVING sum(x) > 10` if a sum is 10, or the text of a sum.
 */
import type { EngineStatement } from '../../engine/query-engine.ts';
import { ServiceError } from '../../errors/service-error.ts';
import { isTextError, type SqlAnalysis } from '../../sql/sql-analysis.ts';
import type { MaterializationDeps } from '../deps.ts';
import { type AggregateNames, openAggregateNames } from '../planner/text/aggregates.ts';
import {
  bracketDepths,
  closingBracketOf,
  isKeyword,
  isName,
  nameOf,
  type Tokens,
  textOf,
} from '../planner/text/tokens.ts';
import { type ComparisonInput, isAmongVariants, isEngineFailure } from './compare-results.ts';

/** Relative change of each number: more than summation loses, less than the comparison tolerates. */
const SHARE = 1e-13;
/** Signs for successive aggregates, so that changes do not cancel out in a difference of two. */
const directions: readonly (readonly number[])[] = [[1], [-1], [1, -1], [-1, 1]];

/**
 * Whether another order of addition could give the stored rows: their numbers differ by a share of the summed values,
 * or they are rows that the query returns when each number is changed in its last digits.
 */
export async function isExplainedByRounding(
  deps: MaterializationDeps,
  compared: ComparisonInput,
): Promise<boolean> {
  const { inline, shape, signal } = compared;
  if (!shape.isRounded) return false;
  try {
    const analysis = deps.engine.analysis(inline.projectId);
    const names = openAggregateNames(await analysis.functions());
    const tokens = await analysis.tokens(await analysis.format(inline.sql));
    const summands = await floatSummands(tokens, names, { analysis, params: inline.params });
    if (summands.length === 0) return false;
    const variants = (write: (text: string, sign: number) => string) =>
      directions.map((signs): EngineStatement => {
        const spans = summands.map((span, at) => {
          const sign = signs[at % signs.length] ?? 1;
          return { ...span, text: write(span.text, sign) };
        });
        return { ...inline, sql: replaced(tokens, spans) };
      });
    const magnitudes = variants((text, sign) => `${sign} * abs(${text})`);
    const changed = variants((text, sign) => `(${text}) + ${sign * SHARE} * abs(${text})`);
    return await isAmongVariants(deps, { ...compared, magnitudes }, changed);
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof ServiceError && !isEngineFailure(error)) return false;
    throw error;
  }
}

/** What to write where rounding may decide which rows there are in a way that no other order of addition was found to give. */
export function hintAtRounding({ isRounded }: ComparisonInput['shape']): string {
  return isRounded
    ? ' If only digits of floating point numbers differ, or rows for which these decide, round or convert them, as in HAVING round(sum(x), 6) > 0 or sum(toDecimal64(x, 6)).'
    : '';
}

interface Span {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

function replaced(tokens: Tokens, spans: readonly Span[]): string {
  const pieces: string[] = [];
  let next = 0;
  for (const { start, end, text } of spans) {
    pieces.push(textOf(tokens.slice(next, start)), ` ${text}`);
    next = end;
  }
  return [...pieces, textOf(tokens.slice(next))].join('');
}

/** Summed expressions that are neither integers nor decimals, detected by functions defined only for those types. */
async function floatSummands(
  tokens: Tokens,
  names: AggregateNames,
  { analysis, params }: { analysis: SqlAnalysis; params: Readonly<Record<string, string>> },
): Promise<readonly Span[]> {
  const found: Span[] = [];
  const takes = async (sql: string) => {
    try {
      return (await analysis.describe(sql, params)).length > 0;
    } catch (error) {
      if (isTextError(error)) return false;
      throw error;
    }
  };
  for (const span of listSummands(tokens, names)) {
    const isInteger = await takes(replaced(tokens, [{ ...span, text: `bitAnd(${span.text}, 1)` }]));
    const asDecimal = [{ ...span, text: `isDecimalOverflow(${span.text})` }];
    if (!isInteger && !(await takes(replaced(tokens, asDecimal)))) found.push(span);
  }
  return found;
}

const adding =
  /^(sum|avg|std|var|covar|corr|skew|kurt|simpleLinearRegression|exponential|boundingRatio)/;

/** The first argument of each outermost summing aggregate. */
function listSummands(tokens: Tokens, names: AggregateNames): readonly Span[] {
  const spans: Span[] = [];
  for (let at = 0; at < tokens.length; at += 1) {
    const token = tokens[at];
    const name = isName(token) && tokens[at + 1]?.text === '(' ? names(nameOf(token)) : null;
    if (name === null || !adding.test(name.base)) continue;
    const first = closingBracketOf(tokens, at + 1);
    const open = tokens[first + 1]?.text === '(' ? first + 1 : at + 1;
    const start = isKeyword(tokens[open + 1], 'DISTINCT') ? open + 2 : open + 1;
    const args = tokens.slice(start, closingBracketOf(tokens, open));
    const depth = bracketDepths(args);
    const comma = args.findIndex(({ text }, i) => text === ',' && depth[i] === 0);
    const end = comma < 0 ? start + args.length : start + comma;
    spans.push({ start, end, text: textOf(tokens.slice(start, end)) });
    at = end;
  }
  return spans;
}
