import { objectOf, type Properties, schemaRef } from '../../openapi/json-schema.ts';
import { integer, text, uuid } from '../../openapi/schemas/members.ts';
import { adviceKinds } from '../../usage/advice/advice.ts';
import { json, type Route } from '../route.ts';
import { selectionOf } from './selection.ts';
import { usageKeySchema } from './usage-fields.ts';

const members: Properties = {
  kind: { type: 'string', enum: [...adviceKinds], description: 'What it is about.' },
  endpoint: text('Name of the endpoint.'),
  endpoint_id: uuid('Id of the endpoint.'),
  version: integer('The version it is about: the current one, or the old one that still runs.'),
  key: { ...usageKeySchema, description: 'Whose runs it is about; null when it is about no key.' },
  detail: text('What was found, and what to do, in a sentence or two.'),
  facts: {
    type: 'object',
    additionalProperties: true,
    description: 'The numbers that it was computed from, by name.',
  },
};

const document = `query UsageAdvice($projectId: ID!) {
  advice: usageAdvice(projectId: $projectId) ${selectionOf(members)}
}`;

export const usageAdvice: Route = {
  id: 'usage_advice',
  method: 'GET',
  path: '/usage/advice',
  scope: 'endpoint:write',
  status: 200,
  query: {},
  body: null,
  documents: [document],
  respond: async (call) => {
    const { advice } = await call.run(document, call.params);
    return json({ results: advice });
  },
  openapi: {
    operationId: 'usage_advice',
    tag: 'usage',
    summary: 'Advice from usage',
    description:
      'What the record of a project suggests: endpoints nobody runs, old versions that still run, cache ages that recompute without change, endpoints that materializing would make faster, variables nobody gives.',
    success: 'What was found.',
    response: schemaRef('UsageAdviceList'),
    schemas: {
      UsageAdvice: {
        ...objectOf(members),
        description: 'A fact on record that suggests something.',
      },
      UsageAdviceList: {
        ...objectOf({
          results: {
            type: 'array',
            items: schemaRef('UsageAdvice'),
            description: 'By kind, most telling first.',
          },
        }),
        description: 'What the record of a project suggests.',
      },
    },
  },
};
