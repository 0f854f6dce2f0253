/** Sorting keys of pieces, and the piece columns that variables are compared with. */
import type { PlannedPredicate } from '../../../model/materialization-plan.ts';
import { parseClickHouseType, withoutWrappers } from '../../../sql/clickhouse-type.ts';
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
import { type Combined, combined, leavesOf } from './combined.ts';
import type { IsConverted } from './converted-columns.ts';
import { countInPredicates, countOf } from './derived-filters.ts';
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

interface PlannedRead {
  readonly readQuery: string;
  readonly isConverted: IsConverted;
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
  { readQuery, isConverted }: PlannedRead,
): Promise<SortedPieces> {
  const { pieces, conditions, query } = splitting;
  const read = await query.analysis.tokens(readQuery);
  const hideable = await hiddenConditions(splitting, readQuery);
  const compared = await typedConditions(splitting);
  const keys = pieces.map(({ columns }, piece) => {
    const ranked = columns
      .flatMap(({ name, type }) => {
        const own = compared.filter(
          ({ condition }) => condition.piece === piece && mentions(condition.condition, name, type),
        );
        const rank = hideable.ranks.get(name);
        const usable = rank === undefined ? ranksOf(own, name, type) : [rank];
        if (usable.length === 0 || usable.some(Number.isNaN) || !isSortable(type)) return [];
        if (rank === undefined && isConverted(piece, name)) return [];
        if (CONVERTED.test(type) && isUsedElsewhere(name, own, read)) return [];
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

function ranksOf(own: readonly TypedCondition[], name: string, type: string): readonly number[] {
  return own.flatMap(({ parts }) => rankOf(parts, name, type) ?? []);
}

/**
 * How a predicate selects values of a column: null if it does not, NaN if the index might select other rows than the
 * predicate. `a = {x} OR a = {y}` selects a set of values, and `{x} IS NULL OR a = {x}` is optional.
 */
function rankOf(parts: Combined<Comparing>, name: string, type: string): number | null {
  if (parts.kind === 'one') return rankOfOne(parts.part, name, type);
  const own = parts.kind === 'any' ? parts.parts.filter((part) => !isFree(part)) : parts.parts;
  const found = own.map((part) => rankOf(part, name, type));
  const selecting = found.filter((rank) => rank !== null);
  if (selecting.some(Number.isNaN)) return Number.NaN;
  const isLeftOpen = parts.kind === 'any' && selecting.length < found.length;
  if (selecting.length === 0 || isLeftOpen) return null;
  if (parts.kind === 'all') return Math.min(...selecting);
  const rank = own.length === 1 ? Math.max(...selecting) : Math.max(ranks.set, ...selecting);
  return own.length < parts.parts.length ? ranks.optional + rank : rank;
}

function rankOfOne({ tokens, compared, rank }: Comparing, name: string, type: string) {
  if (!mentions(tokens, name, type)) return null;
  const own = compared.filter(({ left }) => countOf(left, name) > 0);
  const isFound = own.every((each) => isColumnNamed(each.left, name) && each.isFound(type));
  return own.length > 0 && isFound ? rank : Number.NaN;
}

/** Whether variables alone decide. */
function isFree(parts: Combined<Comparing>): boolean {
  return leavesOf(parts).every(
    ({ tokens }) => identifiersIn(tokens).length === 0 && !hasKeyword(tokens, 'SELECT'),
  );
}

/**
 * The engine may turn a correlated subquery into a join, and predicates of its columns into some of the columns that
 * equal them. The index returns the same rows as any such predicate of these types.
 */
const STABLE = /^(U?Int\d+|String)$/;

/** The engine may also use the index for predicates of an enclosing SELECT, and compares these types with others inexactly. */
const CONVERTED = /Date|Decimal|FixedString/;

/** Whether predicates other than the column's own may compare it, or values that are derived from it. */
function isUsedElsewhere(name: string, own: readonly TypedCondition[], read: Tokens): boolean {
  const compared = own.reduce((sum, { condition }) => sum + countOf(condition.condition, name), 0);
  return countInPredicates(read, name) > compared;
}

function mentions(condition: Tokens, name: string, type: string): boolean {
  const isStable = STABLE.test(withoutWrappers(parseClickHouseType(type)).name);
  return countOf(isStable ? splitNested(condition).own : condition, name) > 0;
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
