import { executionOrders } from '../../model/execution-order.ts';
import { executionStatuses } from '../../model/execution-status.ts';
import { type Inputs, input } from '../../openapi/inputs.ts';
import { objectOf, orNull, type Properties, schemaRef } from '../../openapi/json-schema.ts';
import { amount, count, instant, integer, text, uuid } from '../../openapi/schemas/members.ts';
import { defaultLogEntries, maxLogEntries } from '../../runs/list-executions.ts';
import { json, type Route, type RouteCall, type RouteResult } from '../route.ts';
import { pageInputs, pageOf, pageSchema, toPage } from './page.ts';
import { selectionOf } from './selection.ts';
import { timeInput as time, toTime } from './time-input.ts';

const members: Properties = {
  log_source_id: orNull(
    uuid('Id of the endpoint; null for a deleted endpoint and for unsaved queries.'),
  ),
  endpoint: text('Name of the endpoint; empty for unsaved queries.'),
  instance_id: uuid('The execution id, as runs return it.'),
  timestamp: instant('When it started.'),
  level: { type: 'string', enum: ['INFO', 'ERROR'], description: 'ERROR if it failed.' },
  message: text('What happened, as key=value tokens.'),
  status: { type: 'string', enum: [...executionStatuses], description: 'Status of the execution.' },
  version: integer('Version that ran.'),
  interface: {
    type: 'string',
    enum: ['rest', 'graphql'],
    description: 'The interface through which it was requested.',
  },
  ended_at: orNull(instant('When it ended; null while it is running.')),
  duration_seconds: orNull(amount('Duration in seconds; null while it is running.')),
  served_from: text('inline or materialized.'),
  format: text('Format of the rows: json, ndjson, csv, arrow or parquet.'),
  rows: count('Rows of the result.'),
  bytes: count('Bytes of the rows.'),
  rows_read: count('Rows read.'),
  bytes_read: count('Bytes read.'),
  processor_seconds: orNull(
    amount(
      'CPU time in seconds, read from the engine’s log a few seconds after the execution ends; null until then.',
    ),
  ),
  variables: {
    type: 'object',
    nullable: true,
    additionalProperties: objectOf({ type: text('Its type.'), length: count('Its length.') }, [
      'type',
    ]),
    description:
      'Type and length of each variable that the run set, by name; its value only if the project records values and the key has endpoint:write. Null for executions recorded by an older version of the service.',
  },
  inline_reason: orNull(
    text(
      'Why it was not served from a stored table: not_materialized, direct, not_ready, failed, stale, max_age, variables or faster; null if it was.',
    ),
  ),
  cache_reason: orNull(
    text('Why it was not served from the cache: absent, expired, bypassed (refresh) or unsaved.'),
  ),
  plan: orNull({
    ...objectOf({
      reads: arrayOf({
        table: text('Name of the table.'),
        rows: count('Maximum number of rows.'),
        parts: count('Parts of the table.'),
        granules: count('Granules: the rows between two entries of its index.'),
      }),
      steps: arrayOf({
        depth: integer('0 for the last step; those that a step reads from follow, one deeper.'),
        name: text('Name of the step in the engine’s plan.'),
        description: text('The table that the step reads; otherwise empty.'),
        indexes: arrayOf({
          kind: text('Min-Max, Partition, PrimaryKey, or Skip with its name.'),
          parts: count('Parts left to read.'),
          parts_before: count('Number before the index was applied.'),
          granules: count('Granules left to read.'),
          granules_before: count('Number before the index was applied.'),
        }),
      }),
    }),
    description:
      'How the engine planned the execution, without values. Recorded shortly after its end if it read source data and took at least SLOW_EXECUTION_MS or failed there; otherwise null.',
  }),
  client_query_id: orNull(text('The id that the caller chose for the run.')),
  error_code: orNull(text('Error code.')),
  error_message: orNull(text('Error message, if it failed.')),
};

function arrayOf(properties: Properties) {
  return { type: 'array' as const, items: objectOf(properties) };
}

