import type { SchemaObject } from 'openapi3-ts/oas30';
import { anyValue, toMarkdown, tupleOf } from './json-schema.ts';
import { resultSchema } from './json-schema-of-type.ts';
import { runResultSchema } from './schemas/run-result.ts';

export interface DocumentedColumn {
  readonly name: string;
  readonly type: string;
}

/**
 * The response of one endpoint's runs. OpenAPI 3.0 has no tuples, so a row states its length and the union of its
 * columns' schemas; the order of the columns is in the description and, for programs, in `x-columns`.
 */
export function endpointResultSchema(columns: readonly DocumentedColumn[]): SchemaObject {
  return runResultSchema(
    { type: 'array', items: rowSchema(columns), description: 'The rows.' },
    namesSchema(columns),
  );
}

function rowSchema(columns: readonly DocumentedColumn[]): SchemaObject {
  if (columns.length === 0) return { type: 'array', items: anyValue };
  const schemas = columns.map(({ type }) => resultSchema(type));
  const list = columns.map(
    ({ name, type }, at) => `${at + 1}. \`${toMarkdown(name)}\`: ${toMarkdown(type)}`,
  );
  return {
    ...tupleOf(schemas),
    description: `One value for each column, in this order:\n\n${list.join('\n')}`,
    'x-columns': columns.map(({ name, type }, at) => ({ name, type, schema: schemas[at] })),
  };
}

function namesSchema(columns: readonly DocumentedColumn[]): SchemaObject {
  const description = 'Names of the columns, in the order of the values of a row.';
  if (columns.length === 0) return { type: 'array', items: { type: 'string' }, description };
  const names = [...new Set(columns.map(({ name }) => name))];
  const length = columns.length;
  return {
    type: 'array',
    minItems: length,
    maxItems: length,
    items: { type: 'string', enum: names },
    description,
  };
}
