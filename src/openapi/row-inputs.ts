/** Inputs of one endpoint's runs that depend on its columns and on the documented row form. */
import type { SchemaObject } from 'openapi3-ts/oas30';
import type { RowForm } from '../model/result-format.ts';
import type { DocumentedColumn } from './documented-version.ts';
import { type Inputs, input } from './inputs.ts';

/** The input that requests the documented row form. */
export function rowsInput(form: RowForm): Inputs {
  const schema: SchemaObject =
    form === 'objects'
      ? {
          type: 'string',
          enum: ['objects'],
          description: 'Each row is an object keyed by column name, as this document describes it.',
        }
      : {
          type: 'string',
          enum: ['arrays'],
          default: 'arrays',
          description: 'Each row is an array of values, as this document describes it.',
        };
  return { rows: input(schema) };
}

/** Lists columns with unambiguous names; in a query string, only those whose names can be comma-separated. */
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
      description: 'Names of the columns to return, in this order; default: all.',
    }),
    order_by: input({
      ...namesOf(names.flatMap((name) => [toAscending(name), `-${name}`])),
      description:
        'Names of the columns to sort by, in order of precedence; a leading - means descending.',
    }),
  };
}

/** Whether the service reads the name unchanged from a comma-separated list. */
function isPlainName(name: string): boolean {
  return name.trim() === name && !name.includes(',') && !name.startsWith('[');
}

/** A name that begins with a sign gets a sign prefixed. */
function toAscending(name: string): string {
  return /^[+-]/.test(name) ? `+${name}` : name;
}

function namesOf(names: readonly string[]): SchemaObject {
  return { type: 'array', minItems: 1, items: { type: 'string', enum: [...names] } };
}
