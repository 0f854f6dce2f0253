/**
 * Alternative stored table that holds counts of distinct values instead of sets, so that reads add counts over a
 * range.
 */
import type { DistinctCounts } from '../../model/materialization-plan.ts';
import type { DescribedColumn } from '../../sql/sql-analysis.ts';
import { isSortable } from './column-types.ts';
import type { TypedComparison } from './key-conditions.ts';
import { inRange, previousPoint } from './layout/counted-sets.ts';
import {
  type CountedValue,
  type Counting,
  comparedExpressions,
  type MergedTable,
  type PlanContext,
} from './plan-context.ts';
import { isInRange, keepsOrder } from './ranges.ts';
import { stored } from './stored-columns.ts';
import { renderCondition, storedColumnsIn } from './text/stored-expressions.ts';
import { textOf } from './text/tokens.ts';

type Aggregates = DistinctCounts['aggregates'];

interface CountingTable {
  readonly aggregates: Aggregates;
  /** Undefined when reads merge nothing. */
  readonly merged?: MergedTable | undefined;
  readonly storedQuery: string;
  readonly storedColumns: readonly DescribedColumn[];
  /** Columns restricted to one value in every run. */
  readonly chosen: readonly string[];
  /** Adds the predicates that the index can evaluate to a read query. */
  readonly keyed: (readQuery: string) => string;
}

/**
 * Counts each value at its first point inside the run's range, a point being a value of the ranged column. This is
 * exact if the range has no gaps and the run fixes every other column used in predicates to one value, so that no
 * value occurs in two rows of the same point.
 *
 * @param indexed comparisons of columns that predicates use in no other way.
 */
export async function findDistinctCounts(
  context: PlanContext,
  indexed: readonly TypedComparison[],
  table: CountingTable,
): Promise<DistinctCounts | null> {
  const { columns = [], counting = null } = table.merged ?? {};
  if (counting === null) return null;
  const used = context.condition.predicates.flatMap(({ condition }) => storedColumnsIn(condition));
  const ranged = [...new Set(used)].filter((at) => !table.chosen.includes(stored.variable(at)));
  const [at, ...others] = ranged;
  if (at === undefined || others.length > 0) return null;
  const own = indexed.filter(({ comparison }) => comparison.column === at);
  if (!isInRange(own) || !own.every(keepsOrder)) return null;
  const column = stored.variable(at);
  const keys = columns.flatMap(({ name, merge }) =>
    merge === null && name !== column ? [name] : [],
  );
  const areKeys = keys.every((name) => isSortable(typeOf(table.storedColumns, name)));
  if (!areKeys || !(await areCountable(context, counting))) return null;
  const { values, counted } = counting;
  const type = typeOf(table.storedColumns, column);
  const countColumns = countedColumns(table.storedColumns, counted, type);
  return {
    column,
    storedQuery: countedQuery(table.storedQuery, countColumns, { column, keys, values, counting }),
    readQuery: context.parameters.restore(
      countingRead(context, at, table.keyed(counting.readQuery)),
    ),
    aggregates: aggregatesOf(context, table, { at, counting }),
    keys,
    chosen: table.chosen,
    values,
    counted: counted.map(({ value }) => value),
    columns: countColumns,
  };
}

function typeOf(columns: readonly DescribedColumn[], name: string): string {
  return columns.find((column) => column.name === name)?.type ?? '';
}

/** Whether GROUP BY treats the values as equal exactly when a set does: excludes floats and nested types. */
async function areCountable(
  { analysis, parameters }: PlanContext,
  { values, counted }: Counting,
): Promise<boolean> {
  const columns = await analysis.describe(values, parameters.samples);
  return counted.every(
    ({ value, condition }) =>
      isSortable(typeOf(columns, value)) &&
      (condition === null || /^(Nullable\()?(Bool|U?Int8)\)?$/.test(typeOf(columns, condition))),
  );
}

/** Applies the column's predicates to the previous point. As in WHERE, NULL is not in the range. */
function countingRead({ condition }: PlanContext, at: number, readQuery: string): string {
  const nameOf = (one: number) => (one === at ? previousPoint : stored.variable(one));
  const conditions = condition.predicates.flatMap(({ condition: own }) =>
    storedColumnsIn(own).includes(at) ? [`(${renderCondition(own, nameOf)})`] : [],
  );
  return readQuery.replaceAll(inRange, () => `ifNull(${conditions.join(' AND ')}, 0)`);
}

