import type { SchemaObject } from 'openapi3-ts/oas30';
import { invalidInput } from '../../errors/service-error.ts';
import { andThen } from '../../lib/maybe-promise.ts';
import { type Inputs, input } from '../../openapi/inputs.ts';
import { schemaRef } from '../../openapi/json-schema.ts';
import { filtersInput, runHeaders, runInputs } from '../../openapi/schemas/run-inputs.ts';
import { anyRunResultSchema } from '../../openapi/schemas/run-result.ts';
import { json, type Route, type RouteCall } from '../route.ts';
import { endpointInputs } from './endpoint-inputs.ts';
import { checkSelection, queryCheckSchema } from './query-check-fields.ts';

const { version: _version, refresh: _refresh, ...inputs } = runInputs;

/** Refresh policies that existing clients send. All have the same effect: the query is executed. */
const refreshPolicies = [
  'cache',
  'force',
  'blocking',
  'async',
  'lazy_async',
  'force_blocking',
  'force_async',
  'force_cache',
] as const;

const queryInputs = {
  ...inputs,
  refresh: input(
    {
      type: 'string',
      enum: [...refreshPolicies],
      description: 'Accepted and ignored: the query is always executed.',
    },
    { component: 'refresh_of_query' },
  ),
} as const satisfies Inputs;

const bodyInputs = {
  query: { ...endpointInputs.query, required: 'A query is required.' },
  ...queryInputs,
  variables: input({
    type: 'object',
    additionalProperties: true,
    description:
      'Values by variable name. A variable that is absent takes the default of its definition.',
  }),
  filters_override: filtersInput,
  name: input({ type: 'string', nullable: true, description: 'Accepted and ignored.' }),
  dry_run: input({
    type: 'boolean',
    default: false,
    description: 'Whether to only check the query without running it.',
  }),
} as const satisfies Inputs;

const document = `query CheckQuery($projectId: ID!, $query: JSON!, $input: RunInput) {
  check: checkQuery(projectId: $projectId, query: $query, input: $input) ${checkSelection}
}`;

/** Members that an unsaved query has no value for. */
const ofEndpoint = new Set([
  'name',
  'endpoint_version',
  'endpoint_version_created_at',
  'endpoint_materialized',
  'endpoint_materialized_at',
]);

function withoutEndpoint({
  properties = {},
  required = [],
  ...schema
}: SchemaObject): SchemaObject {
  return {
    ...schema,
    properties: Object.fromEntries(
      Object.entries(properties).filter(([name]) => !ofEndpoint.has(name)),
    ),
    required: required.filter((name) => !ofEndpoint.has(name)),
    description: 'The result of an unsaved query.',
  };
}

async function check(call: RouteCall): Promise<object> {
  const { query, variables, limit, offset, filtersOverride } = call.input;
  if (call.valueSource === 'text')
    throw invalidInput('variables', 'With dry_run, give variables in the body.');
  const given = { variables, limit, offset, filtersOverride };
  const data = await call.run(document, { ...call.params, query, input: given });
  return data.check as object;
}

export const query: Route = {
  id: 'query',
  method: 'POST',
  path: '/query',
  scope: 'endpoint:write',
  status: 200,
  query: queryInputs,
  body: bodyInputs,
  takesVariables: true,
  documents: [document],
  respond: (call) => {
    const { query: text, dryRun, name: _name, refresh: _policy, ...run } = call.input;
    if (dryRun === true) return check(call).then(json);
    return andThen(call.runQuery({ query: text, input: run }), (response) => ({
      kind: 'run',
      run: response,
    }));
  },
  openapi: {
    operationId: 'run_query',
    tag: 'runs',
    summary: 'Run a query without saving it',
    description:
      'Runs a query once, with the same checks, limits and formats as a run of an endpoint. The result is not cached. With dry_run the query is checked and not run.',
    parameters: { cache_control: runHeaders.cache_control },
    body: {
      name: 'RunQuery',
      isRequired: true,
      example: { query: 'SELECT number FROM numbers(10)', limit: 5 },
    },
    success: 'The rows and their metadata; with dry_run, the check.',
    response: { anyOf: [schemaRef('QueryResult'), schemaRef('QueryCheck')] },
    isRun: true,
    schemas: {
      QueryResult: withoutEndpoint(anyRunResultSchema()),
      QueryCheck: queryCheckSchema,
    },
  },
};
