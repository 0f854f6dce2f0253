/** Every accepted aggregate over expressions of every kind of value, as queries of many aggregates each. */
import type { Laboratory, Query, Values } from './laboratory.ts';
import { isSum } from './near-sums.ts';

/** `$` stands for the expression. */
export const gridAggregates: readonly string[] = [
  'count($)',
  'count(DISTINCT $)',
  'countIf($ IS NOT NULL)',
  'sum($)',
  'sumIf($, b)',
  'sumIf($, $ > 1)',
  'min($)',
  'max($)',
  'maxIf($, u > 1)',
  'avg($)',
  'avgIf($, b)',
  'sumCount($)',
  'uniq($)',
  'uniqExact($)',
  'uniqCombined($)',
  'uniqHLL12($)',
  'argMin(id, ($, id))',
  'argMax($, id)',
  'groupBitOr($)',
  'groupBitXor($)',
  'quantileExact(0.5)($)',
  'quantilesExactLow(0.1, 0.9)($)',
  'quantileBFloat16(0.5)($)',
  'quantilesDDIf(0.02, 0.1, 0.9)($, isFinite($))',
  'quantileDeterministic(0.5)($, id)',
  'quantileInterpolatedWeighted(0.5)($, u)',
  'uniqUpTo(3)($)',
  'groupArraySorted(4)($)',
  'retention(u > 1, b, $ IS NOT NULL)',
  "windowFunnel(20, 'strict_increase')(toUInt32(k), b, u > 20, $ IS NULL)",
  'arraySort(groupArray($))',
  'arraySort(groupUniqArray($))',
  'minArray($)',
  'maxForEach($)',
  'argMaxArray($, $)',
];

const numbers = ['i', 'n', 'u', 'wide', 'dec', 'fi + 0'];

/** What the engine would move out of an aggregate, or leave out of one. */
const written = [
  '$ + 1',
  '$ - 5',
  '5 - $',
  '$ * 2',
  '-3 * $',
  '$ / 100',
  '-$',
  'if(b, $, 0)',
  'if(b, $, NULL)',
];

export const gridExpressions: readonly string[] = [
  ...numbers.flatMap((name) => written.map((text) => text.replace('$', name))),
  ...['i + i', 'intDiv(i, 2)', 'toInt256(i) * 3', 'big', 'bitNot(u)', 'toFloat64(i) + 0'],
  ...['multiIf(u = 1, 1, u = 2, 2, 0)', 'if(u > 1, 1, 0)', '1', 'toNullable(7)', 'f + 0', 'f'],
  ...[
    'toString(id)',
    'toString(f)',
    'hex(s)',
    'upper(s)',
    's',
    'ns',
    'lc',
    'lcn',
    'cast(i AS String)',
  ],
  ...['d', 'd + 1', 'ts', 'ts - 10', 't64', 'toDate(ts)', 'toYYYYMM(d)', 'b', 'NOT b', 'e'],
  ...[
    'toUUID(uuid)',
    'ip',
    '(s, i)',
    '(i, n)',
    '[i]',
    'arr',
    'reverse(s)',
    'i IS NULL',
    'n IS NULL',
  ],
];

const columns = `
  id UInt32, k Int32, g String, s String, ns Nullable(String), lc LowCardinality(String),
  lcn LowCardinality(Nullable(String)), i Int16, n Nullable(Int64), u UInt8, wide Int64, big UInt64,
  dec Decimal(18, 4), f Float64, fi Float64, b Bool, d Date, ts DateTime, t64 DateTime64(6),
  e Enum8('red' = -1, 'green' = 2, 'blue' = 3), uuid String, ip IPv4, arr Array(Nullable(Int8))`;

