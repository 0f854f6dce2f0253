import { type Inputs, input } from '../../openapi/inputs.ts';
import type { Route } from '../route.ts';

const schemaInputs = {
  fields: input(
    {
      type: 'array',
      items: { type: 'string' },
      description:
        'Names of the root fields to include, with their types, separated by commas; default: all.',
    },
    { component: 'fields_of_schema' },
  ),
} as const satisfies Inputs;

/** Its GraphQL equivalent is introspection, so there is no document. */
export const graphqlSchema: Route = {
  id: 'graphql_schema',
  method: 'GET',
  path: '/graphql/schema.graphql',
  scope: 'endpoint:read',
  status: 200,
  query: schemaInputs,
  body: null,
  documents: [],
  respond: async (call) => {
    const fields = (call.input.fields ?? null) as readonly string[] | null;
    return { kind: 'text', ...(await call.readSchemaText(fields)) };
  },
  openapi: {
    operationId: 'get_project_graphql_schema',
    tag: 'endpoints',
    summary: 'GraphQL schema of a project',
    description:
      'The schema of the data graph of the project in the GraphQL schema language, with a typed field for each active endpoint. Client generators can read it.',
    success: 'The schema.',
    textResponse: 'The schema in the GraphQL schema language.',
  },
};
