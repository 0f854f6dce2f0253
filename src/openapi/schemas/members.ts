/** Schemas of object members, each with its description. */
import type { SchemaObject } from 'openapi3-ts/oas30';

type Described = (description: string) => SchemaObject;

export const text: Described = (description) => ({ type: 'string', description });
export const flag: Described = (description) => ({ type: 'boolean', description });
export const integer: Described = (description) => ({ type: 'integer', description });
export const count: Described = (description) => ({ type: 'integer', minimum: 0, description });
export const amount: Described = (description) => ({ type: 'number', minimum: 0, description });
export const instant: Described = (description) => ({
  type: 'string',
  format: 'date-time',
  description,
});
export const uuid: Described = (description) => ({ type: 'string', format: 'uuid', description });
export const texts: Described = (description) => ({
  type: 'array',
  items: { type: 'string' },
  description,
});
