import type { EngineStats } from '../../engine/query-engine.ts';
import { lastExecutionTimes } from '../../runs/last-execution-times.ts';
import { cancelQuery, getQueryStatus } from '../../runs/query-status.ts';
import { isUnsaved } from '../../runs/unsaved-query.ts';
import { builder } from '../builder.ts';
import { executionArgs, projectArgs } from './arguments.ts';

export const QueryProgress = builder.objectRef<EngineStats>('QueryProgress').implement({
  description: 'What the engine has done for one query.',
  fields: (t) => ({
    activeCpuTime: t.float({
      description: 'Seconds of processor time; 0 when the engine does not say.',
      resolve: () => 0,
    }),
    bytesRead: t.exposeFloat('bytesRead', { description: 'Bytes read.' }),
    estimatedRowsTotal: t.exposeFloat('rowsTotal', {
      description: 'Rows that it expects to read in all; 0 when it does not say.',
    }),
    rowsRead: t.exposeFloat('rowsRead', { description: 'Rows read.' }),
    timeElapsed: t.exposeFloat('timeElapsed', { description: 'Seconds since the query began.' }),
  }),
});

export const QueryStatus = builder.prismaObject('QueryStatus', {
  description: 'How one execution stands: one query that the engine was asked to run.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'The execution id, as runs return it.' }),
    teamId: t.exposeInt('projectId', { description: 'Id of the project.' }),
    endpointName: t.string({
      nullable: true,
      description: 'Name of the endpoint at the time; null for a query that is not saved.',
      resolve: (s) => (isUnsaved({ name: s.endpointName }) ? null : s.endpointName),
    }),
    endpointVersion: t.int({
      nullable: true,
      description: 'Version that ran; null for a query that is not saved.',
      resolve: (s) => (isUnsaved({ name: s.endpointName }) ? null : s.version),
    }),
    clientQueryId: t.exposeString('clientQueryId', {
      nullable: true,
      description: "The caller's own id of the run.",
    }),
    complete: t.boolean({
      description: 'Whether the execution has ended, well or not.',
      resolve: (s) => s.endTime !== null,
    }),
    error: t.boolean({
      description: 'Whether it ended with an error.',
      resolve: (s) => s.errorCode !== null,
    }),
    errorCode: t.exposeString('errorCode', {
      nullable: true,
      description: 'Code of the error, from the one catalogue.',
    }),
    errorMessage: t.exposeString('errorMessage', {
      nullable: true,
      description: 'The error in a sentence.',
    }),
    startTime: t.expose('startTime', {
      type: 'DateTime',
      description: 'When the execution began.',
    }),
    pickupTime: t.expose('startTime', {
      type: 'DateTime',
      description: 'When the engine was asked; the same instant.',
    }),
    endTime: t.expose('endTime', {
      type: 'DateTime',
      nullable: true,
      description: 'When it ended; null while it runs.',
    }),
    expirationTime: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'When this record is deleted.',
      resolve: (s, _args, { deps }) =>
        new Date(s.startTime.getTime() + deps.config.retentionDays * 86_400_000),
    }),
    queryAsync: t.boolean({
      description: 'Whether the run was answered before it ended. It never is here.',
      resolve: () => false,
    }),
    taskId: t.exposeString('id', { description: 'The same as id.' }),
    dashboardId: t.int({ nullable: true, description: 'Always null.', resolve: () => null }),
    insightId: t.int({ nullable: true, description: 'Always null.', resolve: () => null }),
    labels: t.stringList({ nullable: true, description: 'Always null.', resolve: () => null }),
    results: t.field({
      type: 'JSON',
      nullable: true,
      description: 'Always null: results are in the run.',
      resolve: () => null,
    }),
    resultRows: t.float({
      description: 'Rows of the result.',
      resolve: (s) => Number(s.resultRows),
    }),
    resultBytes: t.float({
      description: 'Bytes of the rows as JSON.',
      resolve: (s) => Number(s.resultBytes),
    }),
    servedFrom: t.exposeString('servedFrom', { description: 'inline or materialized.' }),
    format: t.exposeString('format', {
      description: 'The form of the rows: json, ndjson, csv, arrow or parquet.',
    }),
    queryProgress: t.field({
      type: QueryProgress,
      description: 'Progress while it runs, the totals after it ended.',
      resolve: (s) => ({
        rowsRead: Number(s.rowsRead),
        bytesRead: Number(s.bytesRead),
        rowsTotal: Number(s.rowsTotal),
        timeElapsed: s.timeElapsed,
        memoryBytes: 0,
      }),
    }),
  }),
});

const ExecutionTime = builder
  .objectRef<{ readonly name: string; readonly executedAt: Date }>('ExecutionTime')
  .implement({
    description: 'When an endpoint ran last.',
    fields: (t) => ({
      name: t.exposeString('name', { description: 'Name of the endpoint.' }),
      executedAt: t.expose('executedAt', {
        type: 'DateTime',
        description: 'Its newest run, whatever the key or the interface.',
      }),
    }),
  });

builder.queryFields((t) => ({
  queryStatus: t.field({
    type: QueryStatus,
    nullable: true,
    description:
      'How an execution stands, also while it waits for its turn; with live progress while it runs.',
    args: executionArgs,
    resolve: async (_root, args, { deps, principal }) =>
      getQueryStatus(deps, await principal(), args),
  }),
  lastExecutionTimes: t.field({
    type: [ExecutionTime],
    nullable: true,
    description:
      'When each named endpoint ran last within 6 months; unknown and never-run ones are absent.',
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
      "Stops an execution that runs or waits for its turn. A key may stop its own; another's takes endpoint:write.",
    args: executionArgs,
    resolve: async (_root, args, { deps, principal }) => cancelQuery(deps, await principal(), args),
  }),
}));
