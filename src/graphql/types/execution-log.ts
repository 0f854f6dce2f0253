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

const ExecutionEntry = builder.objectRef<ExecutionLine>('ExecutionEntry').implement({
  description: 'One execution in the log of an endpoint or a project.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'The execution id, as runs return it.' }),
    endpointId: t.exposeID('endpointId', {
      nullable: true,
      description:
        'Id of the endpoint; null for one that is gone, and for queries that are not saved.',
    }),
    endpoint: t.exposeString('endpoint', {
      description: 'Name of the endpoint; empty for queries that are not saved.',
    }),
    timestamp: t.expose('startTime', { type: 'DateTime', description: 'When it began.' }),
    level: t.string({ description: 'INFO, or ERROR when it failed.', resolve: levelOf }),
    message: t.exposeString('message', { description: 'What happened, as key=value tokens.' }),
    status: t.exposeString('status', { description: 'running, completed or failed.' }),
    version: t.exposeInt('version', { description: 'Version that ran.' }),
    interface: t.exposeString('door', { description: 'rest or graphql.' }),
    startedAt: t.expose('startTime', { type: 'DateTime', description: 'The same as timestamp.' }),
    endedAt: t.expose('endTime', {
      type: 'DateTime',
      nullable: true,
      description: 'When it ended; null while it runs.',
    }),
    durationSeconds: t.float({
      nullable: true,
      description: 'How long it took; null while it runs.',
      resolve: ({ startTime, endTime }) =>
        endTime === null ? null : (endTime.getTime() - startTime.getTime()) / 1000,
    }),
    servedFrom: t.exposeString('servedFrom', { description: 'inline or materialized.' }),
    format: t.exposeString('format', { description: 'The form of the rows.' }),
    rows: t.float({ description: 'Rows of the result.', resolve: (e) => Number(e.resultRows) }),
    bytes: t.float({ description: 'Bytes of the rows.', resolve: (e) => Number(e.resultBytes) }),
    rowsRead: t.float({ description: 'Rows read.', resolve: (e) => Number(e.rowsRead) }),
    bytesRead: t.float({ description: 'Bytes read.', resolve: (e) => Number(e.bytesRead) }),
    processorSeconds: t.float({
      nullable: true,
      description:
        'Seconds of the engine’s processors, some seconds after it ended; null while it is not known.',
      resolve: ({ processorMicros }) =>
        processorMicros === null ? null : Number(processorMicros) / 1e6,
    }),
    variables: t.field({
      type: 'JSON',
      nullable: true,
      description:
        'By name, the type and length of what the run gave for its variables; the value only if the project records them and the key has endpoint:write. Null for executions that an older version recorded.',
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
    clientQueryId: t.exposeString('clientQueryId', {
      nullable: true,
      description: "The caller's own id of the run.",
    }),
    errorCode: t.exposeString('errorCode', {
      nullable: true,
      description: 'Code of the error, from the one catalogue.',
    }),
    errorMessage: t.exposeString('errorMessage', {
      nullable: true,
      description: 'The error in a sentence.',
    }),
  }),
});

const ExecutionPageType = builder.objectRef<ExecutionPage>('ExecutionPage').implement({
  description: 'A page of a log of executions.',
  fields: (t) => ({
    totalCount: t.exposeInt('totalCount', { description: 'How many there are in all.' }),
    entries: t.field({
      type: [ExecutionEntry],
      description: 'In the order that was asked for.',
      resolve: ({ entries }) => [...entries],
    }),
  }),
});

const ExecutionFilter = builder.inputType('ExecutionFilter', {
  description: 'Which executions a log holds; all conditions must be met.',
  fields: (t) => ({
    instanceId: t.id({ description: 'Only the execution of this id.' }),
    version: t.int({ description: 'Only those of this version.' }),
    status: t.string({ description: 'Only the running, completed or failed ones.' }),
    interface: t.string({ description: 'Only those through this interface: rest or graphql.' }),
    after: t.field({ type: 'DateTime', description: 'Only those that began after it.' }),
    before: t.field({ type: 'DateTime', description: 'Only those that began before it.' }),
    minMs: t.int({ description: 'Only those that took so many milliseconds or more.' }),
    level: t.string({ description: 'Only these levels, separated by commas: INFO, ERROR.' }),
    search: t.string({ description: 'Only those whose message holds this text.' }),
  }),
});

builder.queryField('executions', (t) =>
  t.field({
    type: ExecutionPageType,
    nullable: true,
    description:
      'The executions of an endpoint, or of a project. A run that is answered from the cache makes none.',
    args: {
      ...projectArgs,
      name: t.arg.string({
        description:
          'Name of the endpoint, matched exactly; all endpoints and unsaved queries when absent.',
      }),
      order: t.arg.string({ description: 'newest first, when absent, or slowest first.' }),
      filter: t.arg({ type: ExecutionFilter, description: 'Which of them; all when absent.' }),
      first: t.arg.int({
        description: `How many to return at most: 1 to ${maxLogEntries}, ${defaultLogEntries} when absent.`,
      }),
      ...offsetArg,
    },
    resolve: async (_root, { filter, ...call }, { deps, principal }) =>
      listExecutions(deps, await principal(), { ...call, filter: filter ?? {} }),
  }),
);
