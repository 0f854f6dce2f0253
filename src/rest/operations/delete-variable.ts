import type { Route } from '../route.ts';

const document = `mutation DeleteVariable($projectId: ID!, $id: ID!) {
  deleteSavedVariable(projectId: $projectId, id: $id)
}`;

export const deleteVariable: Route = {
  id: 'delete_variable',
  method: 'DELETE',
  path: '/insight_variables/:id',
  scope: 'endpoint:write',
  status: 204,
  query: {},
  body: null,
  documents: [document],
  respond: async (call) => {
    await call.run(document, call.params);
    return { kind: 'empty' };
  },
  openapi: {
    operationId: 'delete_variable',
    tag: 'variables',
    summary: 'Delete a saved variable',
    description:
      'Deletes a saved variable. Endpoints retain the definitions that they were saved with.',
    success: 'Deleted.',
  },
};
