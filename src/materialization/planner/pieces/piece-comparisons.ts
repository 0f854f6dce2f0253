/** How the predicates of a read compare the columns of pieces: with variables, or with what a subquery finds. */
import { isTextError } from '../../../sql/sql-analysis.ts';
import { isFoundBySet, isIndexable } from '../column-types.ts';
import { kindOf, splitComparison } from '../text/comparisons.ts';
import { hasVariable } from '../text/parameters.ts';
import {
  hasKeyword,
  identifiersIn,
  isKeyword,
  isName,
  nameOf,
  splitList,
  type Tokens,
  textOf,
  unwrapped,
} from '../text/tokens.ts';
import { type Combined, combined, leavesOf, mapParts } from './combined.ts';
import type { Piece, ReadCondition, Splitting } from './pieces.ts';
import { isBracketed, isQuery } from './query-text.ts';

export interface Comparison {
  readonly piece: number;
  /** The side with the piece's columns, unqualified. */
  readonly left: Tokens;
  readonly operator: string;
  /** Values of the run or, for a semi-join, the subquery in parentheses. */
  readonly right: Tokens;
}

/** A comparison of the piece's own columns with variables; null for other predicates. */
export function comparisonOf(
  { piece, alias, condition }: ReadCondition,
  own: Piece,
): Comparison | null {
  const sides = splitComparison(condition);
  // `<=>` matches NULL, and no index evaluates it.
  if (sides === null || sides.operator === '<=>') return null;
  const { left, operator } = sides;
  const right = unwrapped(sides.right);
  const isOther = !hasVariable(right) || !usesOwnColumns(left, alias, own);
  if (isOther || hasKeyword(condition, 'SELECT', 'AND', 'OR')) return null;
  return { piece, left: unqualified(left, alias), operator, right };
}

function usesOwnColumns(tokens: Tokens, alias: string, { columns }: Piece): boolean {
  const names = identifiersIn(tokens).map((at) => ({ token: tokens[at], next: tokens[at + 1] }));
  const isColumn = (name: string) => columns.some((column) => column.name === name);
  return (
    names.length > 0 &&
    names.every(({ token, next }) => {
      if (token === undefined) return false;
      const name = nameOf(token);
      return isColumn(name) || (name === alias && next?.text === '.');
    })
  );
}

export function unqualified(tokens: Tokens, alias: string): Tokens {
  return tokens.filter((token, at) => {
    const isQualifier = isName(token) && nameOf(token) === alias && tokens[at + 1]?.text === '.';
    const before = tokens[at - 1];
    const isDot =
      token.text === '.' && before !== undefined && isName(before) && nameOf(before) === alias;
    return !isQualifier && !isDot;
  });
}

/** The places of columns in a sorting key, by how reads compare them. A run may leave out optional comparisons. */
export const ranks = { equal: 0, set: 1, range: 2, lookup: 3, pattern: 4, optional: 5 } as const;

/** Null for comparisons that no index serves. */
function rankOf(operator: string): number | null {
  const kind = kindOf(operator);
  if (kind !== null && kind !== 'scan') return ranks[kind];
  return operator === 'LIKE' ? ranks.pattern : null;
}

export interface Comparing {
  readonly tokens: Tokens;
  /** Null for what is neither a comparison nor a semi-join. */
  readonly comparison: Comparison | null;
  /** Whether the index of a column of this type finds the same rows as the comparison. */
  readonly isFound: (columnType: string) => boolean;
  readonly rank: number | null;
}

export interface TypedCondition {
  readonly condition: ReadCondition;
  readonly parts: Combined<Comparing>;
}

/** Each predicate of the reads on pieces, as comparisons with the types of both sides. */
export async function typedConditions(splitting: Splitting): Promise<readonly TypedCondition[]> {
  const compared = splitting.conditions.map((condition) => {
    const piece = splitting.pieces[condition.piece];
    const parts = mapParts(combined(condition.condition), (tokens) => {
      const one = { ...condition, condition: tokens };
      return { one, comparison: piece === undefined ? null : comparisonOf(one, piece) };
    });
    return { condition, parts };
  });
  const comparisons = compared.flatMap(({ parts }) =>
    leavesOf(parts).flatMap(({ comparison }) => comparison ?? []),
  );
  const given = await givenTypes(comparisons, splitting);
  const semiJoins = new Map<ReadCondition, { readonly join: Comparison; readonly type: string }>();
  for (const { one, comparison } of compared.flatMap(({ parts }) => leavesOf(parts))) {
    const join = comparison === null ? semiJoinOf(one) : null;
    const type = join === null ? null : await subqueryType(join, splitting);
    if (join !== null && type !== null) semiJoins.set(one, { join, type });
  }
  return compared.map(({ condition, parts }) => ({
    condition,
    parts: mapParts(parts, ({ one, comparison }): Comparing => {
      const tokens = one.condition;
      if (comparison !== null) {
        const type = given.get(comparison);
        const rank = rankOf(comparison.operator);
        const isFound = (own: string) => type !== undefined && isIndexable(own, type);
        return { tokens, comparison, rank, isFound };
      }
      const { join = null, type } = semiJoins.get(one) ?? {};
      const isFound = (own: string) => type !== undefined && isFoundBySet(own, type);
      return { tokens, comparison: join, rank: ranks.lookup, isFound };
    }),
  }));
}

/** `column IN (SELECT …)`, of which the engine looks up the values in the index. */
function semiJoinOf({ piece, alias, condition }: ReadCondition): Comparison | null {
  const at = condition.findIndex((token) => isKeyword(token, 'IN'));
  const left = unqualified(unwrapped(condition.slice(0, Math.max(at, 0))), alias);
  const right = condition.slice(at + 1);
  const isSubquery = isBracketed(right) && isQuery(right.slice(1));
  return left.length === 1 && isSubquery ? { piece, left, operator: 'IN', right } : null;
}

/** The type of the subquery's column; null if there are several or the subquery depends on the rest of the query. */
async function subqueryType(
  { right }: Comparison,
  { describe }: Splitting,
): Promise<string | null> {
  try {
    const [column, ...others] = await describe(textOf(right.slice(1, -1)));
    return column === undefined || others.length > 0 ? null : column.type;
  } catch (error) {
    if (isTextError(error)) return null;
    throw error;
  }
}

/** The types of their right sides, without those that the engine does not take on their own. */
async function givenTypes(
  comparisons: readonly Comparison[],
  splitting: Splitting,
): Promise<ReadonlyMap<Comparison, string>> {
  const { analysis, parameters } = splitting.query;
  if (comparisons.length === 0) return new Map();
  const items = comparisons.map((comparison, at) => `${givenText(comparison)} AS g${at}`);
  try {
    const columns = await analysis.describe(`SELECT ${items.join(', ')}`, parameters.samples);
    return new Map(comparisons.map((comparison, at) => [comparison, columns[at]?.type ?? '']));
  } catch (error) {
    const [one, ...others] = comparisons;
    if (!isTextError(error) || one === undefined) throw error;
    if (others.length === 0) return new Map();
    const each = comparisons.map((comparison) => givenTypes([comparison], splitting));
    return new Map((await Promise.all(each)).flatMap((types) => [...types]));
  }
}

/** The values of IN as an array. */
function givenText({ operator, right }: Comparison): string {
  const isList = operator.endsWith('IN') && right[0]?.text === '(';
  const isTuple = isList && splitList(right.slice(1, -1)).length > 1;
  return isTuple ? `[${textOf(right.slice(1, -1))}]` : textOf(right);
}
