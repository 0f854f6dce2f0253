/** What a value of each type becomes in each format. Held to the table in docs/rest-api.md, "Formats". */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { StreamFormat } from '../../src/model/result-format.ts';
import { save } from '../rest/support/sales.ts';
import { describeBytes, fetchBytes, loadBytes } from '../support/formats.ts';
import { openTestApp, type TestApp } from '../support/test-app.ts';

interface Row {
  readonly value: string;
  /** The cell of a line of CSV. */
  readonly csv: string;
  /** The member of a line of NDJSON, as text. */
  readonly ndjson: string;
  /** The type that a reader finds in Arrow and in Parquet. */
  readonly binary: string;
  /** What the value of that type is as text; the text of the original when absent. */
  readonly reads?: string;
}

const rows: Readonly<Record<string, Row>> = {
  Int8: { value: 'toInt8(-1)', csv: '-1', ndjson: '-1', binary: 'Int8' },
  UInt64: {
    value: 'toUInt64(18446744073709551615)',
    csv: '18446744073709551615',
    ndjson: '18446744073709551615',
    binary: 'UInt64',
  },
  Int64: {
    value: "toInt64('-9223372036854775808')",
    csv: '-9223372036854775808',
    ndjson: '-9223372036854775808',
    binary: 'Int64',
  },
  Int128: {
    value: "toInt128('170141183460469231731687303715884105727')",
    csv: '170141183460469231731687303715884105727',
    ndjson: '"170141183460469231731687303715884105727"',
    binary: 'String',
  },
  UInt256: { value: 'toUInt256(7)', csv: '7', ndjson: '"7"', binary: 'String' },
  Float64: { value: '1.5', csv: '1.5', ndjson: '1.5', binary: 'Float64' },
  NaN: { value: 'nan', csv: 'nan', ndjson: 'null', binary: 'Float64' },
  infinity: { value: '-inf', csv: '-inf', ndjson: 'null', binary: 'Float64' },
  BFloat16: { value: 'toBFloat16(1.5)', csv: '1.5', ndjson: '1.5', binary: 'Float32' },
  Decimal: {
    value: "toDecimal64('1.10', 2)",
    csv: '1.10',
    ndjson: '"1.10"',
    binary: 'Decimal(18, 2)',
  },
  Decimal256: {
    value: "toDecimal256('1.10', 4)",
    csv: '1.1000',
    ndjson: '"1.1000"',
    binary: 'Decimal(76, 4)',
  },
  Bool: { value: 'true', csv: 'true', ndjson: 'true', binary: 'Bool' },
  String: {
    value: '\'a,"b"\\r\\nü\'',
    csv: '"a,""b""\r\nü"',
    ndjson: '"a,\\"b\\"\\r\\nü"',
    binary: 'String',
  },
  FixedString: {
    value: "toFixedString('ab', 3)",
    csv: '"ab\0"',
    ndjson: '"ab\\u0000"',
    binary: 'FixedString(3)',
  },
  Date: {
    value: "toDate('2001-05-31')",
    csv: '"2001-05-31"',
    ndjson: '"2001-05-31"',
    binary: 'Date32',
  },
  DateTime: {
    value: "toDateTime('2001-05-31 12:00:00', 'Europe/Paris')",
    csv: '"2001-05-31T10:00:00Z"',
    ndjson: '"2001-05-31T10:00:00Z"',
    binary: "DateTime64(3, 'UTC')",
    reads: '2001-05-31 10:00:00.000',
  },
  DateTime64: {
    value: "toDateTime64('2001-05-31 12:00:00.123456', 6, 'UTC')",
    csv: '"2001-05-31T12:00:00.123456Z"',
    ndjson: '"2001-05-31T12:00:00.123456Z"',
    binary: "DateTime64(6, 'UTC')",
  },
  UUID: {
    value: "toUUID('61f0c404-5cb3-11e7-907b-a6006ad3dba0')",
    csv: '"61f0c404-5cb3-11e7-907b-a6006ad3dba0"',
    ndjson: '"61f0c404-5cb3-11e7-907b-a6006ad3dba0"',
    binary: 'String',
  },
  IPv4: { value: "toIPv4('1.2.3.4')", csv: '"1.2.3.4"', ndjson: '"1.2.3.4"', binary: 'String' },
  IPv6: {
    value: "toIPv6('2001:db8::1')",
    csv: '"2001:db8::1"',
    ndjson: '"2001:db8::1"',
    binary: 'String',
  },
  Enum: {
    value: "CAST('a', 'Enum8(''a'' = 1)')",
    csv: '"a"',
    ndjson: '"a"',
    binary: 'String',
  },
  LowCardinality: {
    value: "toLowCardinality('x')",
    csv: '"x"',
    ndjson: '"x"',
    binary: 'String',
  },
  'LowCardinality of UUID': {
    value: "CAST(toLowCardinality(toNullable('x')), 'LowCardinality(Nullable(String))')",
    csv: '"x"',
    ndjson: '"x"',
    binary: 'String',
  },
  null: { value: "CAST(NULL, 'Nullable(Int64)')", csv: '', ndjson: 'null', binary: 'Int64' },
  'untyped null': { value: 'NULL', csv: '', ndjson: 'null', binary: 'String' },
  'empty string': { value: "''", csv: '""', ndjson: '""', binary: 'String' },
  Array: {
    value: "['a', 'b\"']",
    csv: '"[""a"",""b\\""""]"',
    ndjson: '["a","b\\""]',
    binary: 'Array(String)',
  },
  'Array of Int128': {
    value: '[toInt128(1)]',
    csv: '"[""1""]"',
    ndjson: '["1"]',
    binary: 'Array(String)',
    reads: "['1']",
  },
  'Array of DateTime': {
    value: "[toDateTime('2001-05-31 12:00:00', 'UTC')]",
    csv: '"[""2001-05-31T12:00:00Z""]"',
    ndjson: '["2001-05-31T12:00:00Z"]',
    binary: "Array(DateTime64(3, 'UTC'))",
    reads: "['2001-05-31 12:00:00.000']",
  },
  'empty Array': { value: '[]', csv: '"[]"', ndjson: '[]', binary: 'Array(String)' },
  Tuple: {
    value: "CAST((1, 'a'), 'Tuple(n UInt8, s String)')",
    csv: '"{""n"":1,""s"":""a""}"',
    ndjson: '{"n":1,"s":"a"}',
    binary: 'Tuple(n UInt8, s String)',
  },
  'Tuple without names': {
    value: "(1, toUUID('61f0c404-5cb3-11e7-907b-a6006ad3dba0'))",
    csv: '"[1,""61f0c404-5cb3-11e7-907b-a6006ad3dba0""]"',
    ndjson: '[1,"61f0c404-5cb3-11e7-907b-a6006ad3dba0"]',
    binary: 'Tuple(`1` UInt8, `2` String)',
  },
  Map: {
    value: "map('k', 1)",
    csv: '"{""k"":1}"',
    ndjson: '{"k":1}',
    binary: 'Map(String, UInt8)',
  },
  Nested: {
    value: "CAST([(1, 'a')], 'Nested(n UInt8, s String)')",
    csv: '"[{""n"":1,""s"":""a""}]"',
    ndjson: '[{"n":1,"s":"a"}]',
    binary: 'Array(Tuple(n UInt8, s String))',
  },
  Variant: {
    value: "CAST(toUInt64(1), 'Variant(UInt64, String)')",
    csv: '"1"',
    ndjson: '1',
    binary: 'String',
  },
  JSON: {
    value: 'CAST(\'{"a":{"b":"1"}}\', \'JSON\')',
    csv: '"{""a"":{""b"":""1""}}"',
    ndjson: '{"a":{"b":"1"}}',
    binary: 'String',
  },
  Point: {
    value: "CAST((1., 2.), 'Point')",
    csv: '"[1,2]"',
    ndjson: '[1,2]',
    binary: 'Tuple(`1` Float64, `2` Float64)',
  },
  Interval: { value: 'toIntervalDay(3)', csv: '3', ndjson: '3', binary: 'Int64' },
  SimpleAggregateFunction: {
    value: "CAST(1, 'SimpleAggregateFunction(sum, UInt64)')",
    csv: '1',
    ndjson: '1',
    binary: 'UInt64',
  },
};

