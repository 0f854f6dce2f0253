import { schemaRef } from '../../openapi/json-schema.ts';
import { json, type Route } from '../route.ts';
import { documentInputs, documentSchemas, documentVariables } from './document-inputs.ts';

const document = `query ProjectOpenApi($projectId: ID!, $rows: RowForm, $prefix: PathPrefix) {
  project(id: $projectId) { openapi(rows: $rows, prefix: $prefix) }
}`;

export const projectOpenapi: Route = {
  id: 'project_openapi',
  method: 'GET',
  path: '/openapi.json',
  scope: 'endpoint:read',
  status: 200,
  query: documentInputs,
  body: null,
  documents: [document],
  respond: async (call) => {
    const { project } = await call.run(document, documentVariables(call));
    return json((project as { readonly openapi: unknown }).openapi);
  },
  openapi: {
    operationId: 'get_project_openapi_document',
    tag: 'endpoints',
    summary: 'OpenAPI document of a project',
    description:
      'The OpenAPI 3.0 document of running the active endpoints of the project, each at its current version, and the built-in endpoint `_usage`. Generate one client for all of them.',
    success: 'The document.',
    response: schemaRef('OpenApiDocument'),
    schemas: documentSchemas,
  },
};
