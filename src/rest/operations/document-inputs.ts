/** What the operations that return an OpenAPI document share. */
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
        'Which form of rows the document describes. An endpoint with two columns of one name is always described with arrays.',
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

/** The variables of the GraphQL document; its paths are under the prefix of the request. */
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
