import { type Inputs, input } from '../../openapi/inputs.ts';
import type { Route } from '../route.ts';

const schemaInputs = {
  fields: input(
    {
      type: 'array',
      items: { type: 'string' },
      description:
        'Fields of the root type that the schema has, with their types; all when absent. Names separated by commas.',
    },
    { component: 'fields_of_schema' },
  ),
} as const satisfies Inputs;

/** GraphQL's own way to ask the same is introspection, so there is no document. */
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
      'The schema of the data graph of the project in the GraphQL language: a typed field for each active endpoint, as generators of clients read it.',
    success: 'The schema.',
    textResponse: 'The schema in the GraphQL language.',
  },
};