/** A group of one row, one of NULLs and the smallest values, and two of many; `k` says which rows a range takes. */
const rows = `
SELECT number AS id, toInt32(number) AS k,
  multiIf(number = 0, 'one', number < 4, 'least', number % 3 = 0, 'many', 'more') AS g,
  if(number < 4, '', ['a', 'B', 'é', 'zz', ''][h % 5 + 1]) AS s, if(h2 % 3 = 0, NULL, s) AS ns,
  s AS lc, ns AS lcn, if(number < 4, -32768, toInt16(h % 500) - 200) AS i,
  if(number < 4 OR h2 % 4 = 0, NULL, toInt64(h % 90) - 40) AS n, if(number < 4, 0, h2 % 256) AS u,
  if(number < 4, -1000000000000000, toInt64(h % 9000000000) - 100) AS wide,
  if(number % 2 = 0, 18446744073709551615, h) AS big,
  toDecimal64(toInt64(h % 100000) - 50000, 4) / 7 AS dec,
  [0., -0., nan, inf, -inf, 1.5, 0.1][h2 % 7 + 1] AS f, [1., 2.5, -3.25, 0.][h % 4 + 1] AS fi,
  h % 2 = 0 AS b, toDate('2024-02-27') + h % 5 AS d, toDateTime('2024-02-28 23:59:50') + h2 % 20 AS ts,
  toDateTime64('1999-12-31 23:59:59.999999', 6) + h % 3 AS t64, ['red', 'green', 'blue'][h % 3 + 1] AS e,
  toString(reinterpretAsUUID(concat(reinterpretAsString(h % 4), 'abcdefgh'))) AS uuid, toIPv4(toUInt32(h % 9)) AS ip,
  if(number < 4, [], [toNullable(toInt8(h % 9) - 4), NULL]) AS arr
FROM (SELECT number, cityHash64(number) AS h, cityHash64(number, 1) AS h2 FROM numbers(240))`;

export async function createGrid(laboratory: Laboratory): Promise<void> {
  await laboratory.admin(
    `CREATE TABLE grid (${columns}) ENGINE = MergeTree ORDER BY id SETTINGS index_granularity = 32`,
  );
  // In two parts, so that the engine reads in parallel.
  for (const rest of [0, 1]) {
    await laboratory.admin(`INSERT INTO grid SELECT * FROM (${rows}) WHERE id % 2 = ${rest}`);
  }
}

export interface GridCase extends Query {
  readonly values: readonly Values[];
  /** Names of columns that add up. */
  readonly sums: ReadonlySet<string>;
}

/** Whether everything is tried in every query. */
export const isWholeGrid = process.env.TEST_GRID === 'whole';

/** Every query of `gridQueries`, by its position. */
const gridForms = [0, 1, 2];

/**
 * The queries that an expression is tried in: numbers written in nine ways are tried in a third of them each, so that
 * each column is tried in all.
 */
export function gridFormsOf(expression: string): readonly number[] {
  const at = gridExpressions.indexOf(expression);
  const isWritten = at < numbers.length * written.length;
  return isWritten && !isWholeGrid
    ? gridForms.filter((form) => form === at % gridForms.length)
    : gridForms;
}

/** No row, one row, the rows at each end, and all; over all rows at once, in groups, and in groups of one value. */
export function gridQueries(items: readonly string[]): readonly GridCase[] {
  const list = items.map((item, at) => `${item} AS a${at}`).join(', ');
  const sums = new Set(items.flatMap((item, at) => (isSum(item) ? [`a${at}`] : [])));
  const ranges = [
    { lo: 900, hi: 999 },
    { lo: 0, hi: 0 },
    { lo: 1, hi: 5 },
    { lo: 200, hi: 239 },
    { lo: -9, hi: 999 },
  ];
  const range = 'k >= {lo:Int32} AND k <= {hi:Int32}';
  return [
    { sql: `SELECT ${list} FROM grid WHERE ${range}`, values: ranges, sums },
    {
      sql: `SELECT g, ${list} FROM grid WHERE ${range} GROUP BY g ORDER BY g`,
      values: ranges.slice(2),
      sums,
    },
    {
      sql: `SELECT g, ${list} FROM grid WHERE s = {s:String} GROUP BY g ORDER BY g`,
      values: [{ s: '' }, { s: 'é' }, { s: 'absent' }],
      sums,
    },
  ];
}
