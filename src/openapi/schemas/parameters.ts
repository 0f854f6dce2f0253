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
} as const satisfies Record<string, ParameterObject>;
