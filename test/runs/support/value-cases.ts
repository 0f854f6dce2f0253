/**
 * Values of each type that is no container, with what they are in each format, written by hand: nothing of it is
 * worked out by the service or asked of the engine.
 */

/** A text with the kind of the value, as `int:5`, or a container of such texts. */
export type Binary =
  | string
  | null
  | readonly Binary[]
  | { readonly [name: string]: Binary }
  | { readonly entries: readonly (readonly [key: string, value: Binary])[] };

export interface Cell {
  readonly sql: string;
  /** In JSON and NDJSON. */
  readonly json: string;
  /** The text of the cell; null: an empty one without quotes. Of nested values the JSON text. */
  readonly csv: string | null;
  /** In Arrow and Parquet. */
  readonly binary: Binary;
}

export interface TypeCase {
  readonly type: string;
  readonly cells: readonly Cell[];
  readonly isNested: boolean;
  /** In Arrow and Parquet the whole value is JSON text, and that of what holds it. */
  readonly isJson: boolean;
  /** What holds it is JSON text, but not the value alone. */
  readonly isJsonInside?: boolean;
  readonly allows: {
    readonly null: boolean;
    readonly key: boolean;
    readonly dynamic: boolean;
  };
}

type Row = readonly [sql: string, json: string, csv: string, binary: string];

function scalar(type: string, rows: readonly Row[], without: Partial<TypeCase['allows']> = {}) {
  const cells = rows.map(([sql, json, csv, binary]): Cell => {
    return { sql: `CAST(${sql} AS ${type})`, json, csv, binary };
  });
  const allows = { null: true, key: true, dynamic: true, ...without };
  return { type, cells, isNested: false, isJson: false, allows } satisfies TypeCase;
}

