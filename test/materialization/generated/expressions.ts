/** Typed expressions of one row, over the columns that a SELECT has in reach. */

import type { Column, Kind, Pool } from './columns.ts';
import type { Random } from './random.ts';
import type { Compared } from './variables.ts';

export interface Expression extends Compared {
  readonly text: string;
  readonly isNullable: boolean;
  /** Whether only few values occur. */
  readonly isKey: boolean;
}

/** @param alias of its table; empty: the bare name. */
export function columnExpression(column: Column, alias: string): Expression {
  const { name, type, kind, pool, isKey } = column;
  const base = /^LowCardinality\((.*)\)$/.exec(type)?.[1] ?? type;
  const inner = /^Nullable\((.*)\)$/.exec(base)?.[1];
  return {
    text: alias === '' ? name : `${alias}.${name}`,
    kind,
    type: inner ?? base,
    isNullable: inner !== undefined,
    pool,
    isKey,
  };
}

const months: Pool = {
  present: ['2024-03-01', '2024-02-01', '2024-04-01'],
  edges: ['2024-02-01', '2024-04-01'],
  absent: ['2024-03-02', '2001-01-01'],
};
const midnights: Pool = {
  present: ['2024-03-01 00:00:00', '2024-03-15 00:00:00'],
  edges: ['2024-02-26 00:00:00', '2024-04-07 00:00:00'],
  absent: ['2024-03-01 00:30:00'],
};
const small: Pool = { present: [0, 1, 2, 3], edges: [0, 5], absent: [-1, 100] };
const years: Pool = { present: [2024, 2000], edges: [1999, 2024], absent: [1970] };
const sizes: Pool = { present: ['small', 'big'], edges: ['', 'other'], absent: ['none'] };

interface Form {
  readonly from: readonly Kind[];
  readonly to: Kind;
  readonly type?: string;
  /** `$` stands for the argument. */
  readonly text: string;
  readonly pool?: Pool;
  readonly isKey?: boolean;
  readonly isNeverNull?: boolean;
}

