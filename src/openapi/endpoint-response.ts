/** The response of one endpoint's runs, with rows typed by its columns. */
import type { ReferenceObject, SchemaObject } from 'openapi3-ts/oas30';
import type { DocumentedColumn } from './documented-version.ts';
import { anyValue, objectOf, toMarkdown, tupleOf } from './json-schema.ts';
import { resultSchema } from './json-schema-of-type.ts';
import { runResultSchema } from './schemas/run-result.ts';

/** Each row is an object by column name. @param row a reference to `rowObjectSchema`. */
export function objectsResultSchema(
  columns: readonly DocumentedColumn[],
  row: ReferenceObject,
): SchemaObject {
  return runResultSchema(
    { type: 'array', items: row, description: 'The rows.' },
    namesSchema(columns, columns.length),
  );
}

/** One row, with a required member for each column. */
export function rowObjectSchema(columns: readonly DocumentedColumn[]): SchemaObject {
  const members = columns.map(({ name, type }) => {
    const description = `A value of type ${toMarkdown(type)}.`;
    return [name, { ...resultSchema(type), description, 'x-type': type }] as const;
  });
  return {
    ...objectOf(Object.fromEntries(members)),
    description: 'One row, keyed by column name.',
  };
}

/**
 * Each row is an array. A run may request 64-bit integers as strings. OpenAPI 3.0 has no tuples, so a row states its
 * maximum length and the union of its columns' schemas; the column order is in the description and, for programs, in
 * `x-columns`.
 */
export function arraysResultSchema(columns: readonly DocumentedColumn[]): SchemaObject {
  return runResultSchema(
    { type: 'array', items: rowArraySchema(columns), description: 'The rows.' },
    namesSchema(columns, 1),
  );
}

/** The minimum length is 1, because a run may select columns. */
function rowArraySchema(columns: readonly DocumentedColumn[]): SchemaObject {
  if (columns.length === 0) return { type: 'array', items: anyValue };
  const schemas = columns.map(({ type }) => resultSchema(type, 'number or string'));
  const list = columns.map(
    ({ name, type }, at) => `${at + 1}. \`${toMarkdown(name)}\`: ${toMarkdown(type)}`,
  );
  return {
    ...tupleOf(schemas),
    minItems: 1,
    description: `One value for each column, in this order or in that of \`columns\`:\n\n${list.join('\n')}`,
    'x-columns': columns.map(({ name, type }, at) => ({ name, type, schema: schemas[at] })),
  };
}

function namesSchema(columns: readonly DocumentedColumn[], least: number): SchemaObject {
  const description = 'Names of the columns, in the order of the values of a row.';
  if (columns.length === 0) return { type: 'array', items: { type: 'string' }, description };
  const names = [...new Set(columns.map(({ name }) => name))];
  return {
    type: 'array',
    minItems: least,
    maxItems: columns.length,
    items: { type: 'string', enum: names },
    description,
  };
}
