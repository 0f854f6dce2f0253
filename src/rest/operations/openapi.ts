import { schemaRef } from '../../openapi/json-schema.ts';
import { json, type Route } from '../route.ts';
import { versionInputs } from './endpoint-inputs.ts';

const document = `query OpenApi($projectId: ID!, $name: String!, $version: Int) {
  endpoint: endpointVersion(projectId: $projectId, name: $name, version: $version) { openapi }
}`;

export const openapi: Route = {
  id: 'openapi',
  method: 'GET',
  path: '/endpoints/:name/openapi.json',
  scope: 'endpoint:read',
  status: 200,
  query: versionInputs,
  body: versionInputs,
  documents: [document],
  respond: async (call) => {
    const { endpoint } = await call.run(document, { ...call.params, ...call.input });
    return json((endpoint as { readonly openapi: unknown }).openapi);
  },
  openapi: {
    operationId: 'get_openapi_document',
    tag: 'endpoints',
    summary: 'OpenAPI document of an endpoint',
    description:
      'The OpenAPI 3.0 document of running one version, with its variables and columns typed. Generate a client from it.',
    success: 'The document.',
    response: schemaRef('OpenApiDocument'),
    schemas: {
      OpenApiDocument: {
        type: 'object',
        additionalProperties: true,
        description: 'An OpenAPI 3.0 document.',
      },
    },
  },
};
