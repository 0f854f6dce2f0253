import { describe, expect, it } from 'vitest';
import { ServiceError } from '../../src/errors/service-error.ts';
import { formatParam, parseByType } from '../../src/sql/param-value.ts';

const accepted: readonly (readonly [string, unknown, string])[] = [
  ['String', 'a\tb\\c\nd', 'a\\tb\\\\c\\nd'],
  ['String', '\\N', '\\\\N'],
  ['String', 5, '5'],
  ['String', true, 'true'],
  ['FixedString(2)', 'é', 'é'],
  ['Nullable(String)', null, '\\N'],
  ['LowCardinality(Nullable(String))', null, '\\N'],
  ['LowCardinality(String)', 'x', 'x'],
  ['UInt8', 255, '255'],
  ['Int8', -128, '-128'],
  ['UInt64', '18446744073709551615', '18446744073709551615'],
  ['Int64', '-9223372036854775808', '-9223372036854775808'],
  ['Int64', '+7', '7'],
  ['Int256', 7n, '7'],
  ['UInt8', -0, '0'],
  ['Float64', 1.5, '1.5'],
  ['Float64', '1e300', '1e300'],
  ['Float64', 'nan', 'nan'],
  ['Decimal(10, 2)', '1.10', '1.1'],
  ['Decimal(10, 2)', 12345678.91, '12345678.91'],
  ['Decimal(10, 2)', '-0.5', '-0.5'],
  ['Decimal(10, 2)', '1e2', '100'],
  ['Decimal(10, 2)', '15e-1', '1.5'],
  ['Decimal32(4)', 1e-4, '0.0001'],
  ['Decimal(10, 7)', 1e-7, '0.0000001'],
  ['Bool', true, 'true'],
  ['Bool', 0, 'false'],
  ['Bool', 'false', 'false'],
  ['Date', '2001-01-31', '2001-01-31'],
  ['Date32', '1900-01-01', '1900-01-01'],
  ['DateTime', '2001-01-01T00:00:00Z', '0978307200'],
  ['DateTime', '2001-01-01', '0978307200'],
  ['DateTime', '2001-01-01 01:00:00+01:00', '0978307200'],
  ['DateTime', '2001-01-01T00:00:00.000Z', '0978307200'],
  ["DateTime('Europe/Paris')", '2001-01-01T00:00:00Z', '0978307200'],
  ["DateTime('America/New_York')", '1969-12-31T19:00:00', '0000000000'],
  ["DateTime('Asia/Tokyo')", '2106-02-07T12:00:00', '4294954800'],
  ["DateTime('Factory')", '2001-01-01T00:00:00', '2001-01-01 00:00:00'],
  ["DateTime('Europe/Paris')", '2001-01-01T00:00:00', '2001-01-01 00:00:00'],
  ['DateTime64(3)', '2001-01-01T00:00:00.120Z', '0978307200.12'],
  ['DateTime64(3)', '1969-12-31T23:59:59.500Z', '1969-12-31 23:59:59.5'],
  ['DateTime64(3)', '1969-12-31T23:59:58Z', '-0000000002'],
  ["DateTime64(3, 'Asia/Tokyo')", '2001-01-01T09:00:00.5', '2001-01-01 09:00:00.5'],
  ['UUID', '61f0c404-5cb3-11e7-907b-a6006ad3dba0', '61f0c404-5cb3-11e7-907b-a6006ad3dba0'],
  ['IPv4', '192.0.2.1', '192.0.2.1'],
  ['IPv6', '2001:db8::1', '2001:db8::1'],
  ["Enum8('a' = 1, 'it\\'s' = 2)", "it's", "it's"],
  ['Array(String)', ["a'b", 'c\\d', 'e\nf'], "['a\\'b','c\\\\d','e\\nf']"],
  ['Array(Nullable(Int64))', ['9223372036854775807', null], '[9223372036854775807,NULL]'],
  ['Array(Array(UInt8))', [[1], []], '[[1],[]]'],
  ['Array(DateTime)', ['2001-01-01T00:00:00Z'], "['0978307200']"],
  ['Array(Decimal(10, 2))', ['1.5'], '[1.5]'],
  ['Tuple(UInt8, String)', [1, 'x'], "(1,'x')"],
  ['Tuple(a UInt8, b String)', { b: 'x', a: 1 }, "(1,'x')"],
  ['Map(String, Array(UInt8))', { "k'": [1] }, "{'k\\'':[1]}"],
  ['Map(UInt64, String)', { '18446744073709551615': 'x' }, "{18446744073709551615:'x'}"],
  ['JSON', { a: 'b\\c' }, '{"a":"b\\\\\\\\c"}'],
  ['Float32', '3.4028234663852886e38', '3.4028234663852886e38'],
  ['Time', ' -12:30:00', '-12:30:00'],
  ['Time', '999:59:59', '999:59:59'],
  ['Time64(3)', '12:00:00.1230', '12:00:00.1230'],
  ["DateTime('Asia/Tokyo')", '1970-01-01 09:00:00', '1970-01-01 09:00:00'],
  ["DateTime('America/New_York')", '2106-02-07T01:28:15', '2106-02-07 01:28:15'],
];

