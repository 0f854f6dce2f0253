import { schemaRef } from '../../openapi/json-schema.ts';
import { json, type Route } from '../route.ts';
import { usageInputs, usageSelection, usageVariables } from './usage-fields.ts';

const document = `query EndpointUsage($projectId: ID!, $name: String!, $from: DateTime, $to: DateTime, $step: String, $groupBy: [String!], $filter: UsageFilter) {
  usage: endpointUsage(projectId: $projectId, name: $name, from: $from, to: $to, step: $step, groupBy: $groupBy, filter: $filter) ${usageSelection}
}`;

export const endpointUsage: Route = {
  id: 'endpoint_usage',
  method: 'GET',
  path: '/endpoints/:name/usage',
  scope: 'endpoint:read',
  status: 200,
  query: usageInputs,
  body: null,
  documents: [document],
  respond: async (call) => json((await call.run(document, usageVariables(call))).usage),
  openapi: {
    operationId: 'endpoint_usage',
    tag: 'usage',
    summary: 'Usage of an endpoint',
    description:
      'Usage of one endpoint: the same as that of a project, for the runs of this endpoint.',
    success: 'The usage figures.',
    response: schemaRef('Usage'),
  },
};
