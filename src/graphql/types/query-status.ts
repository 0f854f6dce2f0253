import type { EngineStats } from '../../engine/engine-stats.ts';
import { lastExecutionTimes } from '../../runs/last-execution-times.ts';
import { cancelQuery, getQueryStatus } from '../../runs/query-status.ts';
import { getRequestProgress } from '../../runs/request-progress.ts';
import { isUnsaved } from '../../runs/unsaved-query.ts';
import { builder } from '../builder.ts';
import { executionArgs, projectArgs } from './arguments.ts';

interface QueryWork extends EngineStats {
  /** Absent when unknown, for example while the query is running. */
  readonly processorSeconds?: number;
}

export const QueryProgress = builder.objectRef<QueryWork>('QueryProgress').implement({
  description: 'Progress of one query at the engine.',
  fields: (t) => ({
    activeCpuTime: t.float({
      description:
        'CPU time in seconds; 0 while unknown, until a few seconds after the query ends.',
      resolve: ({ processorSeconds = 0 }) => processorSeconds,
    }),
    bytesRead: t.exposeFloat('bytesRead', { description: 'Bytes read.' }),
    estimatedRowsTotal: t.exposeFloat('rowsTotal', {
      description: 'Estimated number of rows to read; 0 if unknown.',
    }),
    rowsRead: t.exposeFloat('rowsRead', { description: 'Rows read.' }),
    timeElapsed: t.exposeFloat('timeElapsed', { description: 'Seconds since the query started.' }),
  }),
});

export const QueryStatus = builder.prismaObject('QueryStatus', {
  description: 'Status of an execution, that is of one query at the engine.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'The execution id, as runs return it.' }),
    teamId: t.exposeInt('projectId', { description: 'Id of the project.' }),
    endpointName: t.string({
      nullable: true,
      description: 'Name of the endpoint at the time of the run; null for an unsaved query.',
      resolve: (s) => (isUnsaved({ name: s.endpointName }) ? null : s.endpointName),
    }),
    endpointVersion: t.int({
      nullable: true,
      description: 'Version that ran; null for an unsaved query.',
      resolve: (s) => (isUnsaved({ name: s.endpointName }) ? null : s.version),
    }),
    clientQueryId: t.exposeString('clientQueryId', {
      nullable: true,
      description: 'The id that the caller chose for the run.',
    }),
    complete: t.boolean({
      description: 'Whether the execution has ended, successfully or not.',
      resolve: (s) => s.endTime !== null,
    }),
    error: t.boolean({
      description: 'Whether it ended with an error.',
      resolve: (s) => s.errorCode !== null,
    }),
    errorCode: t.exposeString('errorCode', {
      nullable: true,
      description: 'Error code, if it failed.',
    }),
    errorMessage: t.exposeString('errorMessage', {
      nullable: true,
      description: 'Error message.',
    }),
    startTime: t.expose('startTime', {
      type: 'DateTime',
      description: 'When the execution started.',
    }),
    pickupTime: t.expose('startTime', {
      type: 'DateTime',
      description: 'When the query was sent to the engine; same as startTime.',
    }),
    endTime: t.expose('endTime', {
      type: 'DateTime',
      nullable: true,
      description: 'When the execution ended; null while it is running.',
    }),
    expirationTime: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'When this record will be deleted.',
      resolve: (s, _args, { deps }) =>
        new Date(s.startTime.getTime() + deps.config.retentionDays * 86_400_000),
    }),
    queryAsync: t.boolean({
      description: 'Always false: runs return when they are complete.',
      resolve: () => false,
    }),
    taskId: t.exposeString('id', { description: 'The same as id.' }),
    dashboardId: t.int({ nullable: true, description: 'Always null.', resolve: () => null }),
    insightId: t.int({ nullable: true, description: 'Always null.', resolve: () => null }),
    labels: t.stringList({ nullable: true, description: 'Always null.', resolve: () => null }),
    results: t.field({
      type: 'JSON',
      nullable: true,
      description: 'Always null: the run returns the results.',
      resolve: () => null,
    }),
    resultRows: t.float({
      description: 'Number of rows in the result.',
      resolve: (s) => Number(s.resultRows),
    }),
    resultBytes: t.float({
      description: 'Size of the rows as JSON in bytes.',
      resolve: (s) => Number(s.resultBytes),
    }),
    servedFrom: t.exposeString('servedFrom', {
      description: 'How the run was served: inline or materialized.',
    }),
    format: t.exposeString('format', {
      description: 'Format of the rows: json, ndjson, csv, arrow or parquet.',
    }),
    queryProgress: t.field({
      type: QueryProgress,
      description: 'Progress while the execution is running, totals afterwards.',
      resolve: (s) => ({
        rowsRead: Number(s.rowsRead),
        bytesRead: Number(s.bytesRead),
        rowsTotal: Number(s.rowsTotal),
        timeElapsed: s.timeElapsed,
        memoryBytes: 0,
        processorSeconds: Number(s.processorMicros ?? 0) / 1e6,
      }),
    }),
  }),
});

const ExecutionTime = builder
  .objectRef<{ readonly name: string; readonly executedAt: Date }>('ExecutionTime')
  .implement({
    description: 'When an endpoint last ran.',
    fields: (t) => ({
      name: t.exposeString('name', { description: 'Name of the endpoint.' }),
      executedAt: t.expose('executedAt', {
        type: 'DateTime',
        description: 'Time of its latest run, with any key and through any interface.',
      }),
    }),
  });

builder.queryFields((t) => ({
  queryStatus: t.field({
    type: QueryStatus,
    nullable: true,
    description:
      'Status of an execution that is waiting, running (with live progress) or finished.',
    args: executionArgs,
    resolve: async (_root, args, { deps, principal }) =>
      getQueryStatus(deps, await principal(), args),
  }),
  requestProgress: t.field({
    type: QueryProgress,
    nullable: true,
    description:
      'What the engine has read for a request in progress, of all queries that it is running for it. Null if there are none.',
    args: {
      ...projectArgs,
      requestId: t.arg.id({
        required: true,
        description: 'The x-request-id that the request was sent with.',
      }),
    },
    resolve: async (_root, args, { deps, principal }) =>
      getRequestProgress(deps, await principal(), args),
  }),
  lastExecutionTimes: t.field({
    type: [ExecutionTime],
    nullable: true,
    description:
      'When each named endpoint last ran within 6 months. Unknown endpoints and those that never ran are absent.',
    args: {
      ...projectArgs,
      names: t.arg.stringList({ required: true, description: 'Names of endpoints, at most 1000.' }),
    },
    resolve: async (_root, args, { deps, principal }) =>
      lastExecutionTimes(deps, await principal(), args),
  }),
}));

builder.mutationFields((t) => ({
  cancelQuery: t.field({
    type: QueryStatus,
    description:
      'Cancels an execution that is running or waiting. A key can cancel its own executions; those of other keys need the scope endpoint:write.',
    args: executionArgs,
    resolve: async (_root, args, { deps, principal }) => cancelQuery(deps, await principal(), args),
  }),
}));
