import { executionStatuses } from '../../model/execution-status.ts';
import { type Inputs, input } from '../../openapi/inputs.ts';
import { objectOf, orNull, type Properties, schemaRef } from '../../openapi/json-schema.ts';
import { amount, count, instant, integer, text, uuid } from '../../openapi/schemas/members.ts';
import { defaultLogEntries, maxLogEntries } from '../../runs/list-executions.ts';
import { json, type Route } from '../route.ts';
import { pageInputs, pageOf, pageSchema, toPage } from './page.ts';
import { selectionOf } from './selection.ts';
import { timeInput as time, toTime } from './time-input.ts';

const members: Properties = {
  log_source_id: uuid('Id of the endpoint.'),
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

const document = `query Logs($projectId: ID!, $name: String!, $first: Int!, $offset: Int!, $filter: ExecutionFilter) {
  log: executions(projectId: $projectId, name: $name, first: $first, offset: $offset, filter: $filter) {
    totalCount entries ${selectionOf(members, { sources: { log_source_id: 'endpointId', instance_id: 'id' } })}
  }
}`;

interface Log {
  readonly totalCount: number;
  readonly entries: readonly unknown[];
}

export const executionLog: Route = {
  id: 'logs',
  method: 'GET',
  path: '/endpoints/:name/logs',
  scope: 'endpoint:read',
  status: 200,
  query: { ...pageInputs, limit, ...filterInputs },
  body: null,
  documents: [document],
  respond: async (call) => {
    const { limit: _limit, offset: _offset, ...filter } = call.input;
    const times = { after: toTime(filter.after, 'after'), before: toTime(filter.before, 'before') };
    const variables = { ...call.params, filter: { ...filter, ...times } };
    const size = defaultLogEntries;
    const { log } = await call.run(document, { ...variables, ...pageOf(call, size) });
    const { totalCount, entries } = log as Log;
    return json(toPage({ totalCount, edges: entries.map((node) => ({ node })) }, call, { size }));
  },
  openapi: {
    operationId: 'list_executions',
    tag: 'runs',
    summary: 'Executions of an endpoint',
    description:
      'The executions of an endpoint on record, newest first. A run that is answered from the cache makes none.',
    success: 'One page of executions.',
    response: schemaRef('ExecutionLog'),
    schemas: {
      ExecutionEntry: { ...objectOf(members), description: 'One execution of an endpoint.' },
      ExecutionLog: pageSchema(schemaRef('ExecutionEntry')),
    },
  },
};
