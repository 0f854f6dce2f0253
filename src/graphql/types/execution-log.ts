import {
  defaultLogEntries,
  type ExecutionPage,
  levelOf,
  listExecutions,
  maxLogEntries,
} from '../../runs/list-executions.ts';
import type { ExecutionLine } from '../../store/execution-log.ts';
import { builder } from '../builder.ts';
import { offsetArg, projectArgs } from './arguments.ts';
import { QueryPlan } from './query-plan.ts';

const ExecutionEntry = builder.objectRef<ExecutionLine>('ExecutionEntry').implement({
  description: 'One execution in the log of an endpoint or a project.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'The execution id, as runs return it.' }),
    endpointId: t.exposeID('endpointId', {
      nullable: true,
      description: 'Id of the endpoint; null for a deleted endpoint and for unsaved queries.',
    }),
    endpoint: t.exposeString('endpoint', {
      description: 'Name of the endpoint; empty for unsaved queries.',
    }),
    timestamp: t.expose('startTime', { type: 'DateTime', description: 'When it started.' }),
    level: t.string({ description: 'INFO, or ERROR when it failed.', resolve: levelOf }),
    message: t.exposeString('message', { description: 'What happened, as key=value tokens.' }),
    status: t.exposeString('status', { description: 'running, completed or failed.' }),
    version: t.exposeInt('version', { description: 'Version that ran.' }),
    interface: t.exposeString('door', { description: 'rest or graphql.' }),
    startedAt: t.expose('startTime', { type: 'DateTime', description: 'The same as timestamp.' }),
    endedAt: t.expose('endTime', {
      type: 'DateTime',
      nullable: true,
      description: 'When it ended; null while it is running.',
    }),
    durationSeconds: t.float({
      nullable: true,
      description: 'Duration in seconds; null while it is running.',
      resolve: ({ startTime, endTime }) =>
        endTime === null ? null : (endTime.getTime() - startTime.getTime()) / 1000,
    }),
    servedFrom: t.exposeString('servedFrom', { description: 'inline or materialized.' }),
    format: t.exposeString('format', {
      description: 'Format of the rows: json, ndjson, csv, arrow or parquet.',
    }),
    rows: t.float({ description: 'Rows of the result.', resolve: (e) => Number(e.resultRows) }),
    bytes: t.float({ description: 'Bytes of the rows.', resolve: (e) => Number(e.resultBytes) }),
    rowsRead: t.float({ description: 'Rows read.', resolve: (e) => Number(e.rowsRead) }),
    bytesRead: t.float({ description: 'Bytes read.', resolve: (e) => Number(e.bytesRead) }),
    processorSeconds: t.float({
      nullable: true,
      description:
        'CPU time in seconds, read from the engine’s log a few seconds after the execution ends; null until then.',
      resolve: ({ processorMicros }) =>
        processorMicros === null ? null : Number(processorMicros) / 1e6,
    }),
    variables: t.field({
      type: 'JSON',
      nullable: true,
      description:
        'Type and length of each variable that the run set, by name; its value only if the project records values and the key has endpoint:write. Null for executions recorded by an older version of the service.',
      resolve: ({ variables }) => variables,
    }),
    inlineReason: t.exposeString('inlineReason', {
      nullable: true,
      description:
        'Why it was not served from a stored table: not_materialized, direct, not_ready, failed, stale, max_age, variables or faster; null if it was.',
    }),
    cacheReason: t.exposeString('cacheReason', {
      nullable: true,
      description:
        'Why it was not served from the cache: absent, expired, bypassed (refresh) or unsaved.',
    }),
    plan: t.field({
      type: QueryPlan,
      nullable: true,
      description:
        'How the engine planned it, without conditions and other places that may hold values. Recorded of executions on source data that took SLOW_EXECUTION_MS or failed there, shortly after they ended; null of others.',
      resolve: ({ plan }) => plan,
    }),
    clientQueryId: t.exposeString('clientQueryId', {
      nullable: true,
      description: 'The id that the caller chose for the run.',
    }),
    errorCode: t.exposeString('errorCode', {
      nullable: true,
      description: 'Error code, from the same catalogue as responses.',
    }),
    errorMessage: t.exposeString('errorMessage', {
      nullable: true,
      description: 'Error message, if it failed.',
    }),
  }),
});

const ExecutionPageType = builder.objectRef<ExecutionPage>('ExecutionPage').implement({
  description: 'A page of a log of executions.',
  fields: (t) => ({
    totalCount: t.exposeInt('totalCount', { description: 'Total number over all pages.' }),
    entries: t.field({
      type: [ExecutionEntry],
      description: 'The executions of this page, in the requested order.',
      resolve: ({ entries }) => [...entries],
    }),
  }),
});

const ExecutionFilter = builder.inputType('ExecutionFilter', {
  description: 'Conditions for a log of executions, all of which must hold.',
  fields: (t) => ({
    instanceId: t.id({ description: 'Only the execution with this id.' }),
    version: t.int({ description: 'Only executions of this version.' }),
    status: t.string({
      description: 'Only executions with this status: running, completed or failed.',
    }),
    interface: t.string({
      description: 'Only executions requested through this interface: rest or graphql.',
    }),
    after: t.field({
      type: 'DateTime',
      description: 'Only executions that started after this time.',
    }),
    before: t.field({
      type: 'DateTime',
      description: 'Only executions that started before this time.',
    }),
    minMs: t.int({ description: 'Only executions that took at least this many milliseconds.' }),
    level: t.string({
      description:
        'Only executions with one of these levels, separated by commas: INFO, ERROR. DEBUG, LOG and WARN are accepted; no execution has them.',
    }),
    search: t.string({ description: 'Only executions whose message contains this text.' }),
  }),
});

builder.queryField('executions', (t) =>
  t.field({
    type: ExecutionPageType,
    nullable: true,
    description:
      'The executions of an endpoint, or of a project. A run served from the cache has no execution.',
    args: {
      ...projectArgs,
      name: t.arg.string({
        description:
          'Name of the endpoint, matched exactly; default: all endpoints and unsaved queries.',
      }),
      order: t.arg.string({
        description: 'newest or slowest, whichever come first; default: newest.',
      }),
      filter: t.arg({ type: ExecutionFilter, description: 'Which to return; default: all.' }),
      first: t.arg.int({
        description: `Maximum number of executions to return, 1 to ${maxLogEntries}; default: ${defaultLogEntries}.`,
      }),
      ...offsetArg,
    },
    resolve: async (_root, { filter, ...call }, { deps, principal }) =>
      listExecutions(deps, await principal(), { ...call, filter: filter ?? {} }),
  }),
);
