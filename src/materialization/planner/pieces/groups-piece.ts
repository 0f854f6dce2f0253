/**
 * A piece that stores the groups of a SELECT whose rows and keys do not depend on variables. Expressions over groups
 * are evaluated at read time.
 */
import { quoteName } from '../../../sql/quote-name.ts';
import { type DescribedColumn, isTextError, type Token } from '../../../sql/sql-analysis.ts';
import { stored } from '../stored-columns.ts';
import { type AggregateCall, aggregateCalls } from '../text/aggregates.ts';
import { hasVariable } from '../text/parameters.ts';
import { type ClauseName, isStar, type Select } from '../text/select.ts';
import {
  closingBracketOf,
  conjuncts,
  hasKeyword,
  hasSameText,
  isKeyword,
  isName,
  nameOf,
  splitList,
  type Tokens,
  textOf,
  unwrapped,
} from '../text/tokens.ts';
import { describeSources, mentionsCte } from './piece-columns.ts';
import { addPiece, bareWord, joinedByAnd, type Splitting, tableOf, written } from './pieces.ts';
import { isQuery, parseFrom } from './query-text.ts';
import { divide, type SplitClauses, withAnd } from './rows-piece.ts';

export interface Expression {
  readonly tokens: Tokens;
  /** The expression over the piece's columns. */
  readonly column: string;
}

export interface GroupedSelect {
  readonly select: Select;
  readonly tokens: Tokens;
}

/** Clauses evaluated over groups. */
const ofGroups = ['HAVING', 'QUALIFY', 'ORDER BY', 'LIMIT BY'] as const;

/** The clauses of the read; null if the SELECT does not group or variables select the rows of its groups. */
export async function groupsPiece(
  { select, tokens }: GroupedSelect,
  splitting: Splitting,
): Promise<SplitClauses | null> {
  const expressions = splitting.options.groups ? groupedExpressions(select, splitting) : null;
  const conditions = expressions === null ? null : await ownConditions(select, splitting);
  if (expressions === null || conditions === null) return null;
  const { keys, aggregates } = expressions;
  const items = [...keys, ...aggregates].map(
    (expression) => `${textOf(expression.tokens)} AS ${expression.column}`,
  );
  const where = conditions.length === 0 ? '' : ` WHERE ${joinedByAnd(conditions)}`;
  const groupBy =
    keys.length === 0 ? '' : ` GROUP BY ${keys.map((key) => textOf(key.tokens)).join(', ')}`;
  const from = textOf(select.clauses.get('FROM') ?? []);
  const storedQuery = `SELECT ${items.join(', ')} FROM ${from}${where}${groupBy}`;
  const described = await describeAll([storedQuery, textOf(tokens)], splitting);
  if (described === null) return null;
  const [columns = [], result = []] = described;
  const own = new Map([...keys, ...aggregates].map((one) => [one.column, textOf(one.tokens)]));
  const piece = addPiece(splitting, { kind: 'groups', storedQuery, columns, expressions: own });
  return readOfGroups({ select, piece, result, expressions: [...aggregates, ...keys] }, splitting);
}

/** Null if the engine rejects one of them as a standalone query. */
export async function describeAll(
  texts: readonly string[],
  { describe }: Splitting,
): Promise<readonly (readonly DescribedColumn[])[] | null> {
  try {
    return await Promise.all(texts.map(describe));
  } catch (error) {
    if (isTextError(error)) return null;
    throw error;
  }
}

/** The predicates of WHERE; null if they or FROM use variables or anything besides the SELECT's own sources. */
async function ownConditions(
  { clauses }: Select,
  splitting: Splitting,
): Promise<readonly Tokens[] | null> {
  const from = clauses.get('FROM') ?? [];
  const where = clauses.get('WHERE') ?? [];
  const parsed = parseFrom(from);
  if (hasVariable(where) || parsed === null || mentionsCte(from, splitting)) return null;
  if (parsed.hasArrayJoin) return where.length === 0 ? [] : null;
  const described = await describeSources(from, parsed, splitting);
  if (described === null) return null;
  const { pushed, left } = await divide({ from, where, described }, splitting);
  return left.length === 0 ? pushed : null;
}

interface GroupedExpressions {
  readonly keys: readonly Expression[];
  readonly aggregates: readonly Expression[];
}

function groupedExpressions(select: Select, splitting: Splitting): GroupedExpressions | null {
  const parts = groupedParts(select, splitting);
  if (parts === null || parts.calls.some(({ tokens }) => hasVariable(tokens))) return null;
  const keys = parts.keys.map((tokens, at) => ({ tokens, column: stored.key(at) }));
  const aggregates = parts.calls.map(({ tokens }, at) => ({
    tokens,
    column: stored.aggregate(at),
  }));
  return { keys, aggregates };
}

export interface GroupedParts {
  readonly keys: readonly Tokens[];
  /** The distinct aggregates. */
  readonly calls: readonly AggregateCall[];
}

