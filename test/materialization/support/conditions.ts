/** Conditions on variables that are more than a comparison, each with the values to run them with. */
import type { Values } from './laboratory.ts';

export interface ConditionCase {
  /** Over the tables of `createTables`. */
  readonly where: string;
  readonly values: readonly Values[];
}

const nothing = { a: null, b: null };
const operators = ['!=', '<', '<=', '>', '>='] as const;

type Compared = readonly [type: string, column: string, values: readonly unknown[]];

const compared: readonly Compared[] = [
  ['String', 's', ['a', '', 'none']],
  ['String', 'lc', ['x', '', 'none']],
  ['String', 'ns', ['a', 'N', '']],
  ['String', 'lcn', ['p', '']],
  ['Int32', 'i', [0, -5, 99]],
  ['Int64', 'n', [0, 2, -9]],
  ['UInt64', 'big', ['9007199254740993', 0]],
  ['Date', 'd', ['2024-02-01', '1999-01-01']],
  ['Date', 'toDate(ts)', ['2024-02-01', '1999-01-01']],
  ['DateTime', 'ts', ['2024-02-01 00:00:00', '1999-01-01 00:00:00']],
  ['DateTime64(3)', 't64', ['2024-02-01 00:00:00.001', '1999-01-01 00:00:00']],
  ['Decimal(18, 4)', 'dec', ['2.25', '0.0001', '7']],
  ['Float64', 'f', [0, 1.5, 0.1]],
  ['Bool', 'b', [true, false]],
  ['String', 'e', ['red', 'blue']],
];

/** Optional comparisons of every type: left out, with values that rows have, and with one that none has. */
export const optional: readonly ConditionCase[] = compared.flatMap(([type, column, values], at) =>
  ['=', String(operators[at % operators.length])].map((operator) => ({
    where: `({a:Nullable(${type})} IS NULL OR ${column} ${operator} {a:Nullable(${type})})`,
    values: [{ a: null }, ...values.map((a) => ({ a }))],
  })),
);

const texts = (where: string, ...values: readonly (string | null)[]): ConditionCase => ({
  where,
  values: values.map((a) => ({ a })),
});
const lists = (where: string, ...values: readonly (readonly unknown[])[]): ConditionCase => ({
  where,
  values: values.map((a) => ({ a })),
});

