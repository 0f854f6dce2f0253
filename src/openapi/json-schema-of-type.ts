/**
 * How the JSON of a result represents values of a ClickHouse type: measured against the engine, with the driver's
 * settings.
 */
import type { SchemaObject } from 'openapi3-ts/oas30';
import { ownValue } from '../lib/own-value.ts';
import {
  type ClickHouseType,
  elementTypes,
  enumMembers,
  innerType,
  parseClickHouseType,
  unquote,
} from '../sql/clickhouse-type.ts';
import { anyOf, anyValue, objectOf, orNull, tupleOf } from './json-schema.ts';

/** How 64-bit integers may be written: only as numbers, or also as strings, as `integers=string` requests. */
export type IntegerForms = 'number' | 'number or string';

/** The schema of a result's values of one ClickHouse type; any JSON for an unknown type. */
export function resultSchema(type: string, integers: IntegerForms = 'number'): SchemaObject {
  const toSchema: ToSchema = (part) => resultSchemaOf(part, integers, toSchema);
  return toSchema(parseClickHouseType(type));
}

export const text: SchemaObject = { type: 'string' };
const time: SchemaObject = { type: 'string', format: 'date-time' };
export const day: SchemaObject = { type: 'string', format: 'date' };
export const decimal: SchemaObject = { type: 'string', pattern: '^-?[0-9]+([.][0-9]+)?$' };
/** A whole number of any length, as digits. */
export const digits: SchemaObject = { type: 'string', pattern: '^-?[0-9]+$' };

type ToSchema = (type: ClickHouseType) => SchemaObject;

/** @param toSchema writes the schema of a type inside the type. */
type Construct = (type: ClickHouseType, toSchema: ToSchema) => SchemaObject;

/** Scalars with the same representation in results and variables. */
const scalars: Readonly<Record<string, SchemaObject>> = {
  Bool: { type: 'boolean' },
  Date: day,
  Date32: day,
  DateTime: time,
  DateTime32: time,
  DateTime64: time,
  Time: text,
  Time64: text,
  UUID: { type: 'string', format: 'uuid' },
  String: text,
  FixedString: text,
  IPv4: { type: 'string', format: 'ipv4' },
};

/** Type aliases. Source: ClickHouse's geo types. */
const aliases: Readonly<Record<string, string>> = {
  Point: 'Tuple(Float64, Float64)',
  Ring: 'Array(Point)',
  LineString: 'Array(Point)',
  MultiLineString: 'Array(LineString)',
  Polygon: 'Array(Ring)',
  MultiPolygon: 'Array(Polygon)',
};

const constructors: Readonly<Record<string, Construct>> = {
  IPv6: () => ({ type: 'string', format: 'ipv6' }),
  AggregateFunction: () => text,
  Nullable: (type, toSchema) => orNull(toSchema(innerType(type))),
  LowCardinality: (type, toSchema) => toSchema(innerType(type)),
  SimpleAggregateFunction: (type, toSchema) => toSchema(elementTypes(type)[0] ?? type),
  Array: (type, toSchema) => ({ type: 'array', items: toSchema(innerType(type)) }),
  Nested: (type, toSchema) => ({ type: 'array', items: toSchema({ ...type, name: 'Tuple' }) }),
  Tuple: (type, toSchema) => toLabelledObject(type, toSchema) ?? toTuple(type, toSchema),
  Map: toMap,
};

function resultSchemaOf(
  type: ClickHouseType,
  integers: IntegerForms,
  toSchema: ToSchema,
): SchemaObject {
  const alias = ownValue(aliases, type.name);
  if (alias !== undefined) return toSchema(parseClickHouseType(alias));
  if (isFloat(type)) return { type: 'number', nullable: true };
  const bits = integerBits(type);
  if (bits !== null && bits > 64) return digits;
  if (isDecimal(type)) return decimal;
  const scalar = scalarSchema(type);
  if (scalar === null) return ownValue(constructors, type.name)?.(type, toSchema) ?? anyValue;
  return bits === 64 && integers === 'number or string' ? anyOf([scalar, digits]) : scalar;
}

/** Integers of up to 64 bits, booleans, dates, strings and enumerations; null for every other type. */
export function scalarSchema(type: ClickHouseType): SchemaObject | null {
  const bits = integerBits(type);
  if (bits !== null) return bits > 64 ? null : integerSchema(bits, type.name.startsWith('U'));
  if (/^Enum(8|16)?$/.test(type.name)) return enumSchema(type);
  return ownValue(scalars, type.name) ?? null;
}

function enumSchema(type: ClickHouseType): SchemaObject {
  const members = enumMembers(type);
  return members.length === 0 ? text : { type: 'string', enum: [...members] };
}

/** The range is omitted at 64 bits, where the JSON numbers of most readers cannot hold it. */
function integerSchema(bits: number, isUnsigned: boolean): SchemaObject {
  const format = bits < 32 || (bits === 32 && !isUnsigned) ? 'int32' : 'int64';
  if (bits === 64) return { type: 'integer', format, ...(isUnsigned ? { minimum: 0 } : {}) };
  const minimum = isUnsigned ? 0 : -(2 ** (bits - 1));
  const maximum = isUnsigned ? 2 ** bits - 1 : 2 ** (bits - 1) - 1;
  return { type: 'integer', format, minimum, maximum };
}

/** Bits of an integer type; an interval has 64. Null for any other type. */
export function integerBits(type: ClickHouseType): number | null {
  const match = /^U?Int(8|16|32|64|128|256)$/.exec(type.name);
  if (match !== null) return Number(match[1]);
  return /^Interval[A-Z]/.test(type.name) ? 64 : null;
}

export function isFloat(type: ClickHouseType): boolean {
  return /^B?Float(16|32|64)$/.test(type.name);
}

export function isDecimal(type: ClickHouseType): boolean {
  return /^Decimal(32|64|128|256)?$/.test(type.name);
}

/** A tuple whose elements all have names, as an object; null for any other. */
export function toLabelledObject(type: ClickHouseType, toSchema: ToSchema): SchemaObject | null {
  const properties: Record<string, SchemaObject> = {};
  for (const arg of type.args ?? []) {
    if (arg.label === null || arg.type === null) return null;
    properties[unquote(arg.label)] = toSchema(arg.type);
  }
  return Object.keys(properties).length === 0 ? null : objectOf(properties);
}

export function toTuple(type: ClickHouseType, toSchema: ToSchema): SchemaObject {
  return tupleOf(elementTypes(type).map(toSchema));
}

/** JSON names are strings, so the schema omits the type of a map's keys. */
export function toMap(type: ClickHouseType, toSchema: ToSchema): SchemaObject {
  const value = elementTypes(type)[1];
  return {
    type: 'object',
    additionalProperties: anyOf(value === undefined ? [] : [toSchema(value)]),
  };
}
