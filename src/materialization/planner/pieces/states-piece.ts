/**
 * A piece that stores partial results of a grouping SELECT of which variables select rows: a row per group and value of
 * what its conditions compare. A read filters these rows, groups them by the SELECT's own keys and merges the results.
 */
import type { DescribedColumn } from '../../../sql/sql-analysis.ts';
import { INEXACT } from '../column-types.ts';
import { isRefusal } from '../refusal.ts';
import { stored } from '../stored-columns.ts';
import {
  isExactForCheckedGroups,
  mergeFunctionOf,
  type StoredAggregate,
  toStoredAggregate,
  withoutCountDistinct,
} from '../text/aggregates.ts';
import type { Select } from '../text/select.ts';
import { mayFailForRows, overStoredColumns, storedColumnAt } from '../text/stored-expressions.ts';
import { hasKeyword, hasSameText, isName, nameOf, type Tokens, textOf } from '../text/tokens.ts';
import {
  describeAll,
  type Expression,
  type GroupedSelect,
  groupedParts,
  overColumns,
} from './groups-piece.ts';
import { bareWord, joinedByAnd, type Splitting, tableOf, written } from './pieces.ts';
import { rowsRead, type SplitClauses, withAnd } from './rows-piece.ts';

/** The clauses of the read; null if no partial results can be stored. */
export async function statesPiece(
  { select, tokens }: GroupedSelect,
  splitting: Splitting,
): Promise<SplitClauses | null> {
  const read = splitting.options.states ? await rowsRead(select, splitting) : null;
  const partial = read === null ? null : partialResults(select, read.left, splitting);
  if (read === null || partial === null) return null;
  const where = read.pushed.length === 0 ? '' : ` WHERE ${joinedByAnd(read.pushed)}`;
  const from = `FROM ${textOf(read.from)}${where}`;
  const queryOf = (piece: number) => storedQueryOf(partial, { piece, from });
  const known = splitting.pieces.findIndex(
    ({ kind, storedQuery }, at) => kind === 'states' && storedQuery === queryOf(at),
  );
  const piece = known < 0 ? splitting.pieces.length : known;
  const storedQuery = queryOf(piece);
  const described = await describeAll([storedQuery, textOf(tokens)], splitting);
  if (described === null) return null;
  const [columns = [], result = []] = described;
  if (!isWorthGrouping(columns, partial)) return null;
  if (known < 0) {
    const own = [...partial.keys, ...partial.compared].map(
      (tokens, at) => [columnOf(partial, piece, at), textOf(tokens)] as const,
    );
    splitting.pieces.push({ kind: 'states', storedQuery, columns, expressions: new Map(own) });
  }
  const alias = `__querydock_states${piece}`;
  const clauses = new Map(
    overColumns({ select, result, expressions: expressionsOf(partial, piece) }),
  );
  clauses.set('FROM', [bareWord(tableOf(piece)), bareWord('AS'), bareWord(alias)]);
  clauses.delete('WHERE');
  const conditions = partial.conditions.map((condition) => named(condition, partial, piece));
  if (conditions.length > 0) clauses.set('WHERE', withAnd(conditions));
  for (const condition of conditions) splitting.conditions.push({ piece, alias, condition });
  const keys = partial.keys.flatMap((_key, at) => [
    ...(at === 0 ? [] : [written(',', false)]),
    bareWord(columnOf(partial, piece, at)),
  ]);
  if (keys.length > 0) clauses.set('GROUP BY', keys);
  return clauses;
}

/**
 * False if values of these types may be one group or several. By points in time there are hardly fewer groups than rows,
 * and merging states of aggregates takes longer than aggregating the values.
 */
function isWorthGrouping(
  columns: readonly DescribedColumn[],
  { keys, compared, aggregates }: PartialResults,
): boolean {
  const isPlain = aggregates.every(
    ({ stored: { call } }) => mergeFunctionOf(withoutCountDistinct(call.name)) !== null,
  );
  const grouped = columns.slice(0, keys.length + compared.length);
  const isOfPoints = grouped.slice(keys.length).some(({ type }) => /DateTime/.test(type));
  return (isPlain || !isOfPoints) && !grouped.some(({ type }) => isNoKey(type));
}

const isNoKey = (type: string) => INEXACT.test(type) || /AggregateFunction|Nothing/.test(type);

interface PartialResults {
  readonly keys: readonly Tokens[];
  /** What conditions compare, besides the keys. */
  readonly compared: readonly Tokens[];
  /** Of WHERE, over what is compared. */
  readonly conditions: readonly Tokens[];
  readonly aggregates: readonly {
    readonly stored: StoredAggregate;
    /** With variables, over what is compared; null if all rows count. */
    readonly condition: Tokens | null;
  }[];
}