const forms: readonly Form[] = [
  { from: ['int'], to: 'int', type: 'Int64', text: '$ * 2' },
  { from: ['int'], to: 'int', type: 'Int64', text: '$ % 3', pool: small, isKey: true },
  { from: ['int'], to: 'int', type: 'Int64', text: 'abs($)', pool: small },
  {
    from: ['int', 'decimal', 'float'],
    to: 'int',
    type: 'UInt8',
    text: '$ > 3',
    pool: small,
    isKey: true,
  },
  { from: ['int'], to: 'int', type: 'Int64', text: 'coalesce($, 0)', isNeverNull: true },
  {
    from: ['int'],
    to: 'text',
    type: 'String',
    text: 'toString($)',
    pool: { present: ['0', '1'], edges: ['', '10'], absent: ['x'] },
  },
  { from: ['int'], to: 'decimal', type: 'Decimal(18, 4)', text: 'toDecimal64($, 4)' },
  {
    from: ['int', 'decimal', 'float'],
    to: 'text',
    type: 'String',
    text: "multiIf($ > 100, 'big', $ > 0, 'small', 'other')",
    pool: sizes,
    isKey: true,
    isNeverNull: true,
  },
  {
    from: ['int', 'decimal', 'float'],
    to: 'text',
    type: 'String',
    text: "CASE WHEN $ IS NULL THEN 'none' WHEN $ < 3 THEN 'small' ELSE 'big' END",
    pool: sizes,
    isKey: true,
    isNeverNull: true,
  },
  { from: ['decimal'], to: 'decimal', type: 'Decimal(18, 2)', text: '$ * 2' },
  { from: ['decimal'], to: 'float', type: 'Float64', text: 'toFloat64($)' },
  { from: ['decimal'], to: 'int', type: 'Int64', text: 'toInt64($)', pool: small },
  { from: ['float'], to: 'float', type: 'Float64', text: '$ * 0.5' },
  { from: ['float'], to: 'float', type: 'Float64', text: 'round($)' },
  {
    from: ['odd'],
    to: 'float',
    type: 'Float64',
    text: 'if(isFinite($), $, 0)',
    pool: { present: [0, 1.5, 0.1], edges: [0, 1.5], absent: [7] },
  },
  {
    from: ['date', 'time'],
    to: 'date',
    type: 'Date',
    text: 'toStartOfMonth($)',
    pool: months,
    isKey: true,
  },
  { from: ['date', 'time'], to: 'date', type: 'Date', text: 'toMonday($)', isKey: true },
  {
    from: ['time'],
    to: 'date',
    type: 'Date',
    text: 'toDate($)',
    isKey: true,
    pool: { ...months, present: ['2024-03-01', '2024-03-15'] },
  },
  {
    from: ['date', 'time'],
    to: 'int',
    type: 'UInt16',
    text: 'toYear($)',
    pool: years,
    isKey: true,
  },
  {
    from: ['date', 'time'],
    to: 'int',
    type: 'UInt8',
    text: 'toDayOfWeek($)',
    pool: small,
    isKey: true,
  },
  { from: ['time'], to: 'int', type: 'UInt8', text: 'toHour($)', pool: small, isKey: true },
  {
    from: ['time'],
    to: 'time',
    type: 'DateTime',
    text: 'toStartOfDay($)',
    pool: midnights,
    isKey: true,
  },
  { from: ['time'], to: 'time', type: 'DateTime', text: "date_trunc('hour', $)" },
  {
    from: ['time'],
    to: 'time',
    type: 'DateTime',
    text: 'toStartOfInterval($, INTERVAL 6 HOUR)',
    pool: midnights,
    isKey: true,
  },
  { from: ['date'], to: 'date', type: 'Date', text: '$ + INTERVAL 1 DAY' },
  { from: ['date'], to: 'date', type: 'Date', text: 'toDate($)' },
  { from: ['date', 'time'], to: 'date', type: 'Date32', text: 'toDate32($)' },
  { from: ['date', 'time'], to: 'time', type: 'DateTime', text: 'toDateTime($)' },
  { from: ['date', 'time'], to: 'time', type: 'DateTime64(3)', text: 'toDateTime64($, 3)' },
  { from: ['time'], to: 'int', type: 'Int64', text: 'toUnixTimestamp(toDateTime($))', pool: small },
  { from: ['date', 'time'], to: 'int', type: 'UInt32', text: 'toYYYYMM($)', pool: small },
  {
    from: ['date', 'time'],
    to: 'text',
    type: 'String',
    text: 'toString($)',
    pool: {
      present: ['2024-03-01', '2024-10-27 02:20:00'],
      edges: ['2024-10-27', '1970-01-01'],
      absent: ['x'],
    },
  },
  { from: ['time'], to: 'time', type: 'DateTime', text: "toTimeZone($, 'America/New_York')" },
  { from: ['int'], to: 'int', type: 'Int64', text: '-$', pool: small },
  { from: ['int'], to: 'int', type: 'Int8', text: 'toInt8($)', pool: small, isKey: true },
  { from: ['int'], to: 'int', type: 'UInt8', text: 'toUInt8($)', pool: small, isKey: true },
  { from: ['int'], to: 'int', type: 'Int64', text: 'round($, -1)', pool: small },
  { from: ['int'], to: 'int', type: 'Int64', text: 'intDiv($, 3)', pool: small },
  { from: ['int'], to: 'float', type: 'Float64', text: '$ / 3' },
  {
    from: ['date', 'time'],
    to: 'text',
    type: 'String',
    text: "formatDateTime($, '%Y-%m')",
    pool: { present: ['2024-03', '2024-02'], edges: [''], absent: ['x'] },
    isKey: true,
  },
  { from: ['text'], to: 'text', type: 'String', text: 'lower($)' },
  { from: ['text'], to: 'text', type: 'String', text: 'upperUTF8($)' },
  { from: ['text'], to: 'text', type: 'String', text: "coalesce($, 'none')", isNeverNull: true },
  { from: ['text'], to: 'text', type: 'String', text: "if($ = '', 'unknown', $)" },
  { from: ['text'], to: 'text', type: 'String', text: 'substring($, 1, 1)', isKey: true },
  { from: ['text'], to: 'text', type: 'String', text: "concat($, '-')" },
  { from: ['text'], to: 'int', type: 'UInt64', text: 'length($)', pool: small },
  { from: ['text'], to: 'int', type: 'UInt8', text: "$ LIKE '%e%'", pool: small, isKey: true },
  {
    from: ['text'],
    to: 'int',
    type: 'UInt64',
    text: 'cityHash64($) % 7',
    pool: small,
    isKey: true,
  },
  { from: ['enum'], to: 'text', type: 'String', text: 'toString($)', isKey: true },
  { from: ['enum'], to: 'int', type: 'Int8', text: 'toInt8($)', pool: small, isKey: true },
  { from: ['bool'], to: 'int', type: 'UInt8', text: 'toUInt8($)', pool: small, isKey: true },
  {
    from: ['bool'],
    to: 'text',
    type: 'String',
    text: "if($, 'yes', 'no')",
    pool: { present: ['no', 'yes'], edges: [''], absent: ['maybe'] },
    isKey: true,
  },
  {
    from: ['texts', 'ints'],
    to: 'int',
    type: 'UInt64',
    text: 'length($)',
    pool: small,
    isKey: true,
  },
  {
    from: ['texts'],
    to: 'text',
    type: 'String',
    text: '$[1]',
    isKey: true,
    pool: { present: ['new', 'sale'], edges: [''], absent: ['old'] },
  },
  {
    from: ['texts'],
    to: 'text',
    type: 'String',
    text: "arrayStringConcat(arraySort($), ',')",
    isKey: true,
    pool: { present: ['', 'new'], edges: [''], absent: ['old'] },
  },
  { from: ['ints'], to: 'int', type: 'Int64', text: 'arraySum($)', pool: small },
  { from: ['ints'], to: 'int', type: 'Int64', text: 'arraySum(x -> x * x, $)', pool: small },
  { from: ['map'], to: 'int', type: 'Int32', text: "$['a']", pool: small, isKey: true },
  {
    from: ['map'],
    to: 'texts',
    type: 'Array(String)',
    text: 'mapKeys($)',
    pool: { present: ['a', 'b'], edges: ['c'], absent: ['z'] },
  },
  { from: ['uuid'], to: 'text', type: 'String', text: 'toString($)' },
];

