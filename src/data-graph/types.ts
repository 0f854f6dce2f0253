/**
 * Maps ClickHouse types to the data graph. This follows how the engine writes values under the driver's settings: 64
 * bits as numbers, decimals and wider integers as strings, NaN and infinities as null, named tuples as objects.
 */
import { ownValue } from '../lib/own-value.ts';
import {
  type ClickHouseType,
  elementTypes,
  enumMembers,
  innerType,
  parseClickHouseType,
  unquote,
} from '../sql/clickhouse-type.ts';
import { columnNames, freeName, isEnumMember, nestedTypeName } from './names.ts';
import type { ShapeEnum, ShapeObject, TypeRef } from './shape.ts';

const scalars: Readonly<Record<string, string>> = {
  Bool: 'Boolean',
  Date: 'Date',
  Date32: 'Date',
  DateTime: 'DateTime',
  DateTime32: 'DateTime',
  DateTime64: 'DateTime',
  Int8: 'Int',
  Int16: 'Int',
  Int32: 'Int',
  UInt8: 'Int',
  UInt16: 'Int',
  UInt32: 'BigInt',
  Int64: 'BigInt',
  UInt64: 'BigInt',
  Int128: 'HugeInt',
  Int256: 'HugeInt',
  UInt128: 'HugeInt',
  UInt256: 'HugeInt',
  Float32: 'Float',
  Float64: 'Float',
  BFloat16: 'Float',
  UUID: 'ID',
  String: 'String',
  FixedString: 'String',
  IPv4: 'String',
  IPv6: 'String',
  Time: 'String',
  Time64: 'String',
  Enum: 'String',
  Enum8: 'String',
  Enum16: 'String',
  AggregateFunction: 'String',
};

/** Types of JSON values that are never null; an unknown type may be. */
const structures =
  /^(Map|JSON|Object|Tuple|Point|Ring|LineString|MultiLineString|Polygon|MultiPolygon|QBit)$/;

/** Null when it has no scalar of its own; it is JSON then. */
function scalarOf({ name }: ClickHouseType): string | null {
  if (/^Decimal(32|64|128|256)?$/.test(name)) return 'Decimal';
  if (/^Interval[A-Z]/.test(name)) return 'BigInt';
  return ownValue(scalars, name) ?? null;
}

function named(name: string, nonNull: boolean): TypeRef {
  return { name, nonNull };
}

/** The object and enum types of one version, in the order of first use. */
export interface OwnTypes {
  readonly objects: ShapeObject[];
  readonly enums: ShapeEnum[];
}

/** The type of a column's values. `typeName` is used if it is an object type: `AirportRow_location`. */
export function outputType(type: string, typeName: string, own: OwnTypes): TypeRef {
  return outputOf(parseClickHouseType(type), typeName, own);
}

function outputOf(type: ClickHouseType, typeName: string, own: OwnTypes): TypeRef {
  const inner = (of: ClickHouseType): TypeRef => outputOf(of, typeName, own);
  switch (type.name) {
    case 'Nullable':
      return { ...inner(innerType(type)), nonNull: false };
    case 'LowCardinality':
      return inner(innerType(type));
    case 'SimpleAggregateFunction':
      return inner(elementTypes(type)[0] ?? unknownType);
    case 'Array':
      return { list: inner(innerType(type)), nonNull: true };
    case 'Nested':
      return { list: inner({ ...type, name: 'Tuple' }), nonNull: true };
    case 'Tuple':
      return objectOf(type, typeName, own) ?? named('JSON', true);
    // NaN and infinities are written as null.
    case 'Float32':
    case 'Float64':
    case 'BFloat16':
      return named('Float', false);
    default: {
      const scalar = scalarOf(type);
      return scalar === null ? named('JSON', structures.test(type.name)) : named(scalar, true);
    }
  }
}

const unknownType: ClickHouseType = { name: '', args: null };

/** An object type for a tuple whose elements all have names; null for any other, which is written as an array. */
function objectOf(type: ClickHouseType, typeName: string, own: OwnTypes): TypeRef | null {
  const elements = (type.args ?? []).flatMap(({ label, type: of }) =>
    label === null || of === null ? [] : [{ key: unquote(label), of }],
  );
  if (elements.length === 0 || elements.length !== type.args?.length) return null;
  const name = freeName(typeName, (one) => own.objects.some((object) => object.name === one));
  const names = columnNames(elements.map(({ key }) => key));
  const fields: ShapeObject['fields'][number][] = [];
  own.objects.push({ name, fields });
  for (const [at, { key, of }] of elements.entries()) {
    const field = names[at] ?? '';
    fields.push({ name: field, key, type: outputOf(of, nestedTypeName(name, field), own) });
  }
  return named(name, true);
}

/**
 * The type of a variable's values. An Enum whose members are all valid names becomes an enum named `typeName`; nothing
 * is ever renamed.
 */
export function inputType(type: string, typeName: string, own: OwnTypes): TypeRef {
  return inputOf(parseClickHouseType(ownValue(legacyTypes, type) ?? type), typeName, own);
}

/** Types of `{variables.name}`. Source: src/query/legacy-variable.ts. */
const legacyTypes: Readonly<Record<string, string>> = {
  Number: 'Float64',
  Boolean: 'Bool',
  List: 'Array(String)',
};

function inputOf(type: ClickHouseType, typeName: string, own: OwnTypes): TypeRef {
  const inner = (of: ClickHouseType): TypeRef => inputOf(of, typeName, own);
  switch (type.name) {
    case 'Nullable':
      return { ...inner(innerType(type)), nonNull: false };
    case 'LowCardinality':
      return inner(innerType(type));
    case 'Array':
      return { list: inner(innerType(type)), nonNull: true };
    case 'Enum':
    case 'Enum8':
    case 'Enum16':
      return named(enumOf(enumMembers(type), typeName, own) ?? 'String', true);
    default:
      return named(scalarOf(type) ?? 'JSON', true);
  }
}

function enumOf(members: readonly string[], name: string, own: OwnTypes): string | null {
  if (members.length === 0 || !members.every(isEnumMember)) return null;
  own.enums.push({ name, members });
  return name;
}

/** `[Int!]!`, as GraphQL writes it. */
export function typeText(type: TypeRef): string {
  const bare = 'list' in type ? `[${typeText(type.list)}]` : type.name;
  return type.nonNull ? `${bare}!` : bare;
}