/** Without characters that a query may not have in its text. */
function escaped(text: string): string {
  const hex = (char: string) => `\\x${char.charCodeAt(0).toString(16).padStart(2, '0')}`;
  return text.replace(/[\\']/g, '\\$&').replace(/\p{Cc}/gu, hex);
}

function integers(type: string, values: readonly string[]): TypeCase {
  return scalar(
    type,
    values.map((value) => [`'${value}'`, value, value, `int:${value}`]),
  );
}

/** What JSON has as a string of digits, and the others as text. */
function wideIntegers(type: string, values: readonly string[]): TypeCase {
  const rows = values.map((value): Row => [`'${value}'`, `"${value}"`, value, `text:${value}`]);
  return scalar(type, rows, { dynamic: false });
}

function texts(type: string, values: readonly string[]): TypeCase {
  return scalar(
    type,
    values.map((value) => [`'${escaped(value)}'`, JSON.stringify(value), value, `text:${value}`]),
  );
}

function floats(type: string, kind: 'float' | 'single', largest: string): TypeCase {
  const finite = ['0', '-0', '1.5', '-0.25', largest].map((value): Row => {
    return [`'${value}'`, value, value, `${kind}:${value}`];
  });
  const others = ['nan', 'inf', '-inf'].map((value): Row => {
    return [`'${value}'`, 'null', value, `${kind}:${value}`];
  });
  return scalar(type, [...finite, ...others], { key: false });
}

function decimals(type: string, values: readonly string[]): TypeCase {
  return scalar(
    type,
    values.map((value) => [`'${value}'`, `"${value}"`, value, `decimal:${value}`]),
  );
}

function dates(type: string, values: readonly string[]): TypeCase {
  return scalar(
    type,
    values.map((value) => [`'${value}'`, `"${value}"`, value, `date:${value}`]),
  );
}

/** Values are instants in UTC, with as many decimals as the type has. */
function instants(type: string, values: readonly string[]): TypeCase {
  const rows = values.map((value): Row => {
    const digits = /\.(\d+)/.exec(value)?.[1]?.length ?? 0;
    const text = `'${value.replace('T', ' ').replace('Z', '')}'`;
    const sql = /'/.test(type) ? `toDateTime64(${text}, ${digits}, 'UTC')` : text;
    return [sql, `"${value}"`, value, `time:${value}`];
  });
  return scalar(type, rows);
}

function power(of: number): bigint {
  return 2n ** BigInt(of);
}

const signed = (bits: number) => ['0', '-1', `${-power(bits - 1)}`, `${power(bits - 1) - 1n}`];
const unsigned = (bits: number) => ['0', '1', `${power(bits) - 1n}`];

const units = 'Nanosecond Microsecond Millisecond Second Minute Hour Day Week Month Quarter Year';
const hostileTexts = [
  '',
  'a',
  'a,"b"\r\nc',
  '=1+1',
  'NULL',
  '\\N',
  'null',
  'nan',
  ' x ',
  '\t',
  '"',
  "'",
  '\\',
  '1e3',
  'é€😀',
  '\u0000\u001f',
  '\u2028',
  '[1]',
  '{"a":1}',
  '-',
  '@x',
  'true',
];

/** hyparquet makes text of the numbers of its bytes. */
const noKey = { null: true, key: false, dynamic: true } as const;
const lowCardinality = { null: false, key: true, dynamic: true } as const;

export const scalars: readonly TypeCase[] = [
  ...[8, 16, 32, 64].map((bits) => integers(`Int${bits}`, signed(bits))),
  ...[8, 16, 32, 64].map((bits) => integers(`UInt${bits}`, unsigned(bits))),
  ...[128, 256].map((bits) => wideIntegers(`Int${bits}`, signed(bits))),
  ...[128, 256].map((bits) => wideIntegers(`UInt${bits}`, unsigned(bits))),
  floats('Float64', 'float', '1.7976931348623157e308'),
  floats('Float32', 'single', '3.4028235e38'),
  floats('BFloat16', 'single', '3.3895314e38'),
  decimals('Decimal(9, 4)', ['0.0000', '-99999.9999', '1.1000']),
  decimals('Decimal32(9)', ['0.000000001', '-0.999999999']),
  decimals('Decimal64(2)', ['1.10', '-9999999999999999.99']),
  decimals('Decimal128(0)', [`-${'9'.repeat(38)}`, '0']),
  decimals('Decimal256(40)', [`${'9'.repeat(36)}.${'9'.repeat(40)}`, `-0.${'0'.repeat(39)}1`]),
  integersOfBool(),
  texts('String', hostileTexts),
  { ...texts('FixedString(4)', ['abcd', 'a,"b', '\u0000\u0000\u0000\u0000', '😀']), allows: noKey },
  { ...texts('LowCardinality(String)', hostileTexts.slice(0, 6)), allows: lowCardinality },
  dates('Date', ['1970-01-01', '2149-06-06']),
  dates('Date32', ['1900-01-01', '1969-12-31', '2299-12-31']),
  ...['DateTime', 'DateTime32', "DateTime('Asia/Tokyo')"].map((type) =>
    instants(type, ['1970-01-01T00:00:00Z', '2106-02-07T06:28:15Z']),
  ),
  instants('DateTime64(0)', ['1900-01-01T00:00:00Z', '2299-12-31T23:59:59Z']),
  instants("DateTime64(1, 'Asia/Tokyo')", ['1969-12-31T23:59:59.9Z', '2299-12-31T14:59:59.9Z']),
  instants('DateTime64(3)', ['1900-01-01T00:00:00.000Z', '2299-12-31T23:59:59.999Z']),
  instants("DateTime64(5, 'Europe/Paris')", ['2001-01-01T00:00:00.12345Z']),
  instants('DateTime64(6)', ['1900-01-01T00:00:00.000000Z', '2299-12-31T23:59:59.999999Z']),
  instants('DateTime64(7)', ['1900-01-01T00:00:00.0000000Z', '2262-04-11T23:47:16.8547758Z']),
  instants('DateTime64(9)', ['1900-01-01T00:00:00.000000000Z', '2262-04-11T23:47:16.854775806Z']),
  texts('Time', ['00:00:00', '-999:59:59', '999:59:59']),
  texts('Time64(3)', ['-00:00:00.500', '12:34:56.789']),
  texts('Time64(9)', ['999:59:59.999999999', '-999:59:59.999999999']),
  texts('UUID', ['00000000-0000-0000-0000-000000000000', '61f0c404-5cb3-11e7-907b-a6006ad3dba0']),
  texts('IPv4', ['0.0.0.0', '255.255.255.255']),
  texts('IPv6', ['::', '::ffff:1.2.3.4', 'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff']),
  texts("Enum8('a\\'b' = -128, '' = 127, 'é,' = 0)", ["a'b", '', 'é,']),
  texts("Enum16('a' = -32768, '\"' = 32767)", ['a', '"']),
  texts("Enum('x' = 1)", ['x']),
  ...units.split(' ').map((unit) => ({
    ...integers(`Interval${unit}`, ['0', '-3', '9223372036854775807']),
    cells: ['0', '-3', '9223372036854775807'].map((value) => ({
      sql: `toInterval${unit}(toInt64('${value}'))`,
      json: value,
      csv: value,
      binary: `int:${value}`,
    })),
    allows: { null: true, key: false, dynamic: true },
  })),
];

function integersOfBool(): TypeCase {
  return scalar(
    'Bool',
    ['true', 'false'].map((value) => [value, value, value, `int:${value}`]),
  );
}
