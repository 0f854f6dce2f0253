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
    endpoint: input(text('Only runs of endpoints of this name, deleted ones too.')),
    endpoint_ids: input({
      type: 'array',
      items: { type: 'string', format: 'uuid' },
      description: `Only runs of the endpoints of these ids, 1 to ${maxEndpointIds}.`,
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
      'What runs took: how many, errors, rows, latencies and work at the engine, by time and by endpoint, version, key, interface, path or outcome. By key, other than the own one, it needs the scope endpoint:write.',
    success: 'The sums.',
    response: schemaRef('Usage'),
    schemas: usageSchemas,
  },
};
