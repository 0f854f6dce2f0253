/** How the predicates of a read compare the columns of pieces: with variables, or with what a subquery or CTE finds. */
import { type DescribedColumn, isTextError } from '../../../sql/sql-analysis.ts';
import { isFoundBySet, isIndexable } from '../column-types.ts';
import { elementsOf, kindOf, splitComparison } from '../text/comparisons.ts';
import { hasVariable } from '../text/parameters.ts';
import {
  bracketDepths,
  hasKeyword,
  identifiersIn,
  isKeyword,
  isName,
  nameOf,
  splitList,
  symbol,
  type Tokens,
  textOf,
  unwrapped,
} from '../text/tokens.ts';
import { type Combined, combined, leavesOf, mapParts } from './combined.ts';
import { type Piece, quotedName, type ReadCondition, type Splitting, written } from './pieces.ts';
import { isBracketedQuery, splitNested } from './query-text.ts';

export interface Comparison {
  readonly piece: number;
  /** The side with the piece's columns, unqualified. */
  readonly left: Tokens;
  readonly operator: string;
  /** Values of the run or, for a lookup, the subquery in parentheses. */
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

/** Whether the tokens name nothing but columns of the piece, qualified or not. */
export function usesOwnColumns(
  tokens: Tokens,
  alias: string,
  { columns }: Pick<Piece, 'columns'>,
): boolean {
  const names = identifiersIn(tokens).map((at) => ({ token: tokens[at], next: tokens[at + 1] }));
  const typeOf = (name: string) => columns.find((column) => column.name === name)?.type;
  return (
    names.length > 0 &&
    names.every(({ token, next }) => {
      if (token === undefined) return false;
      const name = nameOf(token);
      const isQualifier = next?.text === '.';
      if (isQualifier && name === alias) return true;
      const type = typeOf(name);
      // Of a type without members, it is the alias of another table that has the name of a column.
      return type !== undefined && !(isQualifier && WITHOUT_MEMBERS.test(type));
    })
  );
}

const WITHOUT_MEMBERS =
  /^(?:U?Int|Float|Bool|String|FixedString|Date|Decimal|Enum|UUID|IPv|LowCard)/;

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
export function rankOf(operator: string): number | null {
  const kind = kindOf(operator);
  if (kind !== null && kind !== 'scan') return ranks[kind];
  return operator === 'LIKE' ? ranks.pattern : null;
}

export interface Comparing {
  readonly tokens: Tokens;
  /** None for what is neither a comparison nor a lookup, and several for a lookup of a tuple. */
  readonly compared: readonly Compared[];
  readonly rank: number | null;
}

export interface Compared {
  readonly left: Tokens;
  /** Whether the index of a column of this type finds the same rows as the comparison. */
  isFound(columnType: string): boolean;
}

export interface TypedCondition {
  readonly condition: ReadCondition;
  readonly parts: Combined<Comparing>;
}

/** Each predicate of the reads on pieces, as comparisons with the types of both sides. */
export async function typedConditions(splitting: Splitting): Promise<readonly TypedCondition[]> {
  const compared = splitting.conditions.map((condition) => ({
    condition,
    parts: mapParts(combined(condition.condition), (tokens) =>
      untyped({ ...condition, condition: tokens }, splitting),
    ),
  }));
  const all = compared.flatMap(({ parts }) => leavesOf(parts));
  const given = await givenTypes(
    all.flatMap(({ comparison }) => comparison ?? []),
    splitting,
  );
  const found = await subqueryTypes(
    all.flatMap(({ lookup }) => lookup ?? []),
    splitting,
  );
  return compared.map(({ condition, parts }) => ({
    condition,
    parts: mapParts(parts, ({ tokens, comparison, lookup }): Comparing => {
      if (comparison !== null) {
        const { left, operator } = comparison;
        const type = given.get(comparison);
        const isFound = (own: string) => type !== undefined && isIndexable(own, type);
        return { tokens, compared: [{ left, isFound }], rank: rankOf(operator) };
      }
      if (lookup === null) return { tokens, compared: [], rank: null };
      const types = found.get(lookup) ?? [];
      const each = lookedUp(lookup.left).map((left, at) => {
        const type = types[at];
        return { left, isFound: (own: string) => type !== undefined && isFoundBySet(own, type) };
      });
      const rank = lookup.operator === 'IN' ? ranks.lookup : rankOf(lookup.operator);
      return { tokens, compared: each, rank };
    }),
  }));
}

interface Untyped extends Pick<Comparing, 'tokens'> {
  readonly comparison: Comparison | null;
  readonly lookup: Comparison | null;
}

function untyped(part: ReadCondition, splitting: Splitting): Untyped {
  const piece = splitting.pieces[part.piece];
  const comparison = piece === undefined ? null : comparisonOf(part, piece);
  const lookup = comparison === null ? lookupOf(part, splitting) : null;
  return { tokens: part.condition, comparison, lookup };
}

/**
 * `column IN (SELECT …)`, `(column, other) IN (SELECT …)`, `column = (SELECT …)` and the like, of which the engine looks up
 * the values in the index. What WITH names may stand in place of a subquery, and `column >= (SELECT …) - 7` computes the value.
 */
function lookupOf(
  { piece, alias, condition }: ReadCondition,
  { scalars, ctes }: Splitting,
): Comparison | null {
  const depth = bracketDepths(condition);
  const at = condition.findIndex(
    (token, i) => depth[i] === 0 && (isKeyword(token, 'IN') || /^(=|[<>]=?)$/.test(token.text)),
  );
  if (at < 0) return null;
  const operator = condition[at]?.text.toUpperCase() ?? '';
  const before = condition.slice(0, at);
  const isGlobal = before.length > 1 && isKeyword(before.at(-1), 'GLOBAL');
  const left = unqualified(unwrapped(isGlobal ? before.slice(0, -1) : before), alias);
  const right = condition.slice(at + 1);
  const isTuple = elementsOf(left).length > 1;
  if (isTuple ? operator !== 'IN' : left.length !== 1) return null;
  if (isBracketedQuery(right)) return { piece, left, operator, right };
  const found = (query: string, what: Tokens): Comparison => {
    const subquery = [symbol('('), written(query, false), ...what, symbol(')')];
    return { piece, left, operator, right: subquery };
  };
  if (operator !== 'IN') return isOfSubqueries(right, scalars) ? found('SELECT', right) : null;
  const [name, ...others] = unwrapped(right);
  if (!isName(name) || others.length > 0 || !ctes.has(nameOf(name))) return null;
  return found('SELECT * FROM', [quotedName(nameOf(name))]);
}

/** Whether an expression has one value in a run, which scalar subqueries or what WITH names so decide. */
export function isOfSubqueries(expression: Tokens, scalars: ReadonlySet<string>): boolean {
  const { own, nested } = splitNested(expression);
  const names = identifiersIn(own).map((at) => own[at]);
  const areScalars = names.every((name) => name !== undefined && scalars.has(nameOf(name)));
  const isOne = !hasKeyword(own, 'AND', 'OR', 'NOT', 'IN', 'LIKE', 'BETWEEN', 'IS', 'EXISTS');
  return areScalars && isOne && nested.length + names.length > 0;
}

/** The elements of a tuple, or the expression itself. */
function lookedUp(left: Tokens): readonly Tokens[] {
  const elements = elementsOf(left);
  return elements.length === 0 ? [left] : elements;
}

type Types = ReadonlyMap<Comparison, string>;

/** The types of their columns, without subqueries that have others than are looked up or depend on the rest of the query. */
async function subqueryTypes(
  lookups: readonly Comparison[],
  splitting: Splitting,
): Promise<ReadonlyMap<Comparison, readonly string[]>> {
  const types = new Map<Comparison, readonly string[]>();
  for (const lookup of lookups) {
    const columns = await columnsOf(lookup.right.slice(1, -1), splitting);
    if (columns.length !== lookedUp(lookup.left).length) continue;
    types.set(
      lookup,
      columns.map(({ type }) => type),
    );
  }
  return types;
}

/** None if the engine does not take the subquery on its own. */
async function columnsOf(
  subquery: Tokens,
  { describe, with: names }: Splitting,
): Promise<readonly DescribedColumn[]> {
  const text = textOf(subquery).trim();
  try {
    return await describe(isKeyword(subquery[0], 'WITH') ? text : `${names}${text}`);
  } catch (error) {
    if (!isTextError(error)) throw error;
    return [];
  }
}

/** The types of their right sides, without those that the engine does not take on their own. */
async function givenTypes(
  comparisons: readonly Comparison[],
  splitting: Splitting,
): Promise<Types> {
  const { analysis, parameters } = splitting.query;
  if (comparisons.length === 0) return new Map();
  const items = comparisons.map((comparison, at) => `${givenText(comparison)} AS g${at}`);
  try {
    const columns = await analysis.describe(`SELECT ${items.join(', ')}`, parameters.samples);
    return new Map(comparisons.map((comparison, at) => [comparison, columns[at]?.type ?? '']));
  } catch (error) {
    if (!isTextError(error)) throw error;
    if (comparisons.length === 1) return new Map();
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
