/** Sorting keys of pieces, and the piece columns that variables are compared with. */
import type { PlannedPredicate } from '../../../model/materialization-plan.ts';
import { isTextError } from '../../../sql/sql-analysis.ts';
import { isFoundBySet, isIndexable, isSortable } from '../column-types.ts';
import type { QueryContext } from '../plan-context.ts';
import { splitComparison } from '../text/comparisons.ts';
import { hasVariable, variablesIn } from '../text/parameters.ts';
import {
  conjuncts,
  hasKeyword,
  identifiersIn,
  isKeyword,
  isName,
  nameOf,
  splitBy,
  splitList,
  type Tokens,
  textOf,
  unwrapped,
} from '../text/tokens.ts';
import { countInPredicates } from './derived-filters.ts';
import type { Piece, ReadCondition, Splitting } from './pieces.ts';
import { isBracketed, isQuery } from './query-text.ts';

interface Comparison {
  readonly piece: number;
  /** The side with the piece's columns, unqualified. */
  readonly left: Tokens;
  readonly operator: string;
  /** Values of the run or, for a semi-join, the subquery in parentheses. */
  readonly right: Tokens;
}

/** A comparison of the piece's own columns with variables; null for other predicates. */
function comparisonOf({ piece, alias, condition }: ReadCondition, own: Piece): Comparison | null {
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

function unqualified(tokens: Tokens, alias: string): Tokens {
  return tokens.filter((token, at) => {
    const isQualifier = isName(token) && nameOf(token) === alias && tokens[at + 1]?.text === '.';
    const before = tokens[at - 1];
    const isDot =
      token.text === '.' && before !== undefined && isName(before) && nameOf(before) === alias;
    return !isQualifier && !isDot;
  });
}

function rankOf(operator: string): number | null {
  if (operator === '=') return 0;
  if (operator === 'IN') return 1;
  return /^[<>]/.test(operator) ? 2 : null;
}

export interface SortedPieces {
  readonly sortingKeys: readonly (readonly string[])[];
  readonly predicates: readonly PlannedPredicate[];
}

/**
 * Sorts each piece by its columns that are compared with variables or looked up in a subquery: equality first, then IN,
 * then ranges. A column is omitted unless the index returns the same rows as each of its comparisons.
 */
export async function sortPieces(splitting: Splitting, read: Tokens): Promise<SortedPieces> {
  const { pieces, conditions, query } = splitting;
  const compared = await typed(splitting);
  const sortingKeys = pieces.map(({ columns }, piece) =>
    columns
      .flatMap(({ name, type }) => {
        const own = compared.filter(
          ({ condition }) => condition.piece === piece && mentions(condition.condition, name),
        );
        const ranks = own.map(({ comparison, isFound }) =>
          comparison !== null && isColumnNamed(comparison.left, name) && isFound(type)
            ? rankOf(comparison.operator)
            : Number.NaN,
        );
        const usable = ranks.flatMap((rank) => rank ?? []);
        const isElsewhere = CONVERTED.test(type) && isUsedElsewhere(name, own, read);
        if (usable.length === 0 || usable.some(Number.isNaN) || !isSortable(type)) return [];
        if (isElsewhere) return [];
        return [{ name, rank: Math.min(...usable) }];
      })
      .toSorted((a, b) => a.rank - b.rank)
      .map(({ name }) => name),
  );
  return {
    sortingKeys,
    predicates: conditions.flatMap((condition) => predicatesOf(condition, pieces, query)),
  };
}

interface TypedCondition extends OwnCondition {
  /** Null for predicates that are neither a comparison nor a semi-join. */
  readonly comparison: Comparison | null;
  /** Whether the index of a column of this type finds the same rows as the comparison. */
  readonly isFound: (columnType: string) => boolean;
}

async function typed(splitting: Splitting): Promise<readonly TypedCondition[]> {
  const compared = splitting.conditions.map((condition) => {
    const piece = splitting.pieces[condition.piece];
    return { condition, comparison: piece === undefined ? null : comparisonOf(condition, piece) };
  });
  const comparisons = compared.flatMap(({ comparison }) => comparison ?? []);
  const given = await givenTypes(comparisons, splitting);
  return Promise.all(
    compared.map(async ({ condition, comparison }): Promise<TypedCondition> => {
      if (comparison !== null) {
        const type = given[comparisons.indexOf(comparison)] ?? '';
        return { condition, comparison, isFound: (own) => isIndexable(own, type) };
      }
      const semiJoin = semiJoinOf(condition);
      const type = semiJoin === null ? null : await subqueryType(semiJoin, splitting);
      return {
        condition,
        comparison: semiJoin,
        isFound: (own) => type !== null && isFoundBySet(own, type),
      };
    }),
  );
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

/** The engine may also use the index for predicates of an enclosing SELECT, and converts these types inexactly. */
const CONVERTED = /Date|Decimal/;

/** Whether predicates other than the column's own may compare it, or values that are derived from it. */
function isUsedElsewhere(name: string, own: readonly OwnCondition[], read: Tokens): boolean {
  const compared = own.reduce((sum, { condition }) => sum + countOf(condition.condition, name), 0);
  return (countInPredicates(read, name) ?? countOf(read, name)) > compared;
}

interface OwnCondition {
  readonly condition: ReadCondition;
}

function countOf(tokens: Tokens, name: string): number {
  return tokens.filter((token) => isName(token) && nameOf(token) === name).length;
}

function mentions(condition: Tokens, name: string): boolean {
  return condition.some((token) => isName(token) && nameOf(token) === name);
}

function isColumnNamed(tokens: Tokens, name: string): boolean {
  const [token] = tokens;
  return tokens.length === 1 && isName(token) && nameOf(token) === name;
}

async function givenTypes(
  comparisons: readonly Comparison[],
  { query: { analysis, parameters } }: Splitting,
): Promise<readonly string[]> {
  if (comparisons.length === 0) return [];
  const items = comparisons.map(({ right }, at) => {
    const isTuple = right[0]?.text === '(' && splitList(right.slice(1, -1)).length > 1;
    const list = isTuple ? `[${textOf(right.slice(1, -1))}]` : textOf(right);
    return `${list} AS g${at}`;
  });
  const columns = await analysis.describe(`SELECT ${items.join(', ')}`, parameters.samples);
  return columns.map(({ type }) => type);
}

/** The comparisons in a predicate: `a = {x}` and `b = {y}` for `a = {x} OR b = {y}`. */
function partsOf(condition: Tokens): readonly Tokens[] {
  const tokens = unwrapped(condition);
  const either = splitBy(tokens, (token) => isKeyword(token, 'OR'));
  if (either.length > 1) return either.flatMap(partsOf);
  const all = conjuncts(tokens);
  if (all.length > 1) return all.flatMap(partsOf);
  return isKeyword(tokens[0], 'NOT') ? partsOf(tokens.slice(1)) : [tokens];
}

function predicatesOf(
  whole: ReadCondition,
  pieces: readonly Piece[],
  { parameters: { names, restore } }: QueryContext,
): readonly PlannedPredicate[] {
  const own = pieces[whole.piece];
  if (own === undefined) return [];
  const parts = partsOf(whole.condition);
  return parts.flatMap((condition) => {
    const comparison = comparisonOf({ ...whole, condition }, own);
    if (comparison === null) return [];
    const { piece, left, operator, right } = comparison;
    const text = textOf(left);
    const isAll = parts.length === 1;
    const all = isAll
      ? `${text} ${operator} ${textOf(right)}`
      : textOf(unqualified(whole.condition, whole.alias));
    return variablesIn(right).map((variable) => ({
      variable: names[variable] ?? '',
      condition: restore(all),
      expression: text,
      operator,
      column: text,
      table: piece,
    }));
  });
}
