import { objectOf, schemaRef } from '../../openapi/json-schema.ts';
import { json, type Route } from '../route.ts';
import { pageInputs, pageOf, pageSchema, toPage } from './page.ts';
import { variableMembers, variableSelection } from './saved-variable-fields.ts';

const document = `query SavedVariables($projectId: ID!, $first: Int!, $offset: Int!) {
  savedVariables(projectId: $projectId, first: $first, offset: $offset) {
    totalCount edges { node ${variableSelection} }
  }
}`;

export const listVariables: Route = {
  id: 'list_variables',
  method: 'GET',
  path: '/insight_variables',
  scope: 'endpoint:read',
  status: 200,
  query: pageInputs,
  body: null,
  documents: [document],
  respond: async (call) => {
    const data = await call.run(document, { ...call.params, ...pageOf(call) });
    return json(toPage(data.savedVariables, call));
  },
  openapi: {
    operationId: 'list_variables',
    tag: 'variables',
    summary: 'List saved variables',
    description: 'The variables that queries of the project can refer to by id, newest first.',
    success: 'One page of variables.',
    response: schemaRef('SavedVariableList'),
    schemas: {
      SavedVariable: {
        ...objectOf(variableMembers),
        description: 'A variable that queries of a project can refer to by its id.',
      },
      SavedVariableList: pageSchema(schemaRef('SavedVariable')),
    },
  },
};
