/**
 * Roll-up: a table that also stores one row per group and period, merged from the period's rows. A read takes the
 * period's row if the whole period is in its range, and single rows otherwise. Pure.
 */
import {
  type FurtherTable,
  type MaterializationPlan,
  type Period,
  periodColumns,
  type ReadOfPeriods,
  type RolledUp,
  type RollUp,
  tablesOf,
} from '../../model/materialization-plan.ts';
import { numberArgument, parseClickHouseType, withoutWrappers } from '../../sql/clickhouse-type.ts';
import { isInteger } from '../planner/ranges.ts';

const { level, first, last } = periodColumns;

/** Null if the plan no longer has one of these columns, or does not read them as planned. */
export function rolledPlan(
  plan: MaterializationPlan,
  rolledUp: readonly RolledUp[],
): MaterializationPlan | null {
  let rolled = plan;
  for (const { column, period } of rolledUp) {
    const rollUp = plan.rollUps?.find((one) => one.column === column);
    if (rollUp === undefined) return null;
    const { table, sortingKey, reads } = rollUp;
    const storedQuery = rolledQuery(storedQueryOf(plan, table), rollUp, period);
    rolled = withTable(rolled, table, { storedQuery, sortingKey });
    const readQuery = reads.reduce<string | null>(readOfPeriods, rolled.readQuery);
    if (readQuery === null) return null;
    rolled = { ...rolled, readQuery };
  }
  return { ...rolled, rolledUp };
}

export function storedQueryOf(plan: MaterializationPlan, table: number): string {
  return tablesOf(plan)[table]?.storedQuery ?? '';
}

function withTable(
  plan: MaterializationPlan,
  number: number,
  table: FurtherTable,
): MaterializationPlan {
  if (number === 0) return { ...plan, ...table };
  return { ...plan, furtherTables: plan.furtherTables?.with(number - 1, table) ?? [] };
}

/** Counts each source row once: in the row of its period or in its own. */
function readOfPeriods(
  readQuery: string | null,
  { source, isWhole, mayBeCut, hidden = [] }: ReadOfPeriods,
): string | null {
  if (readQuery === null) return null;
  // The first form is for the index, which cannot evaluate the second one's isWhole; the second is planned faster.
  const rows =
    mayBeCut === undefined
      ? `((${level} = 1 AND ${isWhole}) OR (${level} = 0 AND NOT (${isWhole})))`
      : `(${level} = (${isWhole})) AND ((${level} = 1) OR ${mayBeCut})`;
  const end = readQuery.indexOf(source) + source.length;
  const conditions = / WHERE /y;
  conditions.lastIndex = end;
  let behind = conditions.test(readQuery)
    ? ` AND ${readQuery.slice(conditions.lastIndex)}`
    : readQuery.slice(end);
  for (const [written, text] of hidden) {
    if (!behind.includes(written)) return null;
    behind = behind.replace(written, () => text);
  }
  return `${readQuery.slice(0, end)} WHERE ${rows}${behind}`;
}

/**
 * Scans the source once, so that both kinds of rows have the same state. The row of a period holds the period's first
 * value in the column itself, which is in every range that contains the period.
 */
function rolledQuery(storedQuery: string, rollUp: RollUp, period: Period): string {
  const { column, type, others } = rollUp;
  const keys = groupColumnsOf(rollUp);
  const at = `if(${level} = 0, ${column}, ${first})`;
  const items = [...keys, at, level, first, last];
  const merges = others.flatMap(({ name, merge }) => (merge === null ? [] : [{ name, merge }]));
  const names = [...keys, column, level, first, last, ...merges.map(({ name }) => name)];
  const { start, end } = boundsOf(column, type, period);
  const isOrdered = isInteger(type)
    ? ''
    : ` AND (toYear(${column}) BETWEEN ${firstYear} AND ${lastYear})`;
  const isRegular = `(${start} <= ${column}) AND (${column} <= ${end})${isOrdered}`;
  const bounded = `SELECT *, if(${isRegular}, ${start}, ${column}) AS ${first}, if(${isRegular}, ${end}, ${column}) AS ${last} FROM (${storedQuery})`;
  const selected = [...items, ...merges.map(({ merge }) => merge)].join(', ');
  return `SELECT * FROM (SELECT ${selected} FROM (${bounded}) ARRAY JOIN [0, 1] AS ${level} GROUP BY ${items.join(', ')}) AS querydock_periods(${names.join(', ')})`;
}

/** The grouping columns, except the one with periods. */
export function groupColumnsOf({ others }: RollUp): readonly string[] {
  return others.filter(({ merge }) => merge === null).map(({ name }) => name);
}

/** Samples 1/`every` of the groups' periods, with all of their rows. */
export function sampledRolledQuery(
  plan: MaterializationPlan,
  { rollUp, column, period }: RolledUp & { readonly rollUp: RollUp },
  every: number,
): string {
  const storedQuery = storedQueryOf(plan, rollUp.table);
  const columns = [...groupColumnsOf(rollUp), startOfPeriod(column, rollUp.type, period)].join(
    ', ',
  );
  const isSampled = `cityHash64(tuple(${columns})) % ${every} = 0`;
  const sampled = `SELECT * FROM (${storedQuery}) WHERE ${isSampled}`;
  return rolledQuery(every === 1 ? storedQuery : sampled, rollUp, period);
}

/**
 * In these years every conversion between time types preserves order. Times outside them, and values outside the computed
 * bounds of their period, become periods of their own.
 */
const firstYear = 1971;
const lastYear = 2105;

/** About how many periods of integers cover a column. */
const numbersOfPeriods = [100, 1000, 10_000] as const;

/**
 * The periods supported for a type.
 *
 * @param span the difference between the greatest and the least value of a column of integers.
 */
export function periodsOf(type: string, span: number): readonly Period[] {
  if (isInteger(type)) {
    const widths = numbersOfPeriods.map((count) => 10 ** Math.round(Math.log10(span / count)));
    return widths.filter((width) => width >= 10 && width <= 1e18);
  }
  return baseOf(type).name.startsWith('DateTime')
    ? ['minute', 'hour', 'day', 'month']
    : ['month', 'year'];
}

export function startOfPeriod(column: string, type: string, period: Period): string {
  if (typeof period === 'number') {
    return `CAST(${column} - positiveModulo(${column}, ${period}) AS ${type})`;
  }
  return `CAST(toStartOf${capital(period)}(${column}) AS ${type})`;
}

/** SQL for the first and last value of the period containing the column's value. */
function boundsOf(column: string, type: string, period: Period) {
  const start = startOfPeriod(column, type, period);
  if (typeof period === 'number') {
    return { start, end: `CAST(${start} + ${period - 1} AS ${type})` };
  }
  const next = `add${capital(period)}s(${start}, 1)`;
  return { start, end: `CAST(${beforeTick(next, type)} AS ${type})` };
}

function beforeTick(time: string, type: string): string {
  const base = baseOf(type);
  if (base.name !== 'DateTime64') return `${time} - 1`;
  const scale = numberArgument(base, 0) ?? 3;
  if (scale === 0) return `subtractSeconds(${time}, 1)`;
  const unit = scale <= 3 ? 'Milli' : scale <= 6 ? 'Micro' : 'Nano';
  return `subtract${unit}seconds(${time}, 1)`;
}

function baseOf(type: string) {
  return withoutWrappers(parseClickHouseType(type));
}

function capital(period: string): string {
  return period.slice(0, 1).toUpperCase() + period.slice(1);
}
