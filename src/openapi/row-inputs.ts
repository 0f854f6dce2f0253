/** The inputs of one endpoint's runs that depend on its columns, and on the form of rows that the document describes. */
import type { SchemaObject } from 'openapi3-ts/oas30';
import type { RowForm } from '../model/result-format.ts';
import type { DocumentedColumn } from './documented-version.ts';
import { type Inputs, input } from './inputs.ts';

/** The input by which a run gets the form of rows that the document describes. */
export function rowsInput(form: RowForm): Inputs {
  const schema: SchemaObject =
    form === 'objects'
      ? {
          type: 'string',
          enum: ['objects'],
          description: 'Each row as an object by column name, which is what this document types.',
        }
      : {
          type: 'string',
          enum: ['arrays'],
          default: 'arrays',
          description: 'Each row as an array of values, which is what this document types.',
        };
  return { rows: input(schema) };
}

/**
 * By the columns that a name tells apart; in a query string, by those whose names can be written between commas.
 */
export function columnInputs(
  columns: readonly DocumentedColumn[],
  place: 'body' | 'query',
): Inputs {
  const all = columns.map(({ name }) => name);
  const unique = all.filter((name) => all.indexOf(name) === all.lastIndexOf(name));
  const names = place === 'body' ? unique : unique.filter(isPlainName);
  if (names.length === 0) return {};
  return {
    columns: input({
      ...namesOf(names),
      description: 'The columns to return, in this order; all of them when absent.',
    }),
    order_by: input({
      ...namesOf(names.flatMap((name) => [toAscending(name), `-${name}`])),
      description:
        'The columns to sort by, the first one first; descending with - before the name.',
    }),
  };
}

/** Whether the service reads the name as it is from a list with commas. */
function isPlainName(name: string): boolean {
  return name.trim() === name && !name.includes(',') && !name.startsWith('[');
}

/** A name that begins with a sign has another before it. */
function toAscending(name: string): string {
  return /^[+-]/.test(name) ? `+${name}` : name;
}

function namesOf(names: readonly string[]): SchemaObject {
  return { type: 'array', minItems: 1, items: { type: 'string', enum: [...names] } };
}
