/** What the document says of each operation beyond its row. */
import type { ReferenceObject, SchemaObject } from 'openapi3-ts/oas30';
import { schemaRef } from './json-schema.ts';
import type { ServiceParameter } from './schemas/parameters.ts';
import type { ServiceOperationId } from './service-operations.ts';

export interface OperationDetails {
  readonly tag: 'endpoints' | 'runs';
  readonly summary: string;
  readonly description: string;
  /** Query parameters. */
  readonly parameters?: readonly ServiceParameter[];
  /** Name of a shared request body. */
  readonly body?: 'CreateEndpoint' | 'UpdateEndpoint' | 'RunEndpoint' | 'ExecutionTimesOf';
  readonly success: string;
  /** Of the body; absent where success has none. */
  readonly schema?: SchemaObject | ReferenceObject;
  /** Whether the answer says how fresh it is, with an ETag. */
  readonly isFresh?: true;
  /** Whether it may be 304. */
  readonly isConditional?: true;
}

const endpointOrVersion: SchemaObject = {
  anyOf: [schemaRef('EndpointVersion'), schemaRef('Endpoint')],
};

const update = {
  tag: 'endpoints',
  parameters: ['version'],
  body: 'UpdateEndpoint',
  success: 'The endpoint as it is now; with a target version, that version.',
  schema: endpointOrVersion,
} as const;

const updateWords =
  'What is absent stays as it is. A changed query makes a new version; nothing else does. With a target version, in the body or as ?version=N, only the settings of that version change, and a query is refused.';

export const operationDetails: Readonly<Record<ServiceOperationId, OperationDetails>> = {
  list_endpoints: {
    tag: 'endpoints',
    summary: 'List endpoints',
    description: 'The endpoints of the project, newest first, inactive ones included.',
    parameters: ['limit', 'offset', 'is_active', 'is_materialized', 'created_by', 'search'],
    success: 'One page of endpoints.',
    schema: schemaRef('EndpointList'),
  },
  create_endpoint: {
    tag: 'endpoints',
    summary: 'Create an endpoint',
    description:
      'Saves a query under a name as version 1, after the engine has checked it. It happens whole or not at all.',
    body: 'CreateEndpoint',
    success: 'The endpoint.',
    schema: schemaRef('Endpoint'),
  },
  get_endpoint: {
    tag: 'endpoints',
    summary: 'Retrieve an endpoint',
    description: 'One endpoint, or with ?version=N one of its versions.',
    parameters: ['version'],
    success: 'The endpoint; with ?version=N, that version.',
    schema: endpointOrVersion,
  },
  update_endpoint: { ...update, summary: 'Update an endpoint', description: updateWords },
  put_endpoint: {
    ...update,
    summary: 'Update an endpoint (PUT)',
    description: `The same as PATCH. ${updateWords}`,
  },
  delete_endpoint: {
    tag: 'endpoints',
    summary: 'Delete an endpoint',
    description:
      'Deletes the endpoint with all versions and stored tables. Its name is free again.',
    success: 'It is deleted.',
  },
  get_materialization_status: {
    tag: 'endpoints',
    summary: 'Materialization status',
    description: 'How the materialization of one version stands.',
    parameters: ['version'],
    success: 'The status, with the name and the version that it is of.',
    schema: schemaRef('MaterializationStatus'),
  },
  preview_materialization: {
    tag: 'endpoints',
    summary: 'Preview a materialization',
    description:
      'What turning materialization on would do to one version: whether it can be done, why not, the query that would be stored, the one that runs would read it by, and how large it would be. Changes nothing.',
    parameters: ['version'],
    success: 'The preview.',
    schema: schemaRef('MaterializationPreview'),
  },
  get_openapi_document: {
    tag: 'endpoints',
    summary: 'OpenAPI document of an endpoint',
    description:
      'The OpenAPI 3.0 document of running one version, with its variables and columns typed. Generate a client from it.',
    parameters: ['version'],
    success: 'The document.',
    schema: schemaRef('OpenApiDocument'),
  },
  run_endpoint_get: {
    tag: 'runs',
    summary: 'Run an endpoint (GET)',
    description:
      'Runs the latest version, or the one that is named, with inputs from the query string.',
    parameters: [
      'variables',
      'version',
      'limit_of_run',
      'offset_of_run',
      'refresh',
      'debug',
      'client_query_id',
      'integers',
      'format',
      'max_age_seconds',
      'stale_while_revalidate_seconds',
      'stale_if_error_seconds',
      'if_none_match',
      'cache_control',
    ],
    success: 'The rows and the facts around them.',
    schema: schemaRef('RunResult'),
    isFresh: true,
    isConditional: true,
  },
  run_endpoint: {
    tag: 'runs',
    summary: 'Run an endpoint (POST)',
    parameters: ['cache_control'],
    description: 'Runs the latest version, or the one that is named, with inputs from the body.',
    body: 'RunEndpoint',
    success: 'The rows and the facts around them.',
    isFresh: true,
    schema: schemaRef('RunResult'),
  },
  list_versions: {
    tag: 'endpoints',
    summary: 'List versions',
    description: 'All versions of an endpoint, newest first, inactive ones included.',
    parameters: ['limit', 'offset'],
    success: 'One page of versions.',
    schema: schemaRef('EndpointVersionList'),
  },
  last_execution_times: {
    tag: 'runs',
    summary: 'Last execution times',
    description:
      'When each named endpoint ran last within the past 6 months. Unknown names and endpoints that never ran are absent.',
    body: 'ExecutionTimesOf',
    success: 'The times as the results of a query status.',
    schema: schemaRef('LastExecutionTimes'),
  },
};
