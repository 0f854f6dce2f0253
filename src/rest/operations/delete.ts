import { conditionHeaders } from '../../openapi/schemas/parameters.ts';
import type { Route } from '../route.ts';

export const deleteDocument = `mutation Delete($projectId: ID!, $name: String!, $ifMatch: [String!]) {
  deleteEndpoint(projectId: $projectId, name: $name, ifMatch: $ifMatch)
}`;

export const deleteEndpoint: Route = {
  id: 'delete',
  method: 'DELETE',
  path: '/endpoints/:name',
  scope: 'endpoint:write',
  status: 204,
  query: {},
  body: null,
  documents: [deleteDocument],
  respond: async (call) => {
    await call.run(deleteDocument, { ...call.params, ifMatch: call.ifMatch() });
    return { kind: 'empty' };
  },
  openapi: {
    operationId: 'delete_endpoint',
    tag: 'endpoints',
    summary: 'Delete an endpoint',
    description:
      'Deletes the endpoint with all its versions and stored tables. The name can be reused.',
    parameters: conditionHeaders,
    isConditional: true,
    success: 'Deleted.',
  },
};
