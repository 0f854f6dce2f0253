/** How a JSON body may represent a variable's value. */
import type { SchemaObject } from 'openapi3-ts/oas30';
import { ownValue } from '../lib/own-value.ts';
import type { Variable } from '../query/variables.ts';
import { type ClickHouseType, innerType, parseClickHouseType } from '../sql/clickhouse-type.ts';
import { parseByType } from '../sql/param-value.ts';
import { exampleOf } from './example-values.ts';
import { anyOf, anyValue, orNull, toMarkdown } from './json-schema.ts';
import {
  day,
  decimal,
  digits,
  integerBits,
  isDecimal,
  isFloat,
  scalarSchema,
  text,
  toLabelledObject,
  toMap,
  toTuple,
} from './json-schema-of-type.ts';

/** One variable as a member of the JSON body, with its default if it has one. */
export function variableSchema(variable: Variable): SchemaObject {
  const bare = valueSchema(variable);
  const schema = !variable.required && variable.default === null ? orNull(bare) : bare;
  const fallback = variable.required ? undefined : conform(schema, variable.default);
  return {
    ...schema,
    description: describeVariable(variable),
    ...(fallback === undefined ? {} : { default: fallback }),
    ...(variable.required ? { example: exampleOf(variable) } : {}),
    'x-type': variable.type,
  };
}

/** Values that can be run unchanged: each variable's default or an example; omits optional ones without a default. */
export function exampleValues(variables: readonly Variable[]): Readonly<Record<string, unknown>> {
  const values = variables.map((variable) => {
    const { default: fallback, example } = variableSchema(variable);
    return [variable.name, (example as unknown) ?? (fallback as unknown) ?? null] as const;
  });
  return Object.fromEntries(values.filter(([, value]) => value !== null));
}

/** The author's description, or else the type. */
export function describeVariable({ description, type }: Variable): string {
  return description === '' ? `A value of type ${toMarkdown(type)}.` : toMarkdown(description);
}

const TIME = /^\d{4}-\d\d-\d\d[T ]\d/;

/** A legacy type keeps the name from its definition; every other type is a ClickHouse type. */
function valueSchema({ type, default: fallback }: Variable): SchemaObject {
  if (type === 'Number') return { type: 'number' };
  if (type === 'Boolean') return { type: 'boolean' };
  if (type === 'List') return { type: 'array', items: text };
  if (type === 'Date' && typeof fallback === 'string' && TIME.test(fallback)) {
    return { ...day, format: 'date-time' };
  }
  return inputSchemaOf(parseClickHouseType(type));
}

type ToSchema = (type: ClickHouseType) => SchemaObject;

const constructors: Readonly<Record<string, ToSchema>> = {
  IPv6: () => text,
  JSON: () => ({ type: 'object', additionalProperties: true }),
  Nullable: (type) => orNull(inputSchemaOf(innerType(type))),
  LowCardinality: (type) => inputSchemaOf(innerType(type)),
  Array: (type) => ({ type: 'array', items: inputSchemaOf(innerType(type)) }),
  Nested: (type) => ({ type: 'array', items: inputSchemaOf({ ...type, name: 'Tuple' }) }),
  Tuple: tupleSchema,
  Map: (type) => toMap(type, inputSchemaOf),
};

function inputSchemaOf(type: ClickHouseType): SchemaObject {
  if (isFloat(type)) return { type: 'number' };
  if (isDecimal(type)) return { anyOf: [decimal, { type: 'number' }] };
  const bits = integerBits(type);
  if (bits !== null && bits >= 64) {
    return { anyOf: [scalarSchema(type) ?? { type: 'integer' }, digits] };
  }
  return scalarSchema(type) ?? ownValue(constructors, type.name)?.(type) ?? anyValue;
}

function tupleSchema(type: ClickHouseType): SchemaObject {
  const labelled = toLabelledObject(type, inputSchemaOf);
  const list = toTuple(type, inputSchemaOf);
  return labelled === null ? list : anyOf([{ ...labelled, additionalProperties: false }, list]);
}

/**
 * A default converted to the schema's type: `"10"` becomes 10 for a number. Undefined when that would lose information;
 * the document then omits the default.
 */
function conform(schema: SchemaObject, value: unknown): unknown {
  if (value === null) return schema.nullable === true || acceptsAll(schema) ? null : undefined;
  if (schema.anyOf !== undefined) {
    return schema.anyOf.some((member) => fits(member as SchemaObject, value)) ? value : undefined;
  }
  if (schema.enum !== undefined) return schema.enum.includes(value) ? value : undefined;
  if (schema.type === 'string') return typeof value === 'object' ? undefined : toText(value);
  if (schema.type === 'boolean') {
    const read = parseByType('Bool', toText(value));
    return typeof read === 'boolean' ? read : undefined;
  }
  if (schema.type === 'integer' || schema.type === 'number') return toNumber(schema, value);
  if (schema.type === 'array') return toItems(schema, value);
  return value;
}

/** A scalar as text. */
function toText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function acceptsAll(schema: SchemaObject): boolean {
  if (schema.anyOf === undefined) return schema.type === undefined;
  return schema.anyOf.every((member) => 'nullable' in member && member.nullable === true);
}

function toNumber(schema: SchemaObject, value: unknown): unknown {
  if (typeof value === 'number') return value;
  if (typeof value !== 'string' || value.trim() === '') return undefined;
  const number = Number(value);
  const isExact = schema.type === 'integer' ? Number.isSafeInteger(number) : !isLongWhole(number);
  return Number.isFinite(number) && isExact ? number : undefined;
}

function isLongWhole(number: number): boolean {
  return Number.isInteger(number) && !Number.isSafeInteger(number);
}

function toItems(schema: SchemaObject, value: unknown): unknown {
  const list: unknown = typeof value === 'string' ? parseByType('Array(String)', value) : value;
  if (!Array.isArray(list)) return undefined;
  const items = (schema.items ?? anyValue) as SchemaObject;
  const conformed = list.map((item: unknown) => conform(items, item));
  return conformed.includes(undefined) ? undefined : conformed;
}

function fits(schema: SchemaObject, value: unknown): boolean {
  if (schema.type === 'array') return Array.isArray(value);
  if (schema.type === 'integer') return Number.isInteger(value);
  return typeof value === schema.type;
}
