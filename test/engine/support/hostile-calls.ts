/** Calls of the engine's functions with what its code was not written for. Deterministic by its seed. */

export interface Catalog {
  readonly scalars: readonly string[];
  readonly aggregates: readonly string[];
  /** Scalars of times and types. */
  readonly timed: readonly string[];
}

export interface HostileText {
  readonly family: string;
  readonly sql: string;
  /** True: the guard has to refuse it; false: it may refuse it, and the engine has to live with it. */
  readonly mustBeRefused: boolean;
  /** How the text follows from the arguments of its call. */
  readonly call?: Call;
}

/** A call that can be made again with other arguments. */
export interface Call {
  readonly name: string;
  readonly args: readonly string[];
  readonly toText: (args: readonly string[]) => HostileText;
}

/** A call that ran, with one argument changed: deeper than one of arguments by chance, which mostly have the wrong types. */
export function varied(
  random: Random,
  calls: ReadonlyMap<string, readonly Call[]>,
  values: readonly string[],
): HostileText {
  const { args, toText } = pick(random, pick(random, [...calls.values()]));
  const at = Math.floor(random() * args.length);
  return toText(args.map((arg, index) => (index === at ? someArgument(random, values) : arg)));
}

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

function pick<T>(random: Random, from: readonly T[]): T {
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

function someArgument(random: Random, values: readonly string[]): string {
  return pick(random, wrappers)(pick(random, values));
}

function someArguments(random: Random, values: readonly string[], most: number): readonly string[] {
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

function aggregateArguments(random: Random, values: readonly string[]): readonly string[] {
  return random() < 0.6 ? pick(random, shapes) : someArguments(random, values, 3);
}

const sources = [
  'FROM numbers(3)',
  'FROM numbers(3)',
  '',
  'FROM (SELECT number, 1 AS a FROM numbers(0))',
];

export function hostileScalar(
  random: Random,
  catalog: Catalog,
  values: readonly string[],
): HostileText {
  const name = pick(random, catalog.scalars);
  const source = pick(random, sources);
  const toText = (args: readonly string[]): HostileText => ({
    family: 'functions',
    sql: `SELECT ${name}(${args.join(', ')}) AS r ${source}`,
    mustBeRefused: false,
    call: { name, args, toText },
  });
  return toText(someArguments(random, values, 5));
}

const combinators = [
  '',
  '',
  '',
  'If',
  'Array',
  'OrNull',
  'OrDefault',
  'Distinct',
  'ForEach',
  'Resample',
  'Map',
  'State',
  'Merge',
  'MergeState',
  'ArgMin',
  'SimpleState',
  'Null',
  'Tuple',
];

export function hostileAggregate(
  random: Random,
  catalog: Catalog,
  values: readonly string[],
): HostileText {
  const plain = random() < 0.5;
  const suffix = plain ? '' : `${pick(random, combinators)}${pick(random, combinators)}`;
  const name = `${pick(random, catalog.aggregates)}${suffix}`;
  const params = random() < 0.4 ? `(${someArguments(random, values, 3).join(', ')})` : '';
  const over =
    random() < 0.1 ? ' OVER (ORDER BY number ROWS BETWEEN 1 PRECEDING AND CURRENT ROW)' : '';
  const source = pick(random, ['FROM numbers(100)', 'FROM numbers(0)', 'FROM numbers(3)']);
  const toText = (args: readonly string[]): HostileText => ({
    family: 'aggregates',
    sql: `SELECT ${name}${params}(${args.join(', ')})${over} AS r ${source}`,
    mustBeRefused: false,
    call: { name, args, toText },
  });
  return toText(aggregateArguments(random, values));
}

const timed: readonly (readonly string[])[] = [
  [],
  ['now()'],
  ["'2020-01-01 00:00:00'"],
  ['1'],
  ['now()', '1'],
  ['now()', 'INTERVAL 1 DAY'],
  ["'2020-01-01 00:00:00'", "'%Y-%m-%d'"],
  ["'day'", 'now()', 'now()'],
];

/** Every way that a text could have to name a time zone, around a call of which it is the last argument. */
const zoneForms: readonly ((zone: string, call: (last: string) => string) => string)[] = [
  (zone, call) => `SELECT ${call(`'${zone}'`)}`,
  (zone, call) => `SELECT ${call(`concat('${zone.slice(0, 5)}', '${zone.slice(5)}')`)}`,
  (zone, call) => `SELECT ${call(`materialize('${zone}')`)}`,
  (zone, call) => `WITH '${zone}' AS z SELECT ${call('z')}`,
  (zone, call) => `SELECT ${call('z')} FROM (SELECT '${zone}' AS z)`,
  (zone, call) => `SELECT arrayMap(z -> ${call('z')}, ['${zone}'])`,
  (zone, call) => `SELECT ${call(`(SELECT '${zone}')`)}`,
  (zone, call) => `SELECT ${call(`['${zone}'][1]`)}`,
  (zone) => `SELECT now()::DateTime('${zone}')`,
  (zone) => `SELECT CAST('2020-01-01 00:00:00', 'Array(Nullable(DateTime64(3, \\'${zone}\\')))')`,
  (zone) => `SELECT parseDateTimeInJodaSyntaxOrNull('2020 ${zone}', 'yyyy z')`,
  (zone) => `SELECT {s:DateTime('${zone}')}`,
  (zone) => `SELECT CAST(1 AS Dynamic).\`DateTime('${zone}')\``,
  (zone) => `SELECT dynamicElement(CAST(1 AS Dynamic), 'DateTime(\\'${zone}\\')')`,
  (zone) => `SELECT * FROM values('a DateTime(\\'${zone}\\')', ('2020-01-01 00:00:00'))`,
];

/** @param canary a file that nothing may open. */
export function hostileZone(random: Random, catalog: Catalog, canary: string): HostileText {
  const name = pick(random, catalog.timed);
  const given = pick(random, timed);
  const call = (last: string) => `${name}(${[...given, last].join(', ')})`;
  const sql = pick(random, zoneForms)(`file:${canary}`, call);
  return { family: 'zones', sql, mustBeRefused: false };
}

/** A state that the engine made: its type, and its bytes in hexadecimal. */
export interface RealState {
  readonly name: string;
  readonly type: string;
  readonly hex: string;
}

function mutated(random: Random, hex: string): string {
  const bytes = Buffer.from(hex, 'hex');
  const how = random();
  if (how < 0.25) return bytes.subarray(0, Math.floor(random() * bytes.length)).toString('hex');
  if (how < 0.5)
    return Buffer.from(Array.from({ length: 1 + random() * 40 }, () => random() * 256)).toString(
      'hex',
    );
  const changed = Buffer.from(bytes);
  for (let n = 0; n < 4 && changed.length > 0; n += 1) {
    changed[Math.floor(random() * changed.length)] = pick(random, [
      0,
      255,
      128,
      127,
      1,
      Math.floor(random() * 256),
    ]);
  }
  return changed.toString('hex');
}

/** Every way that a text could have to give the engine the bytes of a state. */
const givings: readonly ((bytes: string, type: string) => string)[] = [
  (bytes, type) => `SELECT finalizeAggregation(CAST(${bytes}, '${type}'))`,
  (bytes, type) => `SELECT hex(${bytes}::${type.replaceAll("\\'", "'")})`,
  (bytes, type) => `SELECT accurateCastOrNull(${bytes}, '${type}')`,
  (bytes, type) => `SELECT accurateCastOrDefault(${bytes}, '${type}')`,
  (bytes, type) => `SELECT _CAST(${bytes}, '${type}')`,
  (bytes, type) => `SELECT reinterpret(${bytes}, '${type}')`,
  (bytes, type) => `SELECT CAST([${bytes}], 'Array(${type})')`,
  (bytes, type) => `SELECT CAST((1, ${bytes}), 'Tuple(a UInt8, b ${type})')`,
  (bytes, type) => `SELECT CAST(map('k', ${bytes}), 'Map(String, ${type})')`,
  (bytes, type) => `SELECT CAST(${bytes}, 'Variant(UInt8, ${type})')`,
  (bytes, type) => `SELECT JSONExtract(concat('{"a":"', ${bytes}, '"}'), 'a', '${type}')`,
  (bytes, type) => `SELECT * FROM values('s ${type}', (${bytes}))`,
  (bytes, type) => `SELECT * FROM format(TSV, 's ${type}', ${bytes})`,
  (bytes, type) => `WITH '${type}' AS t SELECT CAST(${bytes}, t)`,
  (bytes, type) => `SELECT CAST(${bytes}, concat('${type.slice(0, 7)}', '${type.slice(7)}'))`,
  (bytes, type) => `SELECT * APPLY(x -> CAST(x, '${type}')) FROM (SELECT ${bytes})`,
  (bytes, type) => `SELECT arrayMap(x -> CAST(x, '${type}'), [${bytes}])`,
  (bytes, type) => `SELECT dynamicElement(CAST(${bytes}, 'Dynamic'), '${type}')`,
  (bytes, type) => `SELECT {s:${type.replaceAll("\\'", "'")}}, ${bytes}`,
  (bytes, type) => `SELECT (SELECT CAST(${bytes}, 'SimpleAggregateFunction(any, ${type})'))`,
];

export function craftedState(random: Random, states: readonly RealState[]): HostileText {
  const { type, hex } = pick(random, states);
  const bytes = `unhex('${mutated(random, hex)}')`;
  const escaped = type.replaceAll('\\', '\\\\').replaceAll("'", "\\'");
  return { family: 'states', sql: pick(random, givings)(bytes, escaped), mustBeRefused: true };
}

/** What may be done with states that the engine made. */
export function realState(
  random: Random,
  catalog: Catalog,
  values: readonly string[],
): HostileText {
  const name = pick(random, catalog.aggregates);
  const other = random() < 0.7 ? name : pick(random, catalog.aggregates);
  const params = random() < 0.3 ? `(${someArguments(random, values, 2).join(', ')})` : '';
  const inner = `SELECT number % 3 AS k, ${name}State${params}(${aggregateArguments(random, values).join(', ')}) AS s FROM numbers(50) GROUP BY k`;
  const uses = [
    `${other}Merge${params}(s)`,
    `finalizeAggregation(any(s))`,
    `hex(${other}MergeState${params}(s))`,
    `arrayReduce('${other}Merge', groupArray(s))`,
    `${other}MergeState${params}(s) AS m, finalizeAggregation(m)`,
    `groupArray(s)[1] AS f, finalizeAggregation(f)`,
    `finalizeAggregation(${other}MergeState${params}(s) + ${other}MergeState${params}(s))`,
  ];
  return {
    family: 'real states',
    sql: `SELECT ${pick(random, uses)} FROM (${inner})`,
    mustBeRefused: false,
  };
}
