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
    uuid('Id of the endpoint; null for one that is gone, and for unsaved queries.'),
  ),
  endpoint: text('Name of the endpoint; empty for unsaved queries.'),
  instance_id: uuid('The execution id, as runs return it.'),
  timestamp: instant('When it began.'),
  level: { type: 'string', enum: ['INFO', 'ERROR'], description: 'ERROR when it failed.' },
  message: text('What happened, as key=value tokens.'),
  status: { type: 'string', enum: [...executionStatuses], description: 'How it stands.' },
  version: integer('Version that ran.'),
  interface: { type: 'string', enum: ['rest', 'graphql'], description: 'What it came through.' },
  ended_at: orNull(instant('When it ended; null while it runs.')),
  duration_seconds: orNull(amount('How long it took; null while it runs.')),
  served_from: text('inline or materialized.'),
  format: text('The form of the rows.'),
  rows: count('Rows of the result.'),
  bytes: count('Bytes of the rows.'),
  rows_read: count('Rows read.'),
  bytes_read: count('Bytes read.'),
  processor_seconds: orNull(
    amount(
      'Seconds of the engine’s processors, some seconds after it ended; null while it is not known.',
    ),
  ),
  variables: {
    type: 'object',
    nullable: true,
    additionalProperties: objectOf({ type: text('Its type.'), length: count('Its length.') }, [
      'type',
    ]),
    description:
      'By name, the type and length of what the run gave for its variables; the value only if the project records them and the key has endpoint:write. Null for executions that an older version recorded.',
  },
  inline_reason: orNull(
    text(
      'Why it was not served from a stored table: not_materialized, direct, not_ready, failed, stale, max_age, variables or faster; null if it was.',
    ),
  ),
  cache_reason: orNull(
    text('Why it was not served from the cache: absent, expired, bypassed (refresh) or unsaved.'),
  ),
  client_query_id: orNull(text("The caller's own id of the run.")),
  error_code: orNull(text('Code of the error.')),
  error_message: orNull(text('The error in a sentence.')),
};

const filterInputs = {
  version: {
    ...input(integer('Only those of this version.')),
    kind: 'version',
    component: 'log_version',
  },
  status: input({ type: 'string', enum: [...executionStatuses], description: 'Only these.' }),
  interface: input({
    type: 'string',
    enum: ['rest', 'graphql'],
    description: 'Only those through this interface.',
  }),
  after: time('Only those that began after it.'),
  before: time('Only those that began before it.'),
  level: input(text('Only these levels, separated by commas: INFO, ERROR.')),
  min_ms: input({
    type: 'integer',
    minimum: 0,
    description: 'Only those that took so many milliseconds or more.',
  }),
  instance_id: input(text('Only the execution of this id.')),
  search: { ...input(text('Only those whose message holds this text.')), component: 'log_search' },
} as const satisfies Inputs;

const limit = {
  ...input(
    {
      type: 'integer',
      minimum: 1,
      maximum: maxLogEntries,
      default: defaultLogEntries,
      description: 'How many to return at most.',
    },
    { outOfRange: `A page of the log has from 1 to ${maxLogEntries} entries.` },
  ),
  component: 'log_limit',
} as const;

const orderInput = {
  order: {
    ...input({
      type: 'string',
      enum: [...executionOrders],
      default: 'newest',
      description: 'Which come first.',
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

/** @param name of the endpoint; null: of all. */
async function readLog(call: RouteCall, name: string | null): Promise<RouteResult> {
  const { limit: _limit, offset: _offset, order, ...filter } = call.input;
  const times = { after: toTime(filter.after, 'after'), before: toTime(filter.before, 'before') };
  const variables = { ...call.params, name, order, filter: { ...filter, ...times } };
  const size = defaultLogEntries;
  const { log } = await call.run(document, { ...variables, ...pageOf(call, size) });
  const { totalCount, entries } = log as Log;
  return json(toPage({ totalCount, edges: entries.map((node) => ({ node })) }, call, { size }));
}

/** Of all endpoints of a project. */
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
      'The executions of all endpoints of a project on record and of unsaved queries, as those of one endpoint: newest first, or slowest first. Say status=failed for those that failed.',
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
      'The executions of an endpoint on record, newest first unless order says otherwise. A run that is answered from the cache makes none.',
    success: 'One page of executions.',
    response: schemaRef('ExecutionLog'),
    schemas: {
      ExecutionEntry: { ...objectOf(members), description: 'One execution of an endpoint.' },
      ExecutionLog: pageSchema(schemaRef('ExecutionEntry')),
    },
  },
};
