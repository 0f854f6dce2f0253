/** What the engine's functions were not written for, picked by a seed. */

export type Random = () => number;

/** From 0 to 1, the same for the same seed. Source: mulberry32. */
export function randomOf(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

export function pick<T>(random: Random, from: readonly T[]): T {
  const found = from[Math.floor(random() * from.length)];
  if (found === undefined) throw new Error('there is nothing to pick from');
  return found;
}

/** @param canary a file that nothing may open. */
export function hostileValues(canary: string): readonly string[] {
  const texts = [
    ...[
      '',
      'a',
      '%',
      '%%%a%',
      '(a*)*b',
      '[',
      '\\\\',
      '{}',
      '{0}',
      'null',
      '-1',
      '1e999',
      '0x',
      'day',
      'UTC',
    ],
    ...[canary, `file:${canary}`, `DateTime(\\'file:${canary}\\')`, '../../../etc/hostname'],
    ...[
      'AggregateFunction(uniq, UInt8)',
      'Array(UInt8)',
      'UInt8',
      'Nullable(Nothing)',
      'sum',
      'sumMerge',
    ],
    ...[
      'uniqState',
      'aggThrow(0.5)',
      'CSV',
      'yyyy-MM-dd z',
      '%Y-%m-%d',
      '2020-01-01',
      '9999-99-99 99:99:99',
    ],
    ...[
      '{"a":[1,{"b":null}]}',
      '[[[[[[[[[[[[]]]]]]]]]]]]',
      '$..*',
      '$[*].a',
      '\\0\\0\\0',
      'a\\nb',
      'é😀',
    ],
    ...[
      '127.0.0.1',
      '::1',
      '1.2.3.4/33',
      '00000000-0000-0000-0000-000000000000',
      'http://a/?b=c#d',
    ],
  ].map((text) => `'${text}'`);
  return [
    ...texts,
    ...[
      "unhex('ff')",
      "unhex('c328')",
      "repeat('ab', 5000)",
      "repeat('(', 2000)",
      "repeat('[', 3000)",
    ],
    ...[
      'NULL',
      '0',
      '1',
      '-1',
      '2',
      '3',
      '255',
      '256',
      '65536',
      '2147483648',
      '18446744073709551615',
    ],
    ...[
      '-9223372036854775808',
      '9223372036854775807',
      'toInt128(-1)',
      'toUInt256(1)',
      '1e300',
      '-0.',
      'nan',
    ],
    ...[
      'inf',
      '-inf',
      '0.5',
      'toDecimal32(1.5, 4)',
      'toDecimal256(1, 70)',
      'true',
      "toDate('1970-01-01')",
    ],
    ...[
      "toDate32('2299-12-31')",
      "toDateTime('2106-02-07 06:28:15')",
      "toDateTime64('1900-01-01', 9)",
    ],
    ...[
      'INTERVAL 1 DAY',
      'INTERVAL -9999999999 YEAR',
      'toIntervalNanosecond(1)',
      'generateUUIDv4()',
    ],
    ...[
      "toIPv4('1.2.3.4')",
      "toIPv6('::')",
      "toFixedString('ab', 2)",
      "CAST('a' AS Enum8('a' = -128))",
    ],
    ...[
      '[]',
      '[NULL]',
      '[[]]',
      '[1, 2, 3]',
      '[-1, nan]',
      "['a', NULL]",
      '[[1], [2, 3]]',
      '[(1, 2)]',
      'range(1000)',
    ],
    ...[
      '[[[(0., 0.), (1., 0.), (1., 1.)]]]',
      '[(0., 0.), (nan, inf)]',
      '(0., 0.)',
      '(1, 2)',
      "(1, 'a', NULL)",
    ],
    ...['map()', "map('a', 1)", 'map(1, [1])', 'CAST(\'{"a":1}\' AS JSON)', 'CAST(1 AS Dynamic)'],
    ...[
      'CAST(1 AS Variant(UInt8, String))',
      "toLowCardinality('a')",
      'bitmapBuild([1, 2])',
      'x -> x',
      '(x, y) -> x',
    ],
    ...[
      "initializeAggregation('uniqState', 1)",
      "initializeAggregation('quantileState', 1)",
      'numericIndexedVectorBuild(map(1, 1))',
    ],
    ...[
      'number',
      'toString(number)',
      'CAST(number AS Nullable(Int8))',
      'materialize(toUInt64(1))',
      '*',
      'lower',
    ],
  ];
}

const wrappers: readonly ((value: string) => string)[] = [
  (value) => value,
  (value) => value,
  (value) => value,
  (value) => (/^(?:\*|lower|\(?x.*->)/.test(value) ? value : `materialize(${value})`),
  (value) => (/^(?:\*|lower|\(?x.*->)/.test(value) ? value : `[${value}]`),
  (value) => (/^(?:\*|lower|\(?x.*->)/.test(value) ? value : `toNullable(${value})`),
];

export function someArgument(random: Random, values: readonly string[]): string {
  return pick(random, wrappers)(pick(random, values));
}

export function someArguments(
  random: Random,
  values: readonly string[],
  most: number,
): readonly string[] {
  const count = Math.floor(random() * (most + 1));
  return Array.from({ length: count }, () => someArgument(random, values));
}

/** Arguments that aggregate functions take. */
export const shapes: readonly (readonly string[])[] = [
  ['number'],
  ['number', 'number'],
  ['toFloat64(number)', 'number % 2'],
  ['toString(number)'],
  ['[number]'],
  ['toDateTime(number)', 'number % 2 = 0', 'number % 3 = 0'],
  ['map(number, 1)'],
  ['number', 'number', 'number'],
  ['toDateTime(number)', 'toFloat64(number)'],
];

export function aggregateArguments(random: Random, values: readonly string[]): readonly string[] {
  return random() < 0.6 ? pick(random, shapes) : someArguments(random, values, 3);
}
