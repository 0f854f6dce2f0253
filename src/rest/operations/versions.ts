import { type Inputs, input } from '../../openapi/inputs.ts';
import { schemaRef } from '../../openapi/json-schema.ts';
import { flag, integer } from '../../openapi/schemas/members.ts';
import { json, type Route } from '../route.ts';
import { versionSelection } from './endpoint-fields.ts';
import { pageInputs, pageOf, pageSchema, toList } from './page.ts';

const filterInputs = {
  is_active: input(flag('Only active ones, or only inactive ones.')),
  created_by: input(integer('Only those that the user of this id made.'), {
    component: 'created_by_of_versions',
  }),
} as const satisfies Inputs;

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
  query: { ...pageInputs, ...filterInputs },
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
