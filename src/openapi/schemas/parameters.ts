import type { ParameterObject } from 'openapi3-ts/oas30';
import { ENDPOINT_NAME } from '../../endpoints/endpoint-name.ts';

export const nameSchema = { type: 'string', pattern: ENDPOINT_NAME.source } as const;

/** Parameters of paths, by the name of their component. */
export const pathParameters = {
  project_id: {
    name: 'project_id',
    in: 'path',
    required: true,
    description: 'The project by its id in decimal, or @current for a key of exactly one project.',
    schema: { type: 'string', pattern: '^([0-9]+|@current)$' },
    example: '@current',
  },
  name: {
    name: 'name',
    in: 'path',
    required: true,
    description: 'The name of the endpoint, matched exactly.',
    schema: nameSchema,
    example: 'first_numbers',
  },
  id: {
    name: 'id',
    in: 'path',
    required: true,
    description: 'The id of the saved variable.',
    schema: { type: 'string', format: 'uuid' },
  },
  table: {
    name: 'table',
    in: 'path',
    required: true,
    description: 'The name of the table, matched exactly.',
    schema: { type: 'string', minLength: 1 },
  },
} as const satisfies Record<string, ParameterObject>;

/** Of operations that change an endpoint, by the name of their component. */
export const conditionHeaders = {
  if_match: {
    name: 'If-Match',
    in: 'header',
    description:
      'The ETag of the endpoint as it was read, or several, or *: when it was changed since, nothing is written and the answer is 412.',
    schema: { type: 'string' },
  },
} as const satisfies Record<string, ParameterObject>;