/** Replaces the displayed description of aggregates whose sets are stored as counts. */
function aggregatesOf(
  { condition, parameters }: PlanContext,
  { aggregates }: CountingTable,
  { at, counting }: { readonly at: number; readonly counting: Counting },
): Aggregates {
  const point = textOf(comparedExpressions(condition.predicates)[at] ?? []);
  const sets = new Set(counting.counted.map(({ aggregate }) => aggregate));
  return aggregates.map((one, number) =>
    sets.has(number)
      ? { ...one, stored: parameters.restore(`count() by ${point} and the one before`) }
      : one,
  );
}

interface CountedTable {
  readonly column: string;
  readonly keys: readonly string[];
  readonly values: string;
}

/** The rows of the grouped stored query, with counts in place of each set. */
function countedQuery(
  storedQuery: string,
  columns: readonly DescribedColumn[],
  { counting, ...table }: CountedTable & { readonly counting: Counting },
): string {
  const { counted } = counting;
  const on = [...table.keys, table.column];
  const joins = counted.map((set) => {
    const own = `querydock_join${set.aggregate}`;
    const same = on.map((name) => `querydock_rows.${name} <=> ${own}.${name}`);
    return `LEFT JOIN (${countsOf(set, table)}) AS ${own} ON ${same.join(' AND ')}`;
  });
  const sourceOf = (name: string) =>
    counted.find(({ aggregate }) => columnsOf(aggregate).includes(name));
  const items = columns.map(({ name }) => {
    const set = sourceOf(name);
    const from = set === undefined ? 'querydock_rows' : `querydock_join${set.aggregate}`;
    return `${from}.${name} AS ${name}`;
  });
  return `SELECT ${items.join(', ')} FROM (${storedQuery}) AS querydock_rows ${joins.join(' ')}`;
}

const columnsOf = (at: number) => [stored.first(at), stored.previous(at), stored.counts(at)];

/** One row per group and point: how many of its values have which previous point. */
function countsOf(
  { aggregate, value, condition }: CountedValue,
  { keys, column, values }: CountedTable,
) {
  const [first, previous, counts] = columnsOf(aggregate);
  const [points, isFirst, count] = ['points', 'is_first', 'count'].map(
    (name) => `__querydock_${name}`,
  );
  const where = [`isNotNull(${value})`, ...(condition === null ? [] : [condition])];
  const pointsOfEach = `SELECT ${[...keys, `arraySort(groupUniqArray(${column})) AS ${points}`].join(', ')} FROM (${values}) WHERE ${where.join(' AND ')} GROUP BY ${[...keys, value].join(', ')}`;
  const arrays = [
    `${points} AS ${column}`,
    `arrayPushFront(arrayPopBack(${points}), ${points}[1]) AS ${previousPoint}`,
    `arrayMap(at -> at = 1, arrayEnumerate(${points})) AS ${isFirst}`,
  ];
  const grouped = [...keys, column].join(', ');
  const pairs = `SELECT ${grouped}, ${previousPoint}, ${isFirst}, count() AS ${count} FROM (${pointsOfEach}) ARRAY JOIN ${arrays.join(', ')} GROUP BY ${grouped}, ${previousPoint}, ${isFirst}`;
  const items = [
    `sumIf(${count}, ${isFirst}) AS ${first}`,
    `groupArrayIf(${previousPoint}, NOT ${isFirst}) AS ${previous}`,
    `groupArrayIf(${count}, NOT ${isFirst}) AS ${counts}`,
  ];
  return `SELECT ${grouped}, ${items.join(', ')} FROM (${pairs}) GROUP BY ${grouped}`;
}

/** Replaces each set column by three count columns. */
function countedColumns(
  storedColumns: readonly DescribedColumn[],
  counted: readonly CountedValue[],
  type: string,
): readonly DescribedColumn[] {
  return storedColumns.flatMap((column) => {
    const set = counted.find(({ aggregate }) => stored.aggregate(aggregate) === column.name);
    if (set === undefined) return [column];
    const types = ['UInt64', `Array(${type})`, 'Array(UInt64)'];
    return columnsOf(set.aggregate).map((name, at) => ({ name, type: types[at] ?? '' }));
  });
}
