/** Sorting keys of pieces, and the piece columns that variables are compared with. */
import type { PlannedPredicate } from '../../../model/materialization-plan.ts';
import { parseClickHouseType, withoutWrappers } from '../../../sql/clickhouse-type.ts';
import type { Token } from '../../../sql/sql-analysis.ts';
import { isSortable } from '../column-types.ts';
import type { QueryContext } from '../plan-context.ts';
import type { SortingKey } from '../sorting-key.ts';
import { variablesIn } from '../text/parameters.ts';
import {
  closingBracketOf,
  conjuncts,
  isKeyword,
  isName,
  nameOf,
  splitBy,
  type Tokens,
  textOf,
  unwrapped,
} from '../text/tokens.ts';
import { countInPredicates, countOf } from './derived-filters.ts';
import {
  comparisonOf,
  ranks,
  type TypedCondition,
  typedConditions,
  unqualified,
} from './piece-comparisons.ts';
import type { Piece, ReadCondition, Splitting } from './pieces.ts';
import { isQuery } from './query-text.ts';

export interface SortedPieces {
  readonly keys: readonly SortingKey[];
  readonly predicates: readonly PlannedPredicate[];
}

/**
 * Sorts each piece by its columns that are compared with variables or looked up in a subquery: equality first, then IN,
 * then ranges and lookups, then patterns, whose beginning may be known. A column is omitted unless the index returns the
 * same rows as each of its comparisons.
 */
export async function sortPieces(splitting: Splitting, read: Tokens): Promise<SortedPieces> {
  const { pieces, conditions, query } = splitting;
  const compared = await typedConditions(splitting);
  const keys = pieces.map(({ columns }, piece) => {
    const ranked = columns
      .flatMap(({ name, type }) => {
        const own = compared.filter(
          ({ condition }) => condition.piece === piece && mentions(condition.condition, name, type),
        );
        const found = own.map(({ comparison, isFound, rank }) => {
          const isOfColumn = comparison !== null && isColumnNamed(comparison.left, name);
          return isOfColumn && isFound(type) ? rank : Number.NaN;
        });
        const usable = found.flatMap((rank) => rank ?? []);
        if (usable.length === 0 || usable.some(Number.isNaN) || !isSortable(type)) return [];
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
  return {
    keys,
    predicates: conditions.flatMap((condition) => predicatesOf(condition, pieces, query)),
  };
}

/**
 * The engine may turn a correlated subquery into a join, and predicates of its columns into some of the columns that
 * equal them. The index returns the same rows as any predicate of these types.
 */
const STABLE = /^(U?Int\d+|String)$/;

function withoutSubqueries(condition: Tokens): Tokens {
  const kept: Token[] = [];
  for (let at = 0; at < condition.length; at += 1) {
    const token = condition[at];
    const isSubquery = token?.text === '(' && isQuery(condition.slice(at + 1, at + 2));
    if (isSubquery) at = closingBracketOf(condition, at);
    else if (token !== undefined) kept.push(token);
  }
  return kept;
}

/** The engine may also use the index for predicates of an enclosing SELECT, and converts these types inexactly. */
const CONVERTED = /Date|Decimal/;

/** Whether predicates other than the column's own may compare it, or values that are derived from it. */
function isUsedElsewhere(name: string, own: readonly TypedCondition[], read: Tokens): boolean {
  const compared = own.reduce((sum, { condition }) => sum + countOf(condition.condition, name), 0);
  return countInPredicates(read, name) > compared;
}

function mentions(condition: Tokens, name: string, type: string): boolean {
  const isStable = STABLE.test(withoutWrappers(parseClickHouseType(type)).name);
  return countOf(isStable ? withoutSubqueries(condition) : condition, name) > 0;
}

function isColumnNamed(tokens: Tokens, name: string): boolean {
  const [token] = tokens;
  return tokens.length === 1 && isName(token) && nameOf(token) === name;
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
