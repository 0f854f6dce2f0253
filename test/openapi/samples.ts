import type { SchemaObject } from 'openapi3-ts/oas30';
import type { DocumentedVersion } from '../../src/openapi/documented-version.ts';
import type { Variable } from '../../src/query/variables.ts';

export const publicUrl = 'https://data.querydock.dev';
export const objects = { rows: 'objects', prefix: 'projects' } as const;
export const arrays = { rows: 'arrays', prefix: 'projects' } as const;

export function variable(name: string, type: string, more: Partial<Variable> = {}): Variable {
  return { name, type, required: true, default: null, description: '', ...more };
}

export function optional(name: string, type: string, value: unknown): Variable {
  return variable(name, type, { required: false, default: value });
}

export function version(more: Partial<DocumentedVersion> = {}): DocumentedVersion {
  return {
    projectId: 7,
    name: 'flights-by-day',
    version: 3,
    description: 'Flights for each day.',
    columns: [
      { name: 'day', type: 'Date' },
      { name: 'flights', type: 'UInt64' },
    ],
    variables: [],
    ...more,
  };
}

/** A column of each kind of type, with the schema of its values. */
export const schemaByType: Readonly<Record<string, SchemaObject>> = {
  Int8: { type: 'integer', format: 'int32', minimum: -128, maximum: 127 },
  UInt8: { type: 'integer', format: 'int32', minimum: 0, maximum: 255 },
  Int16: { type: 'integer', format: 'int32', minimum: -32768, maximum: 32767 },
  UInt16: { type: 'integer', format: 'int32', minimum: 0, maximum: 65535 },
  Int32: { type: 'integer', format: 'int32', minimum: -2147483648, maximum: 2147483647 },
  UInt32: { type: 'integer', format: 'int64', minimum: 0, maximum: 4294967295 },
  Int64: { type: 'integer', format: 'int64' },
  UInt64: { type: 'integer', format: 'int64', minimum: 0 },
  IntervalDay: { type: 'integer', format: 'int64' },
  Int128: { type: 'string', pattern: '^-?[0-9]+$' },
  UInt128: { type: 'string', pattern: '^-?[0-9]+$' },
  Int256: { type: 'string', pattern: '^-?[0-9]+$' },
  UInt256: { type: 'string', pattern: '^-?[0-9]+$' },
  'Decimal(18, 4)': { type: 'string', pattern: '^-?[0-9]+([.][0-9]+)?$' },
  'Decimal256(10)': { type: 'string', pattern: '^-?[0-9]+([.][0-9]+)?$' },
  Float32: { type: 'number', nullable: true },
  Float64: { type: 'number', nullable: true },
  BFloat16: { type: 'number', nullable: true },
  Bool: { type: 'boolean' },
  Date: { type: 'string', format: 'date' },
  Date32: { type: 'string', format: 'date' },
  DateTime: { type: 'string', format: 'date-time' },
  "DateTime('Europe/Paris')": { type: 'string', format: 'date-time' },
  "DateTime64(6, 'UTC')": { type: 'string', format: 'date-time' },
  UUID: { type: 'string', format: 'uuid' },
  "Enum8('a' = 1, 'it''s' = 2)": { type: 'string', enum: ['a', "it's"] },
  "Nullable(Enum16('x, y' = 1))": { type: 'string', nullable: true, enum: ['x, y', null] },
  String: { type: 'string' },
  'FixedString(8)': { type: 'string' },
  IPv4: { type: 'string', format: 'ipv4' },
  IPv6: { type: 'string', format: 'ipv6' },
  'Nullable(String)': { type: 'string', nullable: true },
  'LowCardinality(Nullable(String))': { type: 'string', nullable: true },
  'Array(Nullable(Int64))': {
    type: 'array',
    items: { type: 'integer', format: 'int64', nullable: true },
  },
  'Array(Array(String))': {
    type: 'array',
    items: { type: 'array', items: { type: 'string' } },
  },
  'Tuple(a Int64, `b c` String)': {
    type: 'object',
    properties: { a: { type: 'integer', format: 'int64' }, 'b c': { type: 'string' } },
    required: ['a', 'b c'],
  },
  'Tuple(Int64, String)': {
    type: 'array',
    minItems: 2,
    maxItems: 2,
    items: { anyOf: [{ type: 'integer', format: 'int64' }, { type: 'string' }] },
  },
  'Nested(a Bool)': {
    type: 'array',
    items: { type: 'object', properties: { a: { type: 'boolean' } }, required: ['a'] },
  },
  'Map(String, Int64)': {
    type: 'object',
    additionalProperties: { type: 'integer', format: 'int64' },
  },
  'SimpleAggregateFunction(sum, Int64)': { type: 'integer', format: 'int64' },
  'AggregateFunction(uniq, UInt64)': { type: 'string' },
  Point: {
    type: 'array',
    minItems: 2,
    maxItems: 2,
    items: { type: 'number', nullable: true },
  },
  JSON: {},
  Dynamic: {},
  'Variant(Int64, String)': {},
  'Nullable(Nothing)': {},
  NoSuchType: {},
};
