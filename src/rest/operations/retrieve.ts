import type { Route } from '../route.ts';
import {
  endpointOrVersionSchema,
  endpointSelection,
  respondEndpointOrVersion,
  versionSelection,
  withRevision,
} from './endpoint-fields.ts';
import { versionInputs } from './endpoint-inputs.ts';

const documents = {
  endpoint: `query Retrieve($projectId: ID!, $name: String!) {
    endpoint(projectId: $projectId, name: $name) ${withRevision(endpointSelection)}
  }`,
  version: `query RetrieveVersion($projectId: ID!, $name: String!, $version: Int!) {
    endpoint(projectId: $projectId, name: $name) { revision version(version: $version) ${versionSelection} }
  }`,
};

export const retrieve: Route = {
  id: 'retrieve',
  method: 'GET',
  path: '/endpoints/:name',
  scope: 'endpoint:read',
  status: 200,
  query: versionInputs,
  body: versionInputs,
  documents: Object.values(documents),
  respond: (call) => respondEndpointOrVersion(call, documents),
  openapi: {
    operationId: 'get_endpoint',
    tag: 'endpoints',
    summary: 'Retrieve an endpoint',
    description:
      'One endpoint, or with ?version=N one of its versions. Pass its ETag as If-Match in an update.',
    success: 'The endpoint; with ?version=N, that version.',
    response: endpointOrVersionSchema,
  },
};
