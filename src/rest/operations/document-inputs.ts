/** Shared by the operations that return an OpenAPI document. */
import { rowForms } from '../../model/result-format.ts';
import { type Inputs, input } from '../../openapi/inputs.ts';
import type { RouteCall } from '../route.ts';

export const documentInputs = {
  rows: input(
    {
      type: 'string',
      enum: [...rowForms],
      default: 'objects',
      description:
        'Representation of rows that the document describes. An endpoint with duplicate column names is always described with arrays.',
    },
    { component: 'rows_of_document' },
  ),
} as const satisfies Inputs;

export const documentSchemas = {
  OpenApiDocument: {
    type: 'object',
    additionalProperties: true,
    description: 'An OpenAPI 3.0 document.',
  },
} as const;

/** Variables of the GraphQL document; the documented paths use the request's prefix. */
export function documentVariables({
  params,
  input: given,
  url,
}: RouteCall): Readonly<Record<string, unknown>> {
  const { rows } = given;
  const isEnvironment = url().pathname.includes('/api/environments/');
  return {
    ...params,
    ...given,
    rows: typeof rows === 'string' ? rows.toUpperCase() : null,
    prefix: isEnvironment ? 'ENVIRONMENTS' : 'PROJECTS',
  };
}