const filterInputs = {
  version: {
    ...input(integer('Only executions of this version.')),
    kind: 'version',
    component: 'log_version',
  },
  status: input({
    type: 'string',
    enum: [...executionStatuses],
    description: 'Only executions with this status.',
  }),
  interface: input({
    type: 'string',
    enum: ['rest', 'graphql'],
    description: 'Only executions requested through this interface.',
  }),
  after: time('Only executions that started after this time.'),
  before: time('Only executions that started before this time.'),
  level: input(
    text(
      'Only executions with one of these levels, separated by commas: INFO, ERROR. DEBUG, LOG and WARN are accepted; no execution has them.',
    ),
  ),
  min_ms: input({
    type: 'integer',
    minimum: 0,
    description: 'Only executions that took at least this many milliseconds.',
  }),
  instance_id: input(text('Only the execution with this id.')),
  search: {
    ...input(text('Only executions whose message contains this text.')),
    component: 'log_search',
  },
} as const satisfies Inputs;

const limit = {
  ...input(
    {
      type: 'integer',
      minimum: 1,
      maximum: maxLogEntries,
      default: defaultLogEntries,
      description: 'Maximum number of entries to return.',
    },
    { outOfRange: `A page of the log must have from 1 to ${maxLogEntries} entries.` },
  ),
  component: 'log_limit',
} as const;

const orderInput = {
  order: {
    ...input({
      type: 'string',
      enum: [...executionOrders],
      default: 'newest',
      description: 'Whether the newest or the slowest executions come first.',
    }),
    component: 'log_order',
  },
} as const satisfies Inputs;

const document = `query Logs($projectId: ID!, $name: String, $order: String, $first: Int!, $offset: Int!, $filter: ExecutionFilter) {
  log: executions(projectId: $projectId, name: $name, order: $order, first: $first, offset: $offset, filter: $filter) {
    totalCount entries ${selectionOf(members, { sources: { log_source_id: 'endpointId', instance_id: 'id' } })}
  }
}`;

interface Log {
  readonly totalCount: number;
  readonly entries: readonly unknown[];
}

/** @param name the endpoint's name; null for all endpoints. */
async function readLog(call: RouteCall, name: string | null): Promise<RouteResult> {
  const { limit: _limit, offset: _offset, order, ...filter } = call.input;
  const times = { after: toTime(filter.after, 'after'), before: toTime(filter.before, 'before') };
  const variables = { ...call.params, name, order, filter: { ...filter, ...times } };
  const size = defaultLogEntries;
  const { log } = await call.run(document, { ...variables, ...pageOf(call, size) });
  const { totalCount, entries } = log as Log;
  return json(toPage({ totalCount, edges: entries.map((node) => ({ node })) }, call, { size }));
}

/** The log of all endpoints of a project. */
export const projectLog: Route = {
  id: 'project_logs',
  method: 'GET',
  path: '/logs',
  scope: 'endpoint:read',
  status: 200,
  query: { ...pageInputs, limit, ...filterInputs, ...orderInput },
  body: null,
  documents: [document],
  respond: (call) => readLog(call, null),
  openapi: {
    operationId: 'list_project_executions',
    tag: 'usage',
    summary: 'Executions of a project',
    description:
      'The recorded executions of all endpoints of a project and of unsaved queries, newest or slowest first. Use status=failed to list failures.',
    success: 'One page of executions.',
    response: schemaRef('ExecutionLog'),
  },
};

export const executionLog: Route = {
  id: 'logs',
  method: 'GET',
  path: '/endpoints/:name/logs',
  scope: 'endpoint:read',
  status: 200,
  query: { ...pageInputs, limit, ...filterInputs, ...orderInput },
  body: null,
  documents: [document],
  respond: (call) => readLog(call, call.params.name),
  openapi: {
    operationId: 'list_executions',
    tag: 'runs',
    summary: 'Executions of an endpoint',
    description:
      'The recorded executions of an endpoint, newest or slowest first. A run served from the cache has no execution.',
    success: 'One page of executions.',
    response: schemaRef('ExecutionLog'),
    schemas: {
      ExecutionEntry: { ...objectOf(members), description: 'One execution of an endpoint.' },
      ExecutionLog: pageSchema(schemaRef('ExecutionEntry')),
    },
  },
};
