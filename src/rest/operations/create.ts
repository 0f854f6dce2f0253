import { defaultSyncFrequency } from '../../model/sync-frequency.ts';
import { type Inputs, input } from '../../openapi/inputs.ts';
import { schemaRef } from '../../openapi/json-schema.ts';
import { nameSchema } from '../../openapi/schemas/parameters.ts';
import type { Route } from '../route.ts';
import { endpointSelection, toEndpoint, toEndpointBody, withRevision } from './endpoint-fields.ts';
import { endpointInputs } from './endpoint-inputs.ts';
import { syncFrequencySchema } from './materialization-fields.ts';
import { checkSelection, dryRunSchema, toDryRun } from './query-check-fields.ts';

const createInputs = {
  ...endpointInputs,
  name: input(
    {
      ...nameSchema,
      description: 'A letter, then up to 127 letters, digits, underscores or hyphens.',
    },
    { required: 'A name is required.' },
  ),
  query: { ...endpointInputs.query, required: 'A query is required.' },
  is_active: input({ type: 'boolean', default: true, description: 'Whether runs are allowed.' }),
  is_materialized: input({
    type: 'boolean',
    default: false,
    description: 'Whether materialization is enabled.',
  }),
  sync_frequency: input({ ...syncFrequencySchema, default: defaultSyncFrequency }),
  deleted: { kind: 'empty', schema: null },
  version: input(
    { type: 'integer', enum: [1], description: 'A new endpoint starts at version 1.' },
    { kind: 'version' },
  ),
} as const satisfies Inputs;

const document = `mutation Create($projectId: ID!, $input: CreateEndpointInput!) {
  endpoint: createEndpoint(projectId: $projectId, input: $input) ${withRevision(endpointSelection)}
}`;

const dryRunDocument = `mutation TryCreate($projectId: ID!, $input: CreateEndpointInput!) {
  endpoint: createEndpoint(projectId: $projectId, input: $input) {
    check ${checkSelection} ...Result
  }
}
fragment Result on Endpoint ${endpointSelection}`;

export const create: Route = {
  id: 'create',
  method: 'POST',
  path: '/endpoints',
  scope: 'endpoint:write',
  status: 201,
  query: {},
  body: createInputs,
  documents: [document, dryRunDocument],
  respond: async (call) => {
    const isDryRun = call.input.dryRun === true;
    const variables = { ...call.params, input: call.input };
    const { endpoint } = await call.run(isDryRun ? dryRunDocument : document, variables);
    if (!isDryRun) return toEndpoint(endpoint);
    const { check, ...result } = endpoint as { readonly check: unknown };
    return toDryRun(toEndpointBody(result), { check });
  },
  openapi: {
    operationId: 'create_endpoint',
    tag: 'endpoints',
    summary: 'Create an endpoint',
    description:
      'Saves a query under a name as version 1, after the engine has checked it. If any part fails, nothing is saved.',
    body: {
      name: 'CreateEndpoint',
      isRequired: true,
      example: { name: 'first_numbers', query: 'SELECT number FROM numbers(10)' },
    },
    success: 'The endpoint.',
    response: schemaRef('Endpoint'),
    dryRun: dryRunSchema(schemaRef('Endpoint')),
  },
};
