/** Sorting keys of pieces, and the piece columns that variables are compared with. */
import type { PlannedPredicate } from '../../../model/materialization-plan.ts';
import { isSortable } from '../column-types.ts';
import type { QueryContext } from '../plan-context.ts';
import type { SortingKey } from '../sorting-key.ts';
import { comparedElement } from '../text/comparisons.ts';
import { variablesIn } from '../text/parameters.ts';
import {
  hasKeyword,
  identifiersIn,
  isKeyword,
  isName,
  nameOf,
  type Tokens,
  textOf,
} from '../text/tokens.ts';
import type { ColumnUses } from './column-uses.ts';
import { type Combined, combined, leavesOf } from './combined.ts';
import { hiddenConditions } from './hidden-conditions.ts';
import {
  type Comparing,
  comparisonOf,
  ranks,
  type TypedCondition,
  typedConditions,
  unqualified,
} from './piece-comparisons.ts';
import type { Piece, ReadCondition, Splitting } from './pieces.ts';
import { splitNested } from './query-text.ts';
import { CONVERTED } from './reordered-values.ts';

interface PlannedRead {
  readonly readQuery: string;
  readonly uses: ColumnUses;
}

export interface SortedPieces {
  readonly keys: readonly SortingKey[];
  /** Columns of keys whose conditions the read hides from the index. */
  readonly hidden: ReadonlySet<string>;
  readonly readQuery: string;
  readonly predicates: readonly PlannedPredicate[];
}

/**
 * Sorts each piece by its columns that are compared with variables or looked up in a subquery: equality first, then IN,
 * then ranges and lookups, then patterns, whose beginning may be known, and then what is optional. A column is omitted
 * unless the index returns the same rows as each of its comparisons.
 */
export async function sortPieces(
  splitting: Splitting,
  { readQuery, uses }: PlannedRead,
): Promise<SortedPieces> {
  const { pieces, conditions, query } = splitting;
  const hideable = await hiddenConditions(splitting, readQuery);
  const compared = await typedConditions(splitting);
  const keys = pieces.map(({ columns }, piece) => {
    const conditions = compared.filter(({ condition }) => condition.piece === piece);
    const ranked = columns
      .flatMap(({ name, type }) => {
        const rank = hideable.ranks.get(name);
        const usable = rank === undefined ? ranksOf(conditions, { name, type, columns }) : [rank];
        if (usable.length === 0 || usable.some(Number.isNaN) || !isSortable(type)) return [];
        if (rank === undefined && uses.isConverted(piece, name)) return [];
        if (CONVERTED.test(type) && uses.isUsedOtherwise(piece, name)) return [];
        return [{ name, rank: Math.min(...usable) }];
      })
      .toSorted((a, b) => a.rank - b.rank);
    return {
      sortingKey: ranked.map(({ name }) => name),
      anyOrder: ranked
        .filter(({ rank }) => rank === ranks.range || rank === ranks.lookup)
        .map(({ name }) => name),
    };
  });
  const names = keys.flatMap(({ sortingKey }) => sortingKey);
  const hidden = new Set(names.filter((name) => hideable.ranks.has(name)));
  return {
    keys,
    hidden,
    readQuery: hideable.hide(readQuery, hidden),
    predicates: conditions.flatMap((condition) => predicatesOf(condition, pieces, query)),
  };
}

/** A column of a piece, as conditions name it. */
interface KeyColumn {
  readonly name: string;
  readonly type: string;
  /** Qualifier of the piece's columns in the condition. */
  readonly alias: string;
  /** All columns of the piece. */
  readonly columns: Piece['columns'];
}

function ranksOf(
  conditions: readonly TypedCondition[],
  column: Omit<KeyColumn, 'alias'>,
): readonly number[] {
  return conditions.flatMap(
    ({ condition: { alias }, parts }) => rankOf(parts, { ...column, alias }) ?? [],
  );
}

/**
 * How a predicate selects values of a column: null if it does not, NaN if the index might select other rows than the
 * predicate. `a = {x} OR a = {y}` selects a set of values, and `{x} IS NULL OR a = {x}` is optional.
 */
function rankOf(parts: Combined<Comparing>, column: KeyColumn): number | null {
  if (parts.kind === 'one') return rankOfOne(parts.part, column);
  const own = parts.kind === 'any' ? parts.parts.filter((part) => !isFree(part)) : parts.parts;
  const found = own.map((part) => rankOf(part, column));
  const selecting = found.filter((rank) => rank !== null);
  if (selecting.some(Number.isNaN)) return Number.NaN;
  const isLeftOpen = parts.kind === 'any' && selecting.length < found.length;
  if (selecting.length === 0 || isLeftOpen) return null;
  if (parts.kind === 'all') return Math.min(...selecting);
  const rank = own.length === 1 ? Math.max(...selecting) : Math.max(ranks.set, ...selecting);
  return own.length < parts.parts.length ? ranks.optional + rank : rank;
}

function rankOfOne({ tokens, compared, rank }: Comparing, column: KeyColumn): number | null {
  // Conditions of the subqueries in it are conditions of their own.
  if (!mentions(splitNested(tokens).own, column)) return null;
  const own = compared.filter(({ left }) => mentions(left, column));
  const isFound = own.every(
    (each) => isColumnNamed(each.left, column.name) && each.isFound(column.type),
  );
  return own.length > 0 && isFound ? rank : Number.NaN;
}

/** Whether variables alone decide. */
function isFree(parts: Combined<Comparing>): boolean {
  return leavesOf(parts).every(
    ({ tokens }) => identifiersIn(tokens).length === 0 && !hasKeyword(tokens, 'SELECT'),
  );
}

function mentions(tokens: Tokens, column: KeyColumn): boolean {
  return tokens.some(
    (token, at) =>
      isName(token) && nameOf(token) === column.name && !isOfOtherTable(tokens, at, column),
  );
}

/** Whether the name is qualified by another table of the SELECT, rather than by a column with members. */
function isOfOtherTable(tokens: Tokens, at: number, { alias, columns }: KeyColumn): boolean {
  const [qualifier, dot] = [tokens[at - 2], tokens[at - 1]];
  if (dot?.text !== '.' || !isName(qualifier)) return false;
  const name = nameOf(qualifier);
  return name !== alias && !columns.some((one) => one.name === name);
}

function isColumnNamed(tokens: Tokens, name: string): boolean {
  const [token] = tokens;
  return tokens.length === 1 && isName(token) && nameOf(token) === name;
}

/** The comparisons in a predicate: `a = {x}` and `b = {y}` for `a = {x} OR b = {y}`. */
function partsOf(condition: Tokens): readonly Tokens[] {
  return leavesOf(combined(condition)).flatMap((one) =>
    isKeyword(one[0], 'NOT') ? partsOf(one.slice(1)) : [one],
  );
}

function asWritten(tokens: Tokens, { expressions = new Map<string, string>() }: Piece): string {
  return textOf(
    tokens.map((token) => ({ ...token, text: expressions.get(token.text) ?? token.text })),
  );
}

function predicatesOf(
  whole: ReadCondition,
  pieces: readonly Piece[],
  { parameters: { names, isCall, restore } }: QueryContext,
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
    const given = variablesIn(right).filter((variable) => !isCall(variable));
    return given.map((variable) => ({
      variable: names[variable] ?? '',
      condition: restore(all),
      expression: asWritten(left, own),
      operator,
      column: text,
      table: piece,
      ...comparedElement({ left, right }, variable),
    }));
  });
}