const refused: readonly (readonly [string, unknown, RegExp])[] = [
  ['String', null, /cannot be null/],
  ['String', {}, /a string/],
  ['FixedString(2)', 'abc', /at most 2 bytes/],
  ['UInt8', 256, /from 0 to 255/],
  ['UInt8', -1, /from 0 to 255/],
  ['UInt8', 1.5, /an integer/],
  ['UInt8', '1x', /an integer/],
  ['Int64', 2 ** 63, /an integer/],
  ['Int64', '9223372036854775808', /to 9223372036854775807/],
  ['UInt64', true, /an integer/],
  ['Float64', 'x', /a number/],
  ['Float64', '1e999', /a number that a Float64 can hold/],
  ['Float32', 1e39, /a number that a Float32 can hold/],
  ['BFloat16', '-3.4e38', /a number that a BFloat16 can hold/],
  ['Array(Float64)', ['1e999'], /a number/],
  ['Time', '25:99:99', /hh:mm:ss, from/],
  ['Time', '1000:00:00', /hh:mm:ss, from/],
  ['Time', '12:00:00.5', /hh:mm:ss, from/],
  ['Time64(3)', '12:00:00.1234', /at most 3 fractional digits/],
  ["DateTime('Asia/Tokyo')", '1970-01-01 08:59:59', /ISO 8601/],
  ["DateTime('America/New_York')", '2106-02-07T01:28:16', /ISO 8601/],
  ["DateTime64(3, 'Asia/Tokyo')", '1900-01-01 08:59:59', /ISO 8601/],
  ['Float64', Number.NaN, /a number/],
  ['Decimal(4, 2)', '100', /at most 2 digits before and 2 after/],
  // As JSON.parse reads 9007199254740993.01 and 1.2345678901234567.
  ['Decimal(18, 2)', Number('9007199254740993.01'), /must be an? (string|decimal)/],
  ['Decimal(18, 16)', Number('1.2345678901234567'), /must be a string to keep its digits/],
  ['Decimal(18, 2)', 0.1 + 0.2, /at most 16 digits before and 2 after/],
  ['Decimal(4, 2)', '1.234', /at most 2 digits before and 2 after/],
  ['Decimal(4, 2)', '.', /decimal/],
  ['Decimal(4, 2)', { toString: 1 }, /decimal/],
  ['Decimal(4, 2)', [1], /decimal/],
  ['Bool', 'yes', /true or false/],
  ['Bool', 2, /true or false/],
  ['Date', '2001-02-30', /YYYY-MM-DD/],
  ['Date', '1969-12-31', /1970-01-01/],
  ['Date', '2001-01-01T00:00:00Z', /YYYY-MM-DD/],
  ['DateTime', '2001-01-01T00:00:00.5Z', /whole seconds/],
  ['DateTime', '1969-12-31T23:59:59Z', /from 1970/],
  ['DateTime', '2001-01-01T24:00:00Z', /ISO 8601/],
  ['DateTime', 978307200, /ISO 8601/],
  ['DateTime64(3)', '2001-01-01T00:00:00.1234Z', /at most 3 fractional digits/],
  ['UUID', 'x', /a UUID/],
  ['IPv4', '1.2.3.256', /IPv4/],
  ['IPv4', '192.168.010.001', /IPv4/],
  ['IPv6', 'x::y::z', /IPv6/],
  ["Enum8('a' = 1)", 'b', /one of "a"/],
  ['Array(UInt8)', 'x', /a list of UInt8/],
  ['Array(UInt8)', [1, null], /cannot be null/],
  ['Array(UInt8)', [256], /from 0 to 255/],
  ['Tuple(UInt8, String)', [1], /2 values, one for each element of Tuple\(UInt8, String\)\.$/],
  ['Tuple(a UInt8, b String)', { a: 1, c: 'x' }, /2 values, .*, or an object \{a, b\}\.$/],
  ['Map(String, UInt8)', [], /an object/],
  ['JSON', 'x', /an object/],
  ['Identifier', 'users', /cannot be the name of a table/],
];