let test: TestApp;
beforeAll(async () => {
  test = await openTestApp();
});
afterAll(() => test.close());

const nameOf = (type: string) => `v_${type.replace(/\W/g, '_')}`;

async function answer(type: string, format: StreamFormat): Promise<Buffer> {
  const { status, bytes, text } = await fetchBytes(test, `${nameOf(type)}/run?format=${format}`);
  expect([status, status === 200 ? '' : text]).toEqual([200, '']);
  return bytes;
}

describe.each(Object.entries(rows))('%s', (type, row) => {
  beforeAll(async () => {
    await save(test, nameOf(type), { query: `SELECT ${row.value} AS c` });
  });

  it('in CSV', async () => {
    expect((await answer(type, 'csv')).toString()).toBe(`"c"\r\n${row.csv}\r\n`);
  });

  it('in NDJSON, as in JSON', async () => {
    const text = (await answer(type, 'ndjson')).toString();
    expect(text).toBe(`{"c":${row.ndjson}}\n`);
    const json = await test.rest('GET', `/endpoints/${nameOf(type)}/run`);
    expect(JSON.stringify(JSON.parse(text).c)).toBe(
      JSON.stringify((json.body.results as unknown[][])[0]?.[0]),
    );
  });

  it.each(['arrow', 'parquet'] as const)('in %s', async (format) => {
    const bytes = await answer(type, format);
    const [[column, found] = ['', '']] = await describeBytes(test, format, bytes);
    expect([column, withoutNull(found)]).toEqual(['c', row.binary]);
    const table = `${nameOf(type)}_${format}`;
    await test.sql(`CREATE TABLE ${table} (c ${found}) ENGINE = Memory`);
    await loadBytes(test, { table, format, bytes });
    const original =
      row.binary === 'String' && type !== 'String'
        ? `(SELECT ${row.value} AS c)`
        : `(SELECT CAST(${row.value} AS ${found}) AS c)`;
    const read = (from: string) => test.sql(`SELECT toString(c) FROM ${from} FORMAT TSVRaw`);
    expect(await read(table)).toBe(
      row.reads === undefined ? await read(original) : `${row.reads}\n`,
    );
  });
});

/** Arrow and Parquet say of every column that it may hold nulls, and of its elements too. */
function withoutNull(type: string): string {
  const plain = type.replace(/Nullable\(((?:[^()]|\([^()]*\))*)\)/g, '$1');
  return plain === type ? type : withoutNull(plain);
}

describe('integers as strings', () => {
  it('are so in NDJSON, and numbers of the format elsewhere', async () => {
    await save(test, 'big', { query: 'SELECT toUInt64(18446744073709551615) AS c, [c] AS a' });
    const asked = 'big/run?integers=string&format=';
    expect((await fetchBytes(test, `${asked}ndjson`)).text).toBe(
      '{"c":"18446744073709551615","a":["18446744073709551615"]}\n',
    );
    expect((await fetchBytes(test, `${asked}csv`)).text).toBe(
      '"c","a"\r\n18446744073709551615,"[""18446744073709551615""]"\r\n',
    );
    const { bytes } = await fetchBytes(test, `${asked}arrow`);
    expect(withoutNull((await describeBytes(test, 'arrow', bytes))[0]?.[1] ?? '')).toBe('UInt64');
  });
});
