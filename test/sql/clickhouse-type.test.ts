import { describe, expect, it } from 'vitest';
import { resultSchema } from '../../src/openapi/json-schema-of-type.ts';
import {
  enumMembers,
  isNullable,
  numberArgument,
  parseClickHouseType,
  typeToText,
  unquote,
  withoutWrappers,
} from '../../src/sql/clickhouse-type.ts';
import { formatParam } from '../../src/sql/param-value.ts';

describe('parseClickHouseType', () => {
  it.each([
    'String',
    'Array(Nullable(Int128))',
    'Map(String, Array(UInt8))',
    'Tuple(a UInt8, `b c` Array(String))',
    "Tuple(UInt8, Enum8('a, b' = 1, 'c)' = 2))",
    "DateTime64(3, 'Europe/Paris')",
    'Decimal(76, 40)',
    'AggregateFunction(sum, UInt8)',
    'SimpleAggregateFunction(max, Int256)',
    'Nested(a Int128, b UInt8)',
    'Variant(Int128, String)',
    'JSON(max_dynamic_paths=8, a Int64)',
    'LowCardinality(Nullable(FixedString(4)))',
    'Tuple()',
  ])('writes %s back as it was', (text) => {
    expect(typeToText(parseClickHouseType(text))).toBe(text);
  });

  it.each(['toString', 'constructor', 'hasOwnProperty', '__proto__'])(
    'takes %s, which every object has, for a type like any other',
    (name) => {
      const type = `${name}(UInt8)`;
      expect(parseClickHouseType(type).args).toEqual([{ label: null, type: null, text: 'UInt8' }]);
      expect(formatParam(name, 'x')).toBe('x');
      expect(resultSchema(name)).toEqual(resultSchema('Unknown'));
    },
  );

  it.each(['', 'Array(', '((', "Enum8('a", 'Array)', 'Tuple(,)'])('does not fail at %j', (text) => {
    expect(() => parseClickHouseType(text)).not.toThrow();
  });

  it('reads a text over several lines, as the engine prints tuples', () => {
    expect(typeToText(parseClickHouseType('Tuple(\n    a UInt8,\n    b String)'))).toBe(
      'Tuple(a UInt8, b String)',
    );
  });

  it('distinguishes labels from types', () => {
    const tuple = parseClickHouseType('Tuple(`a b` Int8, c Array(UInt8))');
    expect(tuple.args?.map((arg) => [arg.label, arg.type?.name])).toEqual([
      ['`a b`', 'Int8'],
      ['c', 'Array'],
    ]);
    expect(parseClickHouseType('Tuple(Int8, String)').args?.map((arg) => arg.label)).toEqual([
      null,
      null,
    ]);
  });
});

describe('what follows from a type', () => {
  it('knows where NULL is a value', () => {
    const nullable = ['Nullable(Int8)', 'LowCardinality(Nullable(String))', 'Dynamic'];
    for (const text of nullable) expect(isNullable(parseClickHouseType(text))).toBe(true);
    const never = ['Int8', 'Array(Nullable(Int8))', 'LowCardinality(String)'];
    for (const text of never) expect(isNullable(parseClickHouseType(text))).toBe(false);
  });

  it('reads enum members with their escapes', () => {
    const type = parseClickHouseType("Enum16('it\\'s' = -1, 'a''b' = 2, 'c = 3' = 3, 'd')");
    expect(enumMembers(type)).toEqual(["it's", "a'b", 'c = 3', 'd']);
  });

  it('reads numbers and looks through wrappers', () => {
    expect(numberArgument(parseClickHouseType("DateTime64(6, 'UTC')"), 0)).toBe(6);
    expect(numberArgument(parseClickHouseType("DateTime('UTC')"), 0)).toBeNull();
    expect(withoutWrappers(parseClickHouseType('LowCardinality(Nullable(String))')).name).toBe(
      'String',
    );
  });

  it('unquotes', () => {
    expect(unquote('`a``b`')).toBe('a`b');
    expect(unquote("'a\\nb'")).toBe('a\nb');
    expect(unquote('`a\'\'b""c`')).toBe('a\'\'b""c');
    expect(unquote("'a``b\"\"c''d'")).toBe('a``b""c\'d');
    expect(unquote("'a\\\\d\\d\\e\\x41\\\\x41\\xC3\\xa9\\N\\''")).toBe("a\\d\\d\x1bA\\x41é'");
    expect(unquote('plain')).toBe('plain');
  });
});
