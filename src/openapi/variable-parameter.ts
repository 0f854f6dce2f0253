/** A variable as a query string parameter: `variables[name]`. */
import type { ParameterObject, SchemaObject } from 'openapi3-ts/oas30';
import type { Variable } from '../query/variables.ts';
import { describeVariable, variableSchema } from './json-schema-of-variable.ts';

export function variableParameter(variable: Variable): ParameterObject {
  const { description = '', ...schema } = textSchema(variable);
  return {
    name: `variables[${variable.name}]`,
    in: 'query',
    required: variable.required,
    description,
    schema,
  };
}

/**
 * A scalar is written plainly, and so is a list whose items cannot contain a comma. Any other list, and every tuple,
 * map or object, is JSON text: OpenAPI does not define nested values in a query string, and a comma-separated list of
 * free text would be parsed as another list. Values are never null there: an absent variable takes its default.
 */
function textSchema(variable: Variable): SchemaObject {
  const schema = withoutNull(variableSchema(variable));
  if (isScalar(schema)) return schema;
  const { default: fallback, example, ...rest } = schema;
  if (isPlainList(schema)) {
    const shown = example === undefined ? {} : { example: example as unknown };
    return { ...rest, ...listDefault(fallback), ...shown, minItems: 1 };
  }
  const isList = schema.type === 'array';
  return {
    type: 'string',
    description: `${describeVariable(variable)} Encoded as JSON${isList ? ', or as values separated by commas' : ''}.`,
    ...(fallback === undefined ? {} : { default: JSON.stringify(fallback) }),
    ...(example === undefined ? {} : { example: JSON.stringify(example) }),
    'x-type': variable.type,
  };
}

/** Excludes an empty list, which cannot be comma-separated and so is not a possible value of the parameter. */
function listDefault(fallback: unknown): SchemaObject {
  return Array.isArray(fallback) && fallback.length > 0 ? { default: fallback } : {};
}

function withoutNull(schema: SchemaObject): SchemaObject {
  const { nullable: _nullable, default: fallback, ...rest } = schema;
  const { anyOf, enum: accepted } = rest;
  return {
    ...rest,
    ...(anyOf === undefined ? {} : { anyOf: anyOf.map((one) => withoutNull(one as SchemaObject)) }),
    ...(accepted === undefined ? {} : { enum: accepted.filter((value) => value !== null) }),
    ...(fallback === undefined || fallback === null ? {} : { default: fallback }),
  };
}

const scalarTypes: ReadonlySet<unknown> = new Set(['string', 'number', 'integer', 'boolean']);

function isScalar(schema: SchemaObject): boolean {
  return membersOf(schema).every(({ type }) => scalarTypes.has(type));
}

function isPlainList({ type, items, minItems }: SchemaObject): boolean {
  if (type !== 'array' || minItems !== undefined || items === undefined) return false;
  return membersOf(items as SchemaObject).every(
    (item) => item.nullable !== true && hasNoComma(item),
  );
}

/** Whether no value of the schema contains a comma. */
function hasNoComma({ type, format, pattern, enum: accepted }: SchemaObject): boolean {
  if (type !== 'string') return scalarTypes.has(type);
  if (accepted !== undefined) return !accepted.some((value) => String(value).includes(','));
  return format !== undefined || pattern !== undefined;
}

function membersOf(schema: SchemaObject): readonly SchemaObject[] {
  return (schema.anyOf as readonly SchemaObject[] | undefined) ?? [schema];
}
