import type { SchemaObject } from 'openapi3-ts/oas30';
import type { Inputs } from '../../openapi/inputs.ts';
import { objectOf, orNull, schemaRef } from '../../openapi/json-schema.ts';
import { flag, instant, integer, text } from '../../openapi/schemas/members.ts';
import { nameSchema } from '../../openapi/schemas/parameters.ts';
import { json, type Route } from '../route.ts';

const inputs = {
  names: {
    kind: 'strings',
    schema: {
      type: 'array',
      maxItems: 1000,
      items: nameSchema,
      description: 'Names of endpoints.',
    },
    required: 'names must be an array of strings.',
  },
} as const satisfies Inputs;

const document = `query LastExecutionTimes($projectId: ID!, $names: [String!]!) {
  times: lastExecutionTimes(projectId: $projectId, names: $names) { name executedAt }
}`;

const absent = (schema: SchemaObject): SchemaObject => ({
  ...orNull(schema),
  description: 'Always null.',
});

/** Exactly the documented members. */
const queryStatusSchema: SchemaObject = {
  ...objectOf({
    complete: flag('Whether the execution has ended.'),
    dashboard_id: absent({ type: 'integer' }),
    end_time: orNull(instant('When it ended; null while it is running.')),
    error: flag('Whether it ended with an error.'),
    error_message: orNull(text('Error message.')),
    expiration_time: orNull(instant('When this record will be deleted.')),
    id: text('The execution id; empty for last execution times.'),
    insight_id: absent({ type: 'integer' }),
    labels: absent({ type: 'array', items: { type: 'string' } }),
    pickup_time: orNull(instant('When the query was sent to the engine.')),
    query_async: flag('Always true; present for compatibility.'),
    query_progress: schemaRef('QueryProgress'),
    results: {
      type: 'array',
      nullable: true,
      items: { type: 'array', minItems: 2, maxItems: 2, items: { type: 'string' } },
      description: 'Pairs of name and time in ISO 8601; null for an empty list of names.',
    },
    start_time: orNull(instant('When the execution started.')),
    task_id: orNull(text('The same as id.')),
    team_id: integer('Id of the project.'),
  }),
  description: 'Status of an execution.',
};

const noProgress = {
  active_cpu_time: 0,
  bytes_read: 0,
  estimated_rows_total: 0,
  rows_read: 0,
  time_elapsed: 0,
} as const;

/** The documented query status, of which only the results and the project are set here. */
function toQueryStatus(results: readonly unknown[] | null, projectId: number): object {
  return {
    complete: true,
    dashboard_id: null,
    end_time: null,
    error: false,
    error_message: null,
    expiration_time: null,
    id: '',
    insight_id: null,
    labels: null,
    pickup_time: null,
    query_async: true,
    query_progress: noProgress,
    results,
    start_time: null,
    task_id: null,
    team_id: projectId,
  };
}

export const lastExecutionTimes: Route = {
  id: 'last_execution_times',
  method: 'POST',
  path: '/endpoints/last_execution_times',
  scope: 'endpoint:read',
  status: 200,
  query: {},
  body: inputs,
  documents: [document],
  respond: async (call) => {
    const { names } = call.input as { readonly names: readonly string[] };
    const { times } = await call.run(document, { ...call.params, names });
    const rows = times as readonly { readonly name: string; readonly executedAt: string }[];
    const results = names.length === 0 ? null : rows.map((row) => [row.name, row.executedAt]);
    return json({ query_status: toQueryStatus(results, call.projectId()) });
  },
  openapi: {
    operationId: 'last_execution_times',
    tag: 'runs',
    summary: 'Last execution times',
    description:
      'When each named endpoint last ran within the past 6 months. Unknown endpoints and those that never ran are absent.',
    body: { name: 'ExecutionTimesOf', isRequired: true, example: { names: ['first_numbers'] } },
    success: 'A query status whose results are the times.',
    response: schemaRef('LastExecutionTimes'),
    schemas: {
      QueryStatus: queryStatusSchema,
      LastExecutionTimes: {
        ...objectOf({ query_status: schemaRef('QueryStatus') }),
        description: 'When endpoints last ran.',
      },
    },
  },
};
