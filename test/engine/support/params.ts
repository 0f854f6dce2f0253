/** A value of a caller, and what comes back when the engine only hands it on. */
export interface Param {
  readonly type: string;
  readonly value: unknown;
  readonly json: string;
}

const wide = '170141183460469231731687303715884105727';

export const params: readonly Param[] = [
  { type: 'String', value: 'a\tb\\N\n\'"\r\0é', json: '"a\\tb\\\\N\\n\'\\"\\r\\u0000é"' },
  { type: 'String', value: '', json: '""' },
  { type: 'Nullable(String)', value: null, json: 'null' },
  { type: 'Nullable(String)', value: '\\N', json: '"\\\\N"' },
  { type: 'Nullable(String)', value: 'NULL', json: '"NULL"' },
  { type: 'FixedString(2)', value: 'ab', json: '"ab"' },
  { type: 'UInt8', value: 255, json: '255' },
  { type: 'Int64', value: '-9223372036854775808', json: '-9223372036854775808' },
  { type: 'UInt64', value: '18446744073709551615', json: '18446744073709551615' },
  { type: 'Int128', value: wide, json: `"${wide}"` },
  { type: 'Float64', value: 1e-7, json: '1e-7' },
  { type: 'Float64', value: 'inf', json: 'null' },
  { type: 'Decimal(20, 5)', value: '-123456789012345.12345', json: '"-123456789012345.12345"' },
  { type: 'Decimal(10, 7)', value: 1e-7, json: '"0.0000001"' },
  { type: 'Bool', value: true, json: 'true' },
  { type: 'Date', value: '2149-06-06', json: '"2149-06-06"' },
  { type: 'Date32', value: '1900-01-01', json: '"1900-01-01"' },
  { type: 'DateTime', value: '1970-01-01T00:00:00Z', json: '"1970-01-01T00:00:00Z"' },
  { type: 'DateTime', value: '2001-06-01T02:00:00+02:00', json: '"2001-06-01T00:00:00Z"' },
  { type: 'DateTime', value: '2106-02-07T06:28:15Z', json: '"2106-02-07T06:28:15Z"' },
  {
    type: "DateTime('Europe/Paris')",
    value: '2001-06-01T02:00:00',
    json: '"2001-06-01T00:00:00Z"',
  },
  {
    type: "DateTime('Europe/Paris')",
    value: '2001-06-01T00:00:00Z',
    json: '"2001-06-01T00:00:00Z"',
  },
  { type: 'DateTime64(3)', value: '1969-12-31T23:59:59.5Z', json: '"1969-12-31T23:59:59.500Z"' },
  {
    type: "DateTime64(3, 'Asia/Tokyo')",
    value: '1969-12-31T23:59:59.5Z',
    json: '"1969-12-31T23:59:59.500Z"',
  },
  { type: 'DateTime64(3)', value: '1969-12-31T23:59:58.5Z', json: '"1969-12-31T23:59:58.500Z"' },
  { type: 'DateTime64(3)', value: '1969-12-31T23:59:59Z', json: '"1969-12-31T23:59:59.000Z"' },
  { type: 'DateTime64(3)', value: '1900-01-01T00:00:00Z', json: '"1900-01-01T00:00:00.000Z"' },
  { type: 'DateTime64(3)', value: '2299-12-31T23:59:59.999Z', json: '"2299-12-31T23:59:59.999Z"' },
  {
    type: "DateTime64(6, 'Asia/Tokyo')",
    value: '2001-01-01T00:00:00.000001Z',
    json: '"2001-01-01T00:00:00.000001Z"',
  },
  {
    type: 'UUID',
    value: '61F0C404-5cb3-11e7-907b-a6006ad3dba0',
    json: '"61f0c404-5cb3-11e7-907b-a6006ad3dba0"',
  },
  { type: 'IPv4', value: '192.0.2.1', json: '"192.0.2.1"' },
  { type: 'IPv6', value: '2001:db8::1', json: '"2001:db8::1"' },
  { type: "Enum8('a' = 1, 'it\\'s' = 2)", value: "it's", json: '"it\'s"' },
  { type: 'LowCardinality(Nullable(String))', value: 'x', json: '"x"' },
  {
    type: 'Array(String)',
    value: ["a'b", 'c\\d', 'e\tf\ng', '', ','],
    json: '["a\'b","c\\\\d","e\\tf\\ng","",","]',
  },
  {
    type: 'Array(Nullable(UInt64))',
    value: ['18446744073709551615', null],
    json: '[18446744073709551615,null]',
  },
  { type: 'Array(Array(Int128))', value: [[wide], []], json: `[["${wide}"],[]]` },
  {
    type: 'Array(DateTime64(3))',
    value: ['1969-12-31T23:59:59.5Z'],
    json: '["1969-12-31T23:59:59.500Z"]',
  },
  { type: 'Array(Date)', value: ['2001-01-01'], json: '["2001-01-01"]' },
  { type: 'Array(Decimal(10, 2))', value: ['1.5'], json: '["1.50"]' },
  { type: 'Array(Bool)', value: [true, false], json: '[true,false]' },
  { type: "Array(Enum8('a' = 1))", value: ['a'], json: '["a"]' },
  { type: 'Array(LowCardinality(Nullable(String)))', value: ['x', null], json: '["x",null]' },
  { type: 'Array(IPv4)', value: ['192.0.2.1'], json: '["192.0.2.1"]' },
  { type: 'Array(Tuple(String, UInt8))', value: [["a'", 1]], json: '[["a\'",1]]' },
  { type: 'Tuple(a UInt8, b String)', value: { b: 'x', a: 1 }, json: '{"a":1,"b":"x"}' },
  { type: 'Tuple(Int8)', value: [1], json: '[1]' },
  { type: 'Map(String, Array(UInt8))', value: { "k'": [1, 2] }, json: '{"k\'":[1,2]}' },
  {
    type: 'Map(Date, DateTime)',
    value: { '2001-01-01': '2001-01-01T00:00:00Z' },
    json: '{"2001-01-01":"2001-01-01T00:00:00Z"}',
  },
  { type: 'JSON', value: { a: "b\\c'\n" }, json: '{"a":"b\\\\c\'\\n"}' },
];
