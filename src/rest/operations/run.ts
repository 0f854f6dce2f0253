import type { ParameterObject } from 'openapi3-ts/oas30';
import { andThen } from '../../lib/maybe-promise.ts';
import { type Inputs, parametersOf } from '../../openapi/inputs.ts';
import { schemaRef } from '../../openapi/json-schema.ts';
import {
  filtersInput,
  runHeaders,
  runInputs,
  streamHeaders,
  streamInputs,
} from '../../openapi/schemas/run-inputs.ts';
import { anyRunResultSchema } from '../../openapi/schemas/run-result.ts';
import type { Route } from '../route.ts';
import { versionInputs } from './endpoint-inputs.ts';

const bodyInputs = {
  ...runInputs,
  variables: {
    kind: 'object',
    schema: {
      type: 'object',
      additionalProperties: true,
      description:
        'Values by variable name; the OpenAPI document of the endpoint describes their types.',
    },
  },
  filters_override: filtersInput,
  query_override: {
    kind: 'object',
    schema: {
      type: 'object',
      nullable: true,
      additionalProperties: true,
      deprecated: true,
      description: 'Not supported for SQL endpoints: must be null or absent. Use variables.',
    },
  },
} as const satisfies Inputs;

const variables: ParameterObject = {
  name: 'variables',
  in: 'query',
  description:
    'Values as one JSON object by variable name. They can also be passed one by one as variables[name]=value, parsed by the type of each variable; the OpenAPI document of the endpoint has a parameter for each.',
  schema: { type: 'string' },
  example: '{}',
};

/** Documented after the other inputs. */
const { max_age_seconds, stale_while_revalidate_seconds, stale_if_error_seconds, ...mainInputs } =
  runInputs;

const shared = {
  path: '/endpoints/:name/run',
  scope: 'endpoint:read',
  status: 200,
  query: runInputs,
  body: bodyInputs,
  takesVariables: true,
  documents: [],
  respond: (call) => andThen(call.runEndpoint(), (run) => ({ kind: 'run', run })),
} as const satisfies Partial<Route>;

const described = {
  tag: 'runs',
  success: 'The rows and their metadata.',
  response: schemaRef('RunResult'),
  isRun: true,
} as const;

export const runGet: Route = {
  ...shared,
  query: { ...runInputs, ...streamInputs },
  isFollowable: true,
  id: 'run_get',
  method: 'GET',
  openapi: {
    ...described,
    operationId: 'run_endpoint_get',
    summary: 'Run an endpoint (GET)',
    description:
      'Runs the current version, or the given one, with inputs from the query string. With `Accept: text/event-stream` the response is a stream of server-sent events: `result` with the body of a run, first and whenever its rows change, `error`, and `reconnect`.',
    parameters: {
      variables,
      ...parametersOf({
        ...mainInputs,
        ...versionInputs,
        max_age_seconds,
        stale_while_revalidate_seconds,
        stale_if_error_seconds,
      }),
      ...parametersOf(streamInputs),
      ...runHeaders,
      ...streamHeaders,
    },
  },
};

export const runPost: Route = {
  ...shared,
  id: 'run_post',
  method: 'POST',
  openapi: {
    ...described,
    operationId: 'run_endpoint',
    summary: 'Run an endpoint (POST)',
    description: 'Runs the current version, or the given one, with inputs from the body.',
    parameters: { cache_control: runHeaders.cache_control },
    body: { name: 'RunEndpoint', isRequired: false, example: { limit: 10 } },
    schemas: {
      RunResult: anyRunResultSchema(),
    },
  },
};
