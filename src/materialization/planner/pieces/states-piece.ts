/**
 * A piece that stores partial results of a grouping SELECT of which variables select rows: a row per group and value of
 * what its conditions compare. A read filters these rows, groups them by the SELECT's own keys and merges the results.
 */
import type { DescribedColumn } from '../../../sql/sql-analysis.ts';
import { INEXACT } from '../column-types.ts';
import { stored } from '../stored-columns.ts';
import { type AggregateName, mergeFunctionOf, withoutCountDistinct } from '../text/aggregates.ts';
import { storedColumnAt } from '../text/stored-expressions.ts';
import { type Tokens, textOf } from '../text/tokens.ts';
import { describeAll, type Expression, type GroupedSelect, overColumns } from './groups-piece.ts';
import { partialResults } from './partial-results.ts';
import {
  bareWord,
  joinedByAnd,
  type PartialResults,
  type Splitting,
  type States,
  tableOf,
  written,
} from './pieces.ts';
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
  const { piece, states } = placeOf(partial, from, splitting);
  const storedQuery = storedQueryOf(states);
  const described = await describeAll([storedQuery, textOf(tokens)], splitting);
  if (described === null) return null;
  const [columns = [], result = []] = described;
  const nameOf = (at: number) => states.grouped.get(textOf(partial.grouped[at] ?? [])) ?? '';
  if (!isWorthGrouping(columns, partial, nameOf)) return null;
  const expressions = new Map([...states.grouped].map(([text, column]) => [column, text]));
  splitting.pieces[piece] = { kind: 'states', storedQuery, columns, expressions, states };
  const alias = `__querydock_${splitting.merging.length}_states`;
  const clauses = new Map(
    overColumns({ select, result, expressions: expressionsOf(partial, states, nameOf) }),
  );
  clauses.set('FROM', [bareWord(tableOf(piece)), bareWord('AS'), bareWord(alias)]);
  clauses.delete('WHERE');
  const conditions = partial.conditions.map((condition) => named(condition, nameOf));
  if (conditions.length > 0) clauses.set('WHERE', withAnd(conditions));
  for (const condition of conditions) splitting.conditions.push({ piece, alias, condition });
  const source = `${tableOf(piece)} AS ${alias}`;
  splitting.merging.push({ piece, source, partial, nameOf });
  const keys = partial.grouped
    .slice(0, partial.keys)
    .flatMap((_key, at) => [...(at === 0 ? [] : [written(',', false)]), bareWord(nameOf(at))]);
  if (keys.length > 0) clauses.set('GROUP BY', keys);
  return clauses;
}

/** The name of a stored column by its number in a SELECT's conditions. */
type NameOf = (at: number) => string;

/**
 * False if values of these types may be one group or several. By points in time there are hardly fewer groups than rows,
 * and merging states that grow with their values, such as sets, takes longer than aggregating the values.
 */
function isWorthGrouping(
  columns: readonly DescribedColumn[],
  { grouped, keys, aggregates }: PartialResults,
  nameOf: NameOf,
): boolean {
  const areSmall = aggregates.every(({ stored: { call } }) =>
    isSmall(withoutCountDistinct(call.name)),
  );
  const types = grouped.map(
    (_tokens, at) => columns.find(({ name }) => name === nameOf(at))?.type ?? '',
  );
  const isOfPoints = types.slice(keys).some((type) => /DateTime/.test(type));
  return (areSmall || !isOfPoints) && !types.some(isNoKey);
}

/** Those with states of a few numbers or one value. */
const SMALL =
  /^(?:avg(?:Weighted)?|sumCount|arg(?:And)?(?:Min|Max)|(?:(?:stddev|var|covar)(?:Pop|Samp)|corr)(?:Stable)?|(?:skew|kurt)(?:Pop|Samp)|simpleLinearRegression)$/;

function isSmall(name: AggregateName): boolean {
  const isFixed = name.combinators.every((one) => /^(?:If|OrNull|OrDefault)$/.test(one));
  return mergeFunctionOf(name) !== null || (SMALL.test(name.base) && isFixed);
}

const isNoKey = (type: string) => INEXACT.test(type) || /AggregateFunction|Nothing/.test(type);

interface Place {
  readonly piece: number;
  readonly states: States;
}

/** The piece of the same rows in the same groups, with the SELECT's aggregates added; else a new one. */
function placeOf(partial: PartialResults, from: string, { pieces }: Splitting): Place {
  const texts = partial.grouped.map(textOf);
  const found = pieces.findIndex(
    ({ states }) =>
      states?.from === from &&
      states.grouped.size === texts.length &&
      texts.every((text) => states.grouped.has(text)),
  );
  const piece = found < 0 ? pieces.length : found;
  const known = pieces[piece]?.states;
  const own = texts.map((text, at) => [text, groupedName(partial, piece, at)] as const);
  const grouped = known?.grouped ?? new Map(own);
  const aggregates = new Map(known?.aggregates);
  for (const { stored: one } of partial.aggregates) {
    if (aggregates.has(one.stored)) continue;
    const column = stored.aggregate(numberOf(piece, aggregates.size));
    aggregates.set(one.stored, { name: column, merge: one.combineCall(column) });
  }
  return { piece, states: { from, grouped, aggregates } };
}

/** Names differ between pieces, so that a condition tells which one it is about. */
const numberOf = (piece: number, at: number) => piece * 1000 + at;

function groupedName({ keys }: PartialResults, piece: number, at: number): string {
  return at < keys ? stored.key(numberOf(piece, at)) : stored.variable(numberOf(piece, at - keys));
}

function storedQueryOf({ from, grouped, aggregates }: States): string {
  const items = [
    ...[...grouped].map(([text, column]) => `${text} AS ${column}`),
    ...[...aggregates].map(([text, { name }]) => `${text} AS ${name}`),
  ];
  const groupBy = grouped.size === 0 ? '' : ` GROUP BY ${[...grouped.keys()].join(', ')}`;
  return `SELECT ${items.join(', ')} ${from}${groupBy}`;
}

/** A condition with the names of stored columns. */
function named(condition: Tokens, nameOf: NameOf): Tokens {
  return condition.map((token) => {
    const at = storedColumnAt(token);
    return at === null ? token : { ...bareWord(nameOf(at)), spaced: token.spaced };
  });
}

function expressionsOf(
  { grouped, keys, aggregates }: PartialResults,
  states: States,
  nameOf: NameOf,
): readonly Expression[] {
  return [
    ...aggregates.map(({ stored: { call, mergeCall, stored: text }, condition }) => {
      const chosen = condition === null ? undefined : textOf(named(condition, nameOf));
      const column = states.aggregates.get(text)?.name ?? '';
      return { tokens: call.tokens, column: mergeCall(column, chosen) };
    }),
    ...grouped.slice(0, keys).map((tokens, at) => ({ tokens, column: nameOf(at) })),
  ];
}
