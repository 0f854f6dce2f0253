import { type Inputs, input } from '../../openapi/inputs.ts';
import { schemaRef } from '../../openapi/json-schema.ts';
import { flag, text } from '../../openapi/schemas/members.ts';
import { json, type Route } from '../route.ts';
import { endpointSchemas, endpointSelection } from './endpoint-fields.ts';
import { listFilters } from './list-filters.ts';
import { pageInputs, pageOf, pageSchema, toList } from './page.ts';

const filterInputs = {
  ...listFilters,
  is_materialized: input(
    flag('Only those whose current version is materialized, or only the others.'),
  ),
  tags: {
    ...input({
      type: 'array',
      items: { type: 'string' },
      description: 'Only endpoints that have all of these labels, as tags=a,b.',
    }),
    component: 'tags',
  },
  search: input(
    text('Only endpoints whose name or description contains this text, ignoring case.'),
  ),
} as const satisfies Inputs;

const document = `query List($projectId: ID!, $first: Int!, $offset: Int!, $filter: EndpointFilter) {
  endpoints(projectId: $projectId, first: $first, offset: $offset, filter: $filter) {
    totalCount edges { node ${endpointSelection} }
  }
}`;

export const list: Route = {
  id: 'list',
  method: 'GET',
  path: '/endpoints',
  scope: 'endpoint:read',
  status: 200,
  query: { ...pageInputs, ...filterInputs },
  body: null,
  documents: [document],
  respond: async (call) => {
    const { limit: _limit, offset: _offset, ...filter } = call.input;
    const data = await call.run(document, { ...call.params, ...pageOf(call), filter });
    return json(toList(data.endpoints, call));
  },
  openapi: {
    operationId: 'list_endpoints',
    tag: 'endpoints',
    summary: 'List endpoints',
    description: 'The endpoints of the project, newest first, inactive ones included.',
    success: 'One page of endpoints.',
    response: schemaRef('EndpointList'),
    schemas: { ...endpointSchemas, EndpointList: pageSchema(schemaRef('Endpoint')) },
  },
};
