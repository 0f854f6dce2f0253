import { schemaRef } from '../../openapi/json-schema.ts';
import { json, type Route } from '../route.ts';
import { documentInputs, documentSchemas, documentVariables } from './document-inputs.ts';
import { versionInputs } from './endpoint-inputs.ts';

const document = `query OpenApi($projectId: ID!, $name: String!, $version: Int, $rows: RowForm, $prefix: PathPrefix) {
  openapi: endpointOpenapi(projectId: $projectId, name: $name, version: $version, rows: $rows, prefix: $prefix)
}`;

export const openapi: Route = {
  id: 'openapi',
  method: 'GET',
  path: '/endpoints/:name/openapi.json',
  scope: 'endpoint:read',
  status: 200,
  query: { ...versionInputs, ...documentInputs },
  body: versionInputs,
  documents: [document],
  respond: async (call) => {
    const { openapi: described } = await call.run(document, documentVariables(call));
    return json(described);
  },
  openapi: {
    operationId: 'get_openapi_document',
    tag: 'endpoints',
    summary: 'OpenAPI document of an endpoint',
    description:
      'The OpenAPI 3.0 document of running one version, with its variables and columns typed. Generate a client from it.',
    success: 'The document.',
    response: schemaRef('OpenApiDocument'),
    schemas: documentSchemas,
  },
};
