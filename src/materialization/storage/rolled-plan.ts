/**
 * Roll-up: a table that also stores one row per group and period, merged from the period's rows. A read takes the
 * period's row if the whole period is in its range, and single rows otherwise. Pure.
 */
import {
  type MaterializationPlan,
  type Period,
  periodColumns,
  type RolledUp,
  type RollUp,
  storedTable,
} from '../../model/materialization-plan.ts';
import { numberArgument, parseClickHouseType, withoutWrappers } from '../../sql/clickhouse-type.ts';

const { level, first, last } = periodColumns;

/** Null if the plan no longer has this roll-up column. */
export function rolledPlan(
  plan: MaterializationPlan,
  rolledUp: RolledUp,
): MaterializationPlan | null {
  const rollUp = plan.rollUps?.find(({ column }) => column === rolledUp.column);
  if (rollUp === undefined) return null;
  return {
    ...plan,
    storedQuery: rolledQuery(plan.storedQuery, rollUp, rolledUp.period),
    readQuery: readOfPeriods(plan.readQuery, rollUp),
    sortingKey: rollUp.sortingKey,
    rolledUp,
  };
}

/** Counts each source row once: in the row of its period or in its own. */
function readOfPeriods(readQuery: string, { isWhole }: RollUp): string {
  const rows = `((${level} = 1 AND ${isWhole}) OR (${level} = 0 AND NOT (${isWhole})))`;
  return readQuery.replace(`${storedTable} WHERE `, () => `${storedTable} WHERE ${rows} AND `);
}

/**
 * Scans the source once, so that both kinds of rows have the same state. The row of a period holds the period's first
 * time in the column itself, which is in every range that contains the period.
 */
function rolledQuery(storedQuery: string, rollUp: RollUp, period: Period): string {
  const { column, type, others } = rollUp;
  const keys = groupedBy(rollUp);
  const at = `if(${level} = 0, ${column}, ${first})`;
  const items = [...keys, at, level, first, last];
  const merges = others.flatMap(({ name, merge }) => (merge === null ? [] : [{ name, merge }]));
  const names = [...keys, column, level, first, last, ...merges.map(({ name }) => name)];
  const { start, end } = boundsOf(column, type, period);
  const isRegular = `(${start} <= ${column}) AND (${column} <= ${end}) AND (toYear(${column}) BETWEEN ${firstYear} AND ${lastYear})`;
  const bounded = `SELECT *, if(${isRegular}, ${start}, ${column}) AS ${first}, if(${isRegular}, ${end}, ${column}) AS ${last} FROM (${storedQuery})`;
  const selected = [...items, ...merges.map(({ merge }) => merge)].join(', ');
  return `SELECT * FROM (SELECT ${selected} FROM (${bounded}) ARRAY JOIN [0, 1] AS ${level} GROUP BY ${items.join(', ')}) AS querydock_periods(${names.join(', ')})`;
}

/** The grouping columns, except the one with periods. */
export function groupedBy({ others }: RollUp): readonly string[] {
  return others.filter(({ merge }) => merge === null).map(({ name }) => name);
}

/** Samples 1/`every` of the groups' periods, with all of their rows. */
export function sampledRolledQuery(
  { storedQuery, rollUps }: MaterializationPlan,
  { column, period }: RolledUp,
  every: number,
): string | null {
  const rollUp = rollUps?.find((one) => one.column === column);
  if (rollUp === undefined) return null;
  const columns = [...groupedBy(rollUp), startOfPeriod(column, rollUp.type, period)].join(', ');
  const isSampled = `cityHash64(tuple(${columns})) % ${every} = 0`;
  const sampled = `SELECT * FROM (${storedQuery}) WHERE ${isSampled}`;
  return rolledQuery(every === 1 ? storedQuery : sampled, rollUp, period);
}

/**
 * In these years every conversion between time types preserves order. Times outside them, or outside the computed
 * bounds of their period, become periods of their own.
 */
const firstYear = 1971;
const lastYear = 2105;

/** The periods supported for a time type. */
export function periodsOf(type: string): readonly Period[] {
  return baseOf(type).name.startsWith('DateTime')
    ? ['minute', 'hour', 'day', 'month']
    : ['month', 'year'];
}

export function startOfPeriod(column: string, type: string, period: Period): string {
  return `CAST(toStartOf${capital(period)}(${column}) AS ${type})`;
}

/** SQL for the first and last time of the period containing the column's value. */
function boundsOf(column: string, type: string, period: Period) {
  const start = startOfPeriod(column, type, period);
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

function capital(period: Period): string {
  return period.slice(0, 1).toUpperCase() + period.slice(1);
}
