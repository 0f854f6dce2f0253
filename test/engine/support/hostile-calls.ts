/** Calls of the engine's functions with what its code was not written for. Deterministic by its seed. */
import {
  aggregateArguments,
  pick,
  type Random,
  someArgument,
  someArguments,
} from './hostile-values.ts';

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