/** Null for a SELECT that does not group by plain keys without variables, or that has windows. */
export function groupedParts(select: Select, { query }: Splitting): GroupedParts | null {
  const { clauses, items } = select;
  const groupBy = clauses.get('GROUP BY') ?? [];
  const isPlain = !hasKeyword(groupBy, 'WITH', 'ROLLUP', 'CUBE', 'SETS', 'ALL', 'AS');
  if (!isPlain || hasVariable(groupBy) || items.some(isStar) || clauses.has('WINDOW')) return null;
  // The engine would name its column after the value.
  if (items.some((item) => item.alias === null && isOfRun(item.expression))) return null;
  const keys = splitList(groupBy).map((key) => keyExpression(key, select));
  if (keys.some(hasVariable)) return null;
  const lists = [
    ...items.map(({ expression }) => expression),
    ...ofGroups.map((name) => clauses.get(name) ?? []),
  ];
  const calls = lists.flatMap((list) =>
    aggregateCalls(list, query.names).map((call) => ({ ...call, next: list[call.end] })),
  );
  const isOdd = calls.some(
    ({ tokens, isWindow, next }) =>
      isWindow || hasKeyword(tokens, 'AS') || isKeyword(next, 'FILTER'),
  );
  if (isOdd || lists.some((list) => hasKeyword(list, 'OVER'))) return null;
  if (keys.length === 0 && calls.length === 0) return null;
  const isFirst = ({ tokens }: AggregateCall, at: number) =>
    calls.findIndex((other) => hasSameText(other.tokens, tokens)) === at;
  return { keys, calls: calls.filter(isFirst) };
}

const isOfRun = (tokens: Tokens) => hasVariable(tokens) || hasKeyword(tokens, 'SELECT');

/** Resolves a key that is the position or alias of an item. */
function keyExpression(key: Tokens, { items }: Select): Tokens {
  const [token] = key;
  if (token === undefined || key.length > 1) return key;
  const at =
    token.kind === 'Number'
      ? Number(token.text) - 1
      : items.findIndex(({ alias }) => isName(token) && alias === nameOf(token));
  return items[at]?.expression ?? key;
}

interface ReadOfGroups {
  readonly select: Select;
  readonly piece: number;
  /** Result columns of the SELECT. */
  readonly result: readonly DescribedColumn[];
  readonly expressions: readonly Expression[];
}

function readOfGroups(
  { select, piece, result, expressions }: ReadOfGroups,
  splitting: Splitting,
): SplitClauses {
  const alias = `__querydock_groups${piece}`;
  const replace = (tokens: Tokens) => replaced(tokens, expressions);
  const clauses = new Map(overColumns({ select, result, expressions }));
  for (const name of ['WHERE', 'GROUP BY', 'HAVING'] as const) clauses.delete(name);
  clauses.set('FROM', [bareWord(tableOf(piece)), bareWord('AS'), bareWord(alias)]);
  const having = conjuncts(select.clauses.get('HAVING') ?? []).map((each) =>
    replace(unwrapped(each)),
  );
  if (having.length > 0) clauses.set('WHERE', withAnd(having));
  for (const condition of having) splitting.conditions.push({ piece, alias, condition });
  return clauses;
}

/** The clauses with the expressions over the piece's columns, and the names of the result columns. */
export function overColumns({
  select,
  result,
  expressions,
}: Omit<ReadOfGroups, 'piece'>): SplitClauses {
  const clauses = new Map<ClauseName, Tokens>();
  for (const [name, tokens] of select.clauses) {
    const isOfGroups = ofGroups.some((one) => one === name);
    clauses.set(name, isOfGroups ? replaced(tokens, expressions) : tokens);
  }
  const items = select.items.flatMap(({ expression, alias: own }, at): Tokens => {
    const name = quoteName(own ?? result[at]?.name ?? '');
    const item = [...replaced(expression, expressions), bareWord('AS'), bareWord(name)];
    return at === 0 ? item : [written(',', false), ...item];
  });
  return clauses.set('SELECT', select.isDistinct ? [bareWord('DISTINCT'), ...items] : items);
}

/** Replaces expressions by the piece's columns, except in subqueries and aliases. */
function replaced(tokens: Tokens, expressions: readonly Expression[]): Tokens {
  const result: Token[] = [];
  for (let at = 0; at < tokens.length; at += 1) {
    const token = tokens[at];
    if (token === undefined) continue;
    if (token.text === '(' && isQuery(tokens.slice(at + 1, at + 2))) {
      const end = closingBracketOf(tokens, at);
      result.push(...tokens.slice(at, end + 1));
      at = end;
      continue;
    }
    const found = isKeyword(tokens[at - 1], 'AS')
      ? undefined
      : expressionAt(tokens, at, expressions);
    result.push(found === undefined ? token : { ...bareWord(found.column), spaced: token.spaced });
    if (found !== undefined) at += found.tokens.length - 1;
  }
  return result;
}

/** The longest expression that starts at this token. */
function expressionAt(
  tokens: Tokens,
  at: number,
  expressions: readonly Expression[],
): Expression | undefined {
  return expressions
    .filter(({ tokens: own }) => {
      const next = tokens[at + own.length]?.text;
      const isPart = tokens[at - 1]?.text === '.' || next === '.' || next === '(';
      return !isPart && hasSameText(tokens.slice(at, at + own.length), own);
    })
    .toSorted((a, b) => b.tokens.length - a.tokens.length)[0];
}