/** A column, or a function of one. */
export function anExpression(
  random: Random,
  scope: readonly Expression[],
  isWanted: (one: Expression) => boolean = () => true,
): Expression {
  for (let turn = 0; turn < 60; turn += 1) {
    const column = random.pick(scope);
    const found = random.chance(0.55) ? column : changed(random, column);
    if (isWanted(found)) return found;
  }
  return scope.find(isWanted) ?? random.pick(scope);
}

function changed(random: Random, column: Expression): Expression {
  const fitting = forms.filter(({ from }) => from.includes(column.kind));
  if (fitting.length === 0) return column;
  const { text, to, type, pool, isKey, isNeverNull } = random.pick(fitting);
  return {
    text: text.replaceAll('$', () => column.text),
    kind: to,
    type: type ?? column.type,
    isNullable: column.isNullable && isNeverNull !== true,
    pool: pool ?? column.pool,
    isKey: column.isKey || isKey === true,
  };
}

export const isOf =
  (...kinds: readonly Kind[]) =>
  ({ kind }: Expression): boolean =>
    kinds.includes(kind);

export const isNumber = isOf('int', 'decimal', 'float');
/** What DISTINCT, GROUP BY and ORDER BY treat without surprises. */
export const isPlain = isOf(
  'int',
  'big',
  'decimal',
  'date',
  'time',
  'text',
  'bool',
  'enum',
  'uuid',
);
