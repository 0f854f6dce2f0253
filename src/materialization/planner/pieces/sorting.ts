/** Sorting keys of pieces, and the piece columns that variables are compared with. */
import type { PlannedPredicate } from '../../../model/materialization-plan.ts';
import { isIndexable, isSortable } from '../column-types.ts';
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
import type { Piece, ReadCondition, Splitting } from './pieces.ts';

interface Comparison {
  readonly piece: number;
  /** The side with the piece's columns, unqualified. */
  readonly left: Tokens;
  readonly operator: string;
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
 * Sorts each piece by its columns that are compared with variables: equality first, then IN, then ranges. A column is
 * omitted unless the index returns the same rows as each of its comparisons.
 */
export async function sortPieces(splitting: Splitting, read: Tokens): Promise<SortedPieces> {
  const { pieces, conditions, query } = splitting;
  const compared = conditions.map((condition) => {
    const piece = pieces[condition.piece];
    return { condition, comparison: piece === undefined ? null : comparisonOf(condition, piece) };
  });
  const comparisons = compared.flatMap(({ comparison }) => comparison ?? []);
  const given = await givenTypes(comparisons, splitting);
  const sortingKeys = pieces.map(({ columns }, piece) =>
    columns
      .flatMap(({ name, type }) => {
        const own = compared.filter(
          ({ condition }) => condition.piece === piece && mentions(condition.condition, name),
        );
        const ranks = own.map(({ comparison }) => {
          const at = comparison === null ? -1 : comparisons.indexOf(comparison);
          const isColumn = comparison !== null && isColumnNamed(comparison.left, name);
          const isFound = isColumn && isIndexable(type, given[at] ?? '');
          return isFound ? rankOf(comparison.operator) : Number.NaN;
        });
        const usable = ranks.flatMap((rank) => rank ?? []);
        const isElsewhere = CONVERTED.test(type) && countOf(read, name) > countIn(own, name);
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

/** The engine may also use the index for predicates of an enclosing SELECT, and converts these types inexactly. */
const CONVERTED = /Date|Decimal/;

function countOf(tokens: Tokens, name: string): number {
  return tokens.filter((token) => isName(token) && nameOf(token) === name).length;
}

function countIn(own: readonly { readonly condition: ReadCondition }[], name: string): number {
  return own.reduce((sum, { condition }) => sum + countOf(condition.condition, name), 0);
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
