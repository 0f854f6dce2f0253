import { schemaRef } from '../../openapi/json-schema.ts';
import { json, type Route } from '../route.ts';
import { variableSelection } from './saved-variable-fields.ts';

const document = `query SavedVariable($projectId: ID!, $id: ID!) {
  variable: savedVariable(projectId: $projectId, id: $id) ${variableSelection}
}`;

export const retrieveVariable: Route = {
  id: 'retrieve_variable',
  method: 'GET',
  path: '/insight_variables/:id',
  scope: 'endpoint:read',
  status: 200,
  query: {},
  body: null,
  documents: [document],
  respond: async (call) => json((await call.run(document, call.params)).variable),
  openapi: {
    operationId: 'get_variable',
    tag: 'variables',
    summary: 'Retrieve a saved variable',
    description: 'One saved variable.',
    success: 'The variable.',
    response: schemaRef('SavedVariable'),
  },
};
