import type { Inputs } from '../../openapi/inputs.ts';
import { schemaRef } from '../../openapi/json-schema.ts';
import { legacyTypes } from '../../query/variable-definition.ts';
import { json, type Route } from '../route.ts';
import { variableInputs, variableSelection } from './saved-variable-fields.ts';

const createInputs = {
  ...variableInputs,
  id: { kind: 'empty', schema: null },
  name: { ...variableInputs.name, required: 'A name is required.' },
  type: { ...variableInputs.type, required: `A type is required: ${legacyTypes.join(', ')}.` },
} as const satisfies Inputs;

const document = `mutation CreateVariable($projectId: ID!, $input: CreateSavedVariableInput!) {
  variable: createSavedVariable(projectId: $projectId, input: $input) ${variableSelection}
}`;

export const createVariable: Route = {
  id: 'create_variable',
  method: 'POST',
  path: '/insight_variables',
  scope: 'endpoint:write',
  status: 201,
  query: {},
  body: createInputs,
  documents: [document],
  respond: async (call) => {
    const variables = { ...call.params, input: call.input };
    return json((await call.run(document, variables)).variable);
  },
  openapi: {
    operationId: 'create_variable',
    tag: 'variables',
    summary: 'Save a variable',
    description:
      'Saves a variable for the queries of a project. When a query is saved, each of its variable definitions keyed by the id of a saved variable takes code name, type and default value from it.',
    body: {
      name: 'CreateVariable',
      isRequired: true,
      example: { name: 'Country', type: 'String', default_value: 'de' },
    },
    success: 'The variable.',
    response: schemaRef('SavedVariable'),
  },
};
