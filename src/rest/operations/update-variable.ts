import { schemaRef } from '../../openapi/json-schema.ts';
import { json, type Route } from '../route.ts';
import { variableInputs, variableSelection } from './saved-variable-fields.ts';

const document = `mutation UpdateVariable($projectId: ID!, $id: ID!, $input: UpdateSavedVariableInput!) {
  variable: updateSavedVariable(projectId: $projectId, id: $id, input: $input) ${variableSelection}
}`;

export const updateVariable: Route = {
  id: 'update_variable',
  method: 'PATCH',
  path: '/insight_variables/:id',
  scope: 'endpoint:write',
  status: 200,
  query: {},
  body: variableInputs,
  documents: [document],
  respond: async (call) => {
    const variables = { ...call.params, input: call.input };
    return json((await call.run(document, variables)).variable);
  },
  openapi: {
    operationId: 'update_variable',
    putOperationId: 'put_variable',
    tag: 'variables',
    summary: 'Update a saved variable',
    description:
      'Absent members remain unchanged. Endpoints retain the definitions that they were saved with.',
    body: { name: 'UpdateVariable', isRequired: true, example: { default_value: 'at' } },
    success: 'The variable.',
    response: schemaRef('SavedVariable'),
  },
};
