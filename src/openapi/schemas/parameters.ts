import type { ParameterObject } from 'openapi3-ts/oas30';
import { ENDPOINT_NAME } from '../../endpoints/endpoint-name.ts';

export const nameSchema = { type: 'string', pattern: ENDPOINT_NAME.source } as const;

/** Path parameters, by component name. */
export const pathParameters = {
  project_id: {
    name: 'project_id',
    in: 'path',
    required: true,
    description: 'Id of the project in decimal, or @current for a key with exactly one project.',
    schema: { type: 'string', pattern: '^([0-9]+|@current)$' },
    example: '@current',
  },
  name: {
    name: 'name',
    in: 'path',
    required: true,
    description: 'Name of the endpoint, matched exactly.',
    schema: nameSchema,
    example: 'first_numbers',
  },
  id: {
    name: 'id',
    in: 'path',
    required: true,
    description: 'Id of the saved variable.',
    schema: { type: 'string', format: 'uuid' },
  },
  table: {
    name: 'table',
    in: 'path',
    required: true,
    description: 'Name of the table, matched exactly.',
    schema: { type: 'string', minLength: 1 },
  },
} as const satisfies Record<string, ParameterObject>;

/** Headers of operations that change an endpoint, by component name. */
export const conditionHeaders = {
  if_match: {
    name: 'If-Match',
    in: 'header',
    description:
      'One or several ETags of the endpoint as it was read, or *. If the endpoint has changed since, nothing is written and the response is 412.',
    schema: { type: 'string' },
  },
} as const satisfies Record<string, ParameterObject>;
