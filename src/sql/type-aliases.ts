/**
 * The engine's own names of types that were written under another: `INT` is Int32, `VARCHAR(10)` String, `date` Date.
 * Source: ClickHouse's `system.data_type_families`. Pure.
 */
import {
  type ClickHouseType,
  parseClickHouseType,
  type TypeArgument,
  typeToText,
  unquote,
} from './clickhouse-type.ts';
import { lexSql } from './sql-lexer.ts';

/** By the engine's name; upper and lower case are the same. */
const aliases: Readonly<Record<string, string>> = {
  Bool: 'BOOL, BOOLEAN',
  Int8: 'TINYINT, TINYINT SIGNED, INT1, INT1 SIGNED, BYTE',
  Int16: 'SMALLINT, SMALLINT SIGNED',
  Int32: 'INT, INT SIGNED, INTEGER, INTEGER SIGNED, MEDIUMINT, MEDIUMINT SIGNED',
  Int64: 'BIGINT, BIGINT SIGNED, SIGNED',
  UInt8: 'TINYINT UNSIGNED, INT1 UNSIGNED',
  UInt16: 'SMALLINT UNSIGNED, YEAR',
  UInt32: 'INT UNSIGNED, INTEGER UNSIGNED, MEDIUMINT UNSIGNED',
  UInt64: 'BIGINT UNSIGNED, UNSIGNED, BIT, SET',
  Float32: 'FLOAT, REAL, SINGLE',
  Float64: 'DOUBLE, DOUBLE PRECISION',
  Decimal: 'DECIMAL, DEC, NUMERIC, FIXED',
  Decimal32: 'DECIMAL32',
  Decimal64: 'DECIMAL64',
  Decimal128: 'DECIMAL128',
  Decimal256: 'DECIMAL256',
  Date: 'DATE',
  Date32: 'DATE32',
  DateTime: 'DATETIME, DATETIME32, TIMESTAMP',
  DateTime64: 'DATETIME64',
  Time: 'TIME',
  Time64: 'TIME64',
  Enum: 'ENUM',
  JSON: 'JSON',
  IPv4: 'INET4',
  IPv6: 'INET6',
  Geometry: 'GEOMETRY',
  FixedString: 'BINARY',
  String:
    'CHAR, CHAR VARYING, CHAR LARGE OBJECT, CHARACTER, CHARACTER VARYING, CHARACTER LARGE OBJECT, NCHAR, NCHAR VARYING, NCHAR LARGE OBJECT, NATIONAL CHAR, NATIONAL CHAR VARYING, NATIONAL CHARACTER, NATIONAL CHARACTER VARYING, NATIONAL CHARACTER LARGE OBJECT, VARCHAR, VARCHAR2, NVARCHAR, TEXT, TINYTEXT, MEDIUMTEXT, LONGTEXT, CLOB, BLOB, TINYBLOB, MEDIUMBLOB, LONGBLOB, BYTEA, VARBINARY, BINARY VARYING, BINARY LARGE OBJECT',
};

const engineNames = new Map(
  Object.entries(aliases).flatMap(([name, others]) =>
    others.split(', ').map((other) => [other, name] as const),
  ),
);

/** Of these, `VARCHAR(10)` or `INT(11)`, the engine ignores a length. */
const WITHOUT_ARGUMENTS = /^(U?Int\d+|Float\d+|String)$/;

/** `INT(11) UNSIGNED`: a length that the engine ignores, within a name of two words. */
const LENGTH = /^([A-Za-z]\w*)\s*\(\s*\d+\s*\)\s+(?=(?:UN)?SIGNED$)/i;

/** The type by the engine's own names, without comments; a text without either stays as it is. */
export function withoutAliases(written: string): string {
  const text = withoutComments(written).replace(LENGTH, '$1 ');
  const given = parseClickHouseType(text);
  const plain = plainType(given);
  return plain === given ? text : typeToText(plain);
}

function withoutComments(text: string): string {
  if (!/--|\/\*|#/.test(text)) return text;
  const tokens = lexSql(text);
  const gaps = [...tokens, { start: text.length }].map(({ start }, at) =>
    text.slice(tokens[at - 1]?.end ?? 0, start),
  );
  if (gaps.every((gap) => gap.trim() === '')) return text;
  return tokens.map(({ start, end }) => text.slice(start, end)).join(' ');
}

function plainType(type: ClickHouseType): ClickHouseType {
  const written = unquote(type.name);
  const known = engineNames.get(written.toUpperCase().replace(/\s+/g, ' ')) ?? written;
  const isOfDigits = known === 'DateTime' && /^\d+$/.test(type.args?.[0]?.text ?? '');
  const name = isOfDigits ? 'DateTime64' : known;
  const args = type.args?.map(plainArgument) ?? null;
  const isSame = name === type.name && (args ?? []).every((arg, at) => arg === type.args?.[at]);
  if (isSame) return type;
  const hasLength = name !== type.name && WITHOUT_ARGUMENTS.test(name);
  return { name, args: hasLength ? null : args };
}

function plainArgument(arg: TypeArgument): TypeArgument {
  const type = arg.type === null ? null : plainType(arg.type);
  return type === arg.type ? arg : { ...arg, type };
}
