/** How pieces are sorted, and with which of their columns variables are compared. */
import type { PlannedPredicate } from '../../../model/materialization-plan.ts';
import { isIndexable, isSortable } from '../column-types.ts';
import { splitComparison } from '../text/comparisons.ts';
import { hasVariable, type Parameters, variablesIn } from '../text/parameters.ts';
import {
  hasKeyword,
  identifiersIn,
  isName,
  nameOf,
  splitList,
  type Tokens,
  textOf,
  unwrapped,
} from '../text/tokens.ts';
import type { Piece, ReadCondition, Splitting } from './pieces.ts';

interface Comparison {
  readonly piece: number;
  /** The side of the piece's columns, without their qualifier. */
  readonly left: Tokens;
  readonly operator: string;
  readonly right: Tokens;
}

/** A comparison of columns of the piece alone with something of variables; null for other conditions. */
function comparisonOf({ piece, alias, condition }: ReadCondition, own: Piece): Comparison | null {
  const sides = splitComparison(condition);
  // A NULL is equal by `<=>`, which no index evaluates.
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
 * Sorts each piece by its columns that variables are compared with: by `=` first, then IN, then ranges. A column is left
 * out unless the engine's index finds what each of its comparisons does.
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
    predicates: comparisons.flatMap((each) => predicatesOf(each, query.parameters)),
  };
}

/** The engine may use the index for conditions of a SELECT around it as well, and converts these types inexactly. */
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

function predicatesOf(
  { piece, left, operator, right }: Comparison,
  { names, restore }: Parameters,
): readonly PlannedPredicate[] {
  const text = textOf(left);
  return variablesIn(right).map((variable) => ({
    variable: names[variable] ?? '',
    condition: restore(`${text} ${operator} ${textOf(right)}`),
    expression: text,
    operator,
    column: text,
    table: piece,
  }));
}