/** One condition of each form. */
export const forms: readonly ConditionCase[] = [
  lists('(empty({a:Array(String)}) OR s IN {a:Array(String)})', [], ['a', 'zz'], ['none']),
  lists('(empty({a:Array(String)}) OR ns NOT IN {a:Array(String)})', [], ['a', 'N'], ['none']),
  lists('(length({a:Array(Int32)}) = 0 OR has({a:Array(Int32)}, i))', [], [0, 1, -5], [99]),
  lists('has({a:Array(Nullable(String))}, lcn)', [], ['p', null], [null]),
  lists(
    '(s, i) IN {a:Array(Tuple(String, Int32))}',
    [],
    [
      ['a', 1],
      ['zz', -5],
    ],
  ),
  lists('hasAny(arr, {a:Array(Int32)})', [], [1, 2], [7]),
  lists('i IN {a:Array(Int32)} OR u IN {a:Array(Int32)}', [], [1, 2]),
  texts('s = {a:Nullable(String)}', null, 'a'),
  texts('ns NOT IN ({a:Nullable(String)})', null, 'a'),
  texts('d >= {a:Nullable(Date)} AND i != 99', null, '2024-02-01'),
  texts('s LIKE {a:String}', '%', 'a%', '', 'none'),
  texts('{a:String} LIKE s', 'a', 'axb', 'a%b', ''),
  texts('({a:Nullable(String)} IS NULL OR ns ILIKE {a:Nullable(String)})', null, 'A%', '%'),
  texts('startsWith(s, {a:String})', '', 'a', 'zz', 'none'),
  texts('endsWith(lc, {a:String}) AND NOT startsWith(s, {a:String})', '', 'x', 'b'),
  texts('match(s, {a:String})', '^a', '.', 'none$'),
  texts('position(s, {a:String}) > 0', '', 'b', 'none'),
  texts('s = {a:String} OR lc = {a:String}', 'a', 'x', '', 'none'),
  texts('s = {a:String} AND lc != {a:String}', 'a', '', 'none'),
  texts('NOT (s = {a:String} OR i > 2)', 'a', 'none'),
  texts('ns <=> {a:Nullable(String)}', null, 'a', 'none'),
  texts('ns IS DISTINCT FROM {a:Nullable(String)}', null, 'a', 'none'),
  texts("({a:String} = 'all' OR s = {a:String})", 'all', 'a', 'none'),
  texts("{a:String} = 'all'", 'all', 'none'),
  texts(
    "CASE {a:String} WHEN 'low' THEN i < 0 WHEN 'high' THEN i > 2 ELSE u = 1 END",
    'low',
    'high',
    '',
  ),
  texts(
    "multiIf({a:String} = 'u', toInt64(u), {a:String} = 'i', toInt64(i), n) = 2",
    'u',
    'i',
    'n',
  ),
  texts('ifNull(ns, {a:String}) = {a:String}', 'a', 'x', ''),
  texts('s = coalesce({a:Nullable(String)}, s)', null, 'a'),
  texts('concat(s, {a:String}, lc) = concat(lc, s, {a:String})', '', 'x'),
  texts('e = {a:String} OR s = {a:String}', 'red', 'blue'),
  { where: 'if({a:Bool}, i, u) = 1', values: [{ a: true }, { a: false }] },
  { where: 'b = {a:Bool} OR isNaN(f)', values: [{ a: true }, { a: false }] },
  ...[
    'i + {a:Int32} > 3',
    '{a:Int32} - i BETWEEN u AND 3',
    'i NOT BETWEEN {a:Int32} AND {a:Int32} + 2',
    'has(arr, {a:Int32})',
    'arr[{a:Int32}] = 1',
    'arrayExists(v -> v + u > {a:Int32}, arr)',
    'arrayCount(v -> v > 0, arr) >= {a:Int32}',
    'u = 0 OR intDiv(12, u) > {a:Int32}',
    'if(u = 0, {a:Int32}, i % u) = 1',
    'i > {a:Int32} OR n > {a:Int32}',
    '(n > {a:Int32}) IS NULL',
    '(i = 1 OR u = 2 OR {a:Int32} = 0) AND (s > toString({a:Int32}) OR n IS NULL)',
    'f > {a:Int32} OR fi < {a:Int32}',
    '1 / f > {a:Int32}',
    'dec * {a:Int32} > 2 OR t64 > toDateTime64({a:Int32}, 3)',
    '(now() - ts) / 86400 < {a:Int32} OR i = {a:Int32}',
  ].map((where) => ({ where, values: [{ a: 0 }, { a: 1 }, { a: 2 }, { a: -3 }] })),
  {
    where:
      '({a:Nullable(String)} IS NULL OR s = {a:Nullable(String)}) AND ({b:Nullable(Date)} IS NULL OR d >= {b:Nullable(Date)})',
    values: [
      nothing,
      { a: 'a', b: null },
      { a: null, b: '2024-02-01' },
      { a: 'b', b: '2024-01-31' },
    ],
  },
  {
    where: '({a:Nullable(Date)} IS NULL OR (d >= {a:Nullable(Date)} AND d < {b:Nullable(Date)}))',
    values: [nothing, { a: '2024-01-31', b: '2024-02-02' }, { a: '2024-02-02', b: null }],
  },
  {
    where: '(s = {a:String} AND lc = {b:String}) OR (s = {b:String} AND lc = {a:String})',
    values: [
      { a: 'a', b: 'x' },
      { a: 'x', b: 'a' },
      { a: '', b: '' },
    ],
  },
];

/** Queries around a condition: rows; groups that a run takes whole or in part; no groups; a subquery. */
export const layouts: readonly ((where: string) => string)[] = [
  (where) => `SELECT id, s FROM some WHERE ${where} ORDER BY id`,
  (where) =>
    `SELECT lc, count(), sum(i), uniqExact(s), min(d) FROM some WHERE ${where} GROUP BY lc ORDER BY lc`,
  (where) => `SELECT s, i, d, count() FROM some WHERE ${where} GROUP BY s, i, d ORDER BY s, i, d`,
  (where) => `SELECT count(), max(n), sum(dec) FROM some WHERE ${where}`,
  (where) =>
    `SELECT u, count() FROM (SELECT * FROM some WHERE ${where}) WHERE id > 3 GROUP BY u ORDER BY u`,
];
