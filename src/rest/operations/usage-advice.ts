import { objectOf, type Properties, schemaRef } from '../../openapi/json-schema.ts';
import { integer, text, uuid } from '../../openapi/schemas/members.ts';
import { adviceKinds } from '../../usage/advice/advice.ts';
import { json, type Route } from '../route.ts';
import { selectionOf } from './selection.ts';
import { usageKeySchema } from './usage-fields.ts';

const members: Properties = {
  kind: { type: 'string', enum: [...adviceKinds], description: 'Kind of advice.' },
  endpoint: text('Name of the endpoint.'),
  endpoint_id: uuid('Id of the endpoint.'),
  version: integer('The version it is about: the current one, or the old one that is still run.'),
  key: {
    ...usageKeySchema,
    description: 'The key whose runs it is about; null if it is not about a key.',
  },
  detail: text('What was found and what to do about it, in one or two sentences.'),
  facts: {
    type: 'object',
    additionalProperties: true,
    description: 'The numbers behind the advice, by name.',
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
      'Advice derived from the recorded usage of a project: unused endpoints, old versions that are still run, cache ages so short that results are recomputed unchanged, endpoints that would gain from materialization, and variables that no run sets.',
    success: 'The advice.',
    response: schemaRef('UsageAdviceList'),
    schemas: {
      UsageAdvice: {
        ...objectOf(members),
        description:
          'An observation about the usage of an endpoint that its author may want to act on.',
      },
      UsageAdviceList: {
        ...objectOf({
          results: {
            type: 'array',
            items: schemaRef('UsageAdvice'),
            description: 'Sorted by kind, within a kind most significant first.',
          },
        }),
        description: 'Advice derived from the recorded usage of a project.',
      },
    },
  },
};
