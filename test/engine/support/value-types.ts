/** One row per kind of value: what the engine calls it and what stands in the rows, to the last digit. */
export interface ValueType {
  readonly expression: string;
  readonly type: string;
  readonly json: string;
  /** With integers as strings, where it differs. */
  readonly asString?: string;
}

const wide = '170141183460469231731687303715884105727';
const widest = '115792089237316195423570985008687907853269984665640564039457584007913129639935';

export const valueTypes: readonly ValueType[] = [
  { expression: 'toInt8(-1)', type: 'Int8', json: '-1' },
  { expression: 'toUInt32(4294967295)', type: 'UInt32', json: '4294967295' },
  {
    expression: 'toUInt64(18446744073709551615)',
    type: 'UInt64',
    json: '18446744073709551615',
    asString: '"18446744073709551615"',
  },
  {
    expression: 'toInt64(-9223372036854775808)',
    type: 'Int64',
    json: '-9223372036854775808',
    asString: '"-9223372036854775808"',
  },
  { expression: `toInt128('${wide}')`, type: 'Int128', json: `"${wide}"` },
  { expression: `toUInt256('${widest}')`, type: 'UInt256', json: `"${widest}"` },
  { expression: '[toInt128(5)]', type: 'Array(Int128)', json: '["5"]' },
  { expression: 'toNullable(toInt128(5))', type: 'Nullable(Int128)', json: '"5"' },
  { expression: 'CAST(NULL AS Nullable(Int128))', type: 'Nullable(Int128)', json: 'null' },
  { expression: "tuple(toInt128(5), 'x')", type: 'Tuple(Int128, String)', json: '["5","x"]' },
  {
    expression: "map('a', [toNullable(toUInt256(5)), NULL])",
    type: 'Map(String, Array(Nullable(UInt256)))',
    json: '{"a":["5",null]}',
  },
  { expression: "map(toInt128(5), 'a')", type: 'Map(Int128, String)', json: '{"5":"a"}' },
  {
    expression: 'CAST(tuple(5) AS Tuple(`a b` Int256))',
    type: 'Tuple(`a b` Int256)',
    json: '{"a b":"5"}',
  },
  {
    expression: 'CAST([(1, 2)] AS Nested(a Int128, b UInt8))',
    type: 'Nested(a Int128, b UInt8)',
    json: '[{"a":"1","b":2}]',
  },
  {
    expression: 'CAST(5::Int128 AS Variant(Int128, String))',
    type: 'Variant(Int128, String)',
    json: '"5"',
  },
  { expression: "toDecimal32('1.1', 3)", type: 'Decimal(9, 3)', json: '"1.100"' },
  {
    expression: "toDecimal256('1.1', 40)",
    type: 'Decimal(76, 40)',
    json: '"1.1000000000000000000000000000000000000000"',
  },
  { expression: "[toDecimal64('-1.10', 2)]", type: 'Array(Decimal(18, 2))', json: '["-1.10"]' },
  { expression: 'toFloat64(1.5)', type: 'Float64', json: '1.5' },
  { expression: 'toFloat32(0.1)', type: 'Float32', json: '0.1' },
  { expression: '1e300', type: 'Float64', json: '1e300' },
  { expression: 'nan', type: 'Float64', json: 'null' },
  { expression: '-inf', type: 'Float64', json: 'null' },
  { expression: '[inf, 1]', type: 'Array(Float64)', json: '[null,1]' },
  { expression: 'true', type: 'Bool', json: 'true' },
  { expression: 'NULL', type: 'Nullable(Nothing)', json: 'null' },
  { expression: '[]', type: 'Array(Nothing)', json: '[]' },
  { expression: "toDate('2001-01-31')", type: 'Date', json: '"2001-01-31"' },
  { expression: "toDate32('1900-01-01')", type: 'Date32', json: '"1900-01-01"' },
  {
    expression: "toDateTime('2001-01-01 00:00:00')",
    type: 'DateTime',
    json: '"2001-01-01T00:00:00Z"',
  },
  {
    expression: "toDateTime('2001-01-01 00:00:00', 'Europe/Paris')",
    type: "DateTime('Europe/Paris')",
    json: '"2000-12-31T23:00:00Z"',
  },
  {
    expression: "toDateTime64('2001-01-01 00:00:00.123', 3, 'Asia/Tokyo')",
    type: "DateTime64(3, 'Asia/Tokyo')",
    json: '"2000-12-31T15:00:00.123Z"',
  },
  {
    expression: "[toDateTime64('2001-01-01 00:00:00.5', 6)]",
    type: 'Array(DateTime64(6))',
    json: '["2001-01-01T00:00:00.500000Z"]',
  },
  {
    expression: "toUUID('61f0c404-5cb3-11e7-907b-a6006ad3dba0')",
    type: 'UUID',
    json: '"61f0c404-5cb3-11e7-907b-a6006ad3dba0"',
  },
  { expression: "toIPv4('192.0.2.1')", type: 'IPv4', json: '"192.0.2.1"' },
  { expression: "toIPv6('2001:db8::1')", type: 'IPv6', json: '"2001:db8::1"' },
  { expression: "CAST('a' AS Enum8('a' = 1))", type: "Enum8('a' = 1)", json: '"a"' },
  { expression: "toLowCardinality('a/b')", type: 'LowCardinality(String)', json: '"a/b"' },
  { expression: "toFixedString('ab', 3)", type: 'FixedString(3)', json: '"ab\\u0000"' },
  { expression: "'é€😀'", type: 'String', json: '"é€😀"' },
  { expression: "'a\\nb\"\\\\'", type: 'String', json: '"a\\nb\\"\\\\"' },
  { expression: "unhex('ff61')", type: 'String', json: '"\uFFFDa"' },
  {
    expression: 'CAST(\'{"a":1,"b":{"c":9007199254740993}}\' AS JSON)',
    type: 'JSON',
    json: '{"a":1,"b":{"c":9007199254740993}}',
    asString: '{"a":"1","b":{"c":"9007199254740993"}}',
  },
  { expression: '(1.5, 2.0)::Point', type: 'Point', json: '[1.5,2]' },
  { expression: 'toIntervalDay(3)', type: 'IntervalDay', json: '3', asString: '"3"' },
];