describe('formatParam', () => {
  it.each([...accepted])('%s takes %s', (type, value, text) => {
    expect(formatParam(type, value)).toBe(text);
  });

  it.each(refused)('%s refuses %s', (type, value, reason) => {
    const refusal = catchError(() => formatParam(type, value, 'variables.x'));
    expect(refusal).toBeInstanceOf(ServiceError);
    expect(refusal).toMatchObject({
      code: 'invalid_input',
      attr: 'variables.x',
      message: expect.stringMatching(reason),
    });
    expect((refusal as ServiceError).message).toMatch(/^variables\.x .*\.$/s);
  });
});

describe('readByType', () => {
  it.each<readonly [string, string, unknown]>([
    ['String', '[1]', '[1]'],
    ['Int64', '9223372036854775807', '9223372036854775807'],
    ['Bool', 'true', true],
    ['Bool', '0', false],
    ['Bool', 'x', 'x'],
    ['Array(String)', 'a,b', ['a', 'b']],
    ['Array(String)', '', []],
    ['Array(String)', '["a,b","c"]', ['a,b', 'c']],
    ['Array(UInt64)', '[18446744073709551615, 1]', ['18446744073709551615', 1]],
    ['Array(Bool)', 'true,0', [true, false]],
    ['Array(UInt8)', '[1', '[1'],
    ['Tuple(UInt8, String)', '[1,"x"]', [1, 'x']],
    ['Tuple(UInt8, String)', '1,x', ['1', 'x']],
    ['Tuple(a Bool, b String)', '{"a":true,"b":"x"}', { a: true, b: 'x' }],
    ['Tuple(Bool, String)', 'true,', [true, '']],
    ['JSON', '{"a":1.0,"b":9007199254740993}', { a: 1, b: 9007199254740993n }],
    ['JSON', 'no object', 'no object'],
    ['Map(String, UInt64)', '{"a":18446744073709551615}', { a: '18446744073709551615' }],
    ['Nullable(UInt8)', 'null', null],
    ['Nullable(String)', 'null', 'null'],
    ['Nullable(FixedString(4))', 'null', 'null'],
    ["Nullable(Enum8('null' = 1))", 'null', 'null'],
    ["Nullable(Enum8('a' = 1))", 'null', null],
    ['LowCardinality(String)', 'x', 'x'],
    ['Map(String, UInt8)', 'null', 'null'],
  ])('%s reads %s', (type, text, value) => {
    expect(parseByType(type, text)).toEqual(value);
  });
});

function catchError(work: () => unknown): unknown {
  try {
    work();
    return null;
  } catch (error) {
    return error;
  }
}