/** @param left the predicates of WHERE that the read evaluates. */
function partialResults(
  select: Select,
  left: readonly Tokens[],
  splitting: Splitting,
): PartialResults | null {
  const parts = groupedParts(select, splitting);
  const written = [...select.clauses.values()].flat();
  const isOdd = left.some((condition) => hasKeyword(condition, 'SELECT', 'AS'));
  if (parts === null || isOdd || written.some(isArrayJoin)) return null;
  if (parts.calls.some(({ name }) => isExactForCheckedGroups(name) || isList(name.base)))
    return null;
  const { keys } = parts;
  // Rows that conditions with variables leave out would be evaluated.
  if (left.length > 0 && [...keys, ...parts.calls.map(({ tokens }) => tokens)].some(mayFailForRows))
    return null;
  const compared: Tokens[] = [];
  const columnOf = (expression: Tokens) => {
    const at = [...keys, ...compared].findIndex((other) => hasSameText(other, expression));
    return at >= 0 ? at : keys.length + compared.push(expression) - 1;
  };
  const over = (condition: Tokens) =>
    overStoredColumns(withoutAliases(condition, select), columnOf);
  try {
    const aggregates = parts.calls.map((call) => {
      const aggregate = toStoredAggregate(call);
      const { condition } = aggregate;
      return { stored: aggregate, condition: condition === null ? null : over(condition) };
    });
    const conditions = left.map(over);
    const isSelecting = conditions.length > 0 || aggregates.some((one) => one.condition !== null);
    return isSelecting ? { keys, compared, conditions, aggregates } : null;
  } catch (error) {
    if (isRefusal(error)) return null;
    throw error;
  }
}

const isArrayJoin = (token: Tokens[number]) =>
  isName(token) && /^(?:arrayjoin|unnest)$/i.test(nameOf(token));

const isList = (aggregate: string) => /^group(?:Uniq)?Array/.test(aggregate);

/** With the expressions of the SELECT's aliases in place, which are not columns of its sources. */
function withoutAliases(condition: Tokens, { items }: Select): Tokens {
  return condition.flatMap((token, at) => {
    const isPart = condition[at - 1]?.text === '.' || condition[at + 1]?.text === '.';
    const item =
      isName(token) && !isPart ? items.find(({ alias }) => alias === nameOf(token)) : undefined;
    if (item === undefined || hasSameText(item.expression, [token])) return [token];
    return [written('(', token.spaced), ...item.expression, written(')', false)];
  });
}

/** Names differ between pieces, so that a condition tells which one it is about. */
const numberOf = (piece: number, at: number) => piece * 1000 + at;

interface OfPiece {
  readonly piece: number;
  readonly from: string;
}

function storedQueryOf(partial: PartialResults, { piece, from }: OfPiece): string {
  const { keys, compared, aggregates } = partial;
  const grouped = [...keys, ...compared];
  const items = [
    ...grouped.map((tokens, at) => `${textOf(tokens)} AS ${columnOf(partial, piece, at)}`),
    ...aggregates.map((one, at) => `${one.stored.stored} AS ${aggregateOf(piece, at)}`),
  ];
  const groupBy = grouped.length === 0 ? '' : ` GROUP BY ${grouped.map(textOf).join(', ')}`;
  return `SELECT ${items.join(', ')} ${from}${groupBy}`;
}

/** @param at among the keys and what is compared. */
function columnOf({ keys }: PartialResults, piece: number, at: number): string {
  return at < keys.length
    ? stored.key(numberOf(piece, at))
    : stored.variable(numberOf(piece, at - keys.length));
}

const aggregateOf = (piece: number, at: number) => stored.aggregate(numberOf(piece, at));

/** A condition over what is compared, with names for that. */
function named(condition: Tokens, partial: PartialResults, piece: number): Tokens {
  return condition.map((token) => {
    const at = storedColumnAt(token);
    return at === null
      ? token
      : { ...bareWord(columnOf(partial, piece, at)), spaced: token.spaced };
  });
}

function expressionsOf(partial: PartialResults, piece: number): readonly Expression[] {
  const { keys, aggregates } = partial;
  return [
    ...aggregates.map(({ stored: { call, mergeCall }, condition }, at) => {
      const chosen = condition === null ? undefined : textOf(named(condition, partial, piece));
      return { tokens: call.tokens, column: mergeCall(aggregateOf(piece, at), chosen) };
    }),
    ...keys.map((tokens, at) => ({ tokens, column: columnOf(partial, piece, at) })),
  ];
}
