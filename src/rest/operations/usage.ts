import { input } from '../../openapi/inputs.ts';
import { schemaRef } from '../../openapi/json-schema.ts';
import { text } from '../../openapi/schemas/members.ts';
import { maxEndpointIds } from '../../usage/parse-usage.ts';
import { json, type Route } from '../route.ts';
import { usageInputs, usageSchemas, usageSelection, usageVariables } from './usage-fields.ts';

const document = `query Usage($projectId: ID!, $from: DateTime, $to: DateTime, $step: String, $groupBy: [String!], $filter: UsageFilter) {
  usage(projectId: $projectId, from: $from, to: $to, step: $step, groupBy: $groupBy, filter: $filter) ${usageSelection}
}`;

export const usage: Route = {
  id: 'usage',
  method: 'GET',
  path: '/usage',
  scope: 'endpoint:read',
  status: 200,
  query: {
    ...usageInputs,
    endpoint: input(text('Only runs of endpoints with this name, deleted ones included.')),
    endpoint_ids: input({
      type: 'array',
      items: { type: 'string', format: 'uuid' },
      description: `Only runs of the endpoints with these ids, 1 to ${maxEndpointIds}.`,
    }),
  },
  body: null,
  documents: [document],
  respond: async (call) => json((await call.run(document, usageVariables(call))).usage),
  openapi: {
    operationId: 'usage',
    tag: 'usage',
    summary: 'Usage of a project',
    description:
      'Number, errors, rows, durations and engine load of runs, by time and by endpoint, version, key, interface, path or outcome. Grouping by key, or filtering by a key other than that of the request, needs the scope endpoint:write.',
    success: 'The usage figures.',
    response: schemaRef('Usage'),
    schemas: usageSchemas,
  },
};
