import { schemaRef } from '../../openapi/json-schema.ts';
import { json, type Route } from '../route.ts';
import { versionSelection } from './endpoint-fields.ts';
import { listFilters } from './list-filters.ts';
import { pageInputs, pageOf, pageSchema, toList } from './page.ts';

const document = `query Versions($projectId: ID!, $name: String!, $first: Int!, $offset: Int!, $filter: VersionFilter) {
  endpointVersions(projectId: $projectId, name: $name, first: $first, offset: $offset, filter: $filter) {
    totalCount edges { node ${versionSelection} }
  }
}`;

export const versions: Route = {
  id: 'versions',
  method: 'GET',
  path: '/endpoints/:name/versions',
  scope: 'endpoint:read',
  status: 200,
  query: { ...pageInputs, ...listFilters },
  body: null,
  documents: [document],
  respond: async (call) => {
    const { limit: _limit, offset: _offset, ...filter } = call.input;
    const data = await call.run(document, { ...call.params, ...pageOf(call), filter });
    return json(toList(data.endpointVersions, call));
  },
  openapi: {
    operationId: 'list_versions',
    tag: 'endpoints',
    summary: 'List versions',
    description: 'All versions of an endpoint, newest first, inactive ones included.',
    success: 'One page of versions.',
    response: schemaRef('EndpointVersionList'),
    schemas: { EndpointVersionList: pageSchema(schemaRef('EndpointVersion')) },
  },
};
