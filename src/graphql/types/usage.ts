import { groupNames, maxEndpointIds } from '../../usage/parse-usage.ts';
import { stepOptions } from '../../usage/plan-usage.ts';
import {
  readEndpointUsage,
  readUsage,
  type UsageKey,
  type UsagePoint,
  type UsageReport,
} from '../../usage/read-usage.ts';
import type { ErrorCount, UsageFigures } from '../../usage/usage-figures.ts';
import { builder } from '../builder.ts';
import { endpointArgs, projectArgs } from './arguments.ts';

const UsageError = builder.objectRef<ErrorCount>('UsageError').implement({
  description: 'Runs that failed with the same error code.',
  fields: (t) => ({
    code: t.exposeString('code', {
      description: 'Error code, from the same catalogue as responses.',
    }),
    runs: t.exposeFloat('runs', { description: 'Number of runs that failed with it.' }),
  }),
});

const Figures = builder.interfaceRef<UsageFigures>('UsageFigures').implement({
  description: 'Counts, durations and resource use of runs.',
  fields: (t) => ({
    runs: t.exposeFloat('runs', { description: 'Number of runs, failed ones included.' }),
    errors: t.exposeFloat('errors', { description: 'Number of failed runs.' }),
    errorsByCode: t.field({
      type: [UsageError],
      description: 'Failed runs by error code, most frequent first.',
      resolve: ({ errorsByCode }) => [...errorsByCode],
    }),
    rows: t.exposeFloat('rows', { description: 'Rows in the results of these runs.' }),
    bytes: t.exposeFloat('bytes', { description: 'Size of these rows in bytes.' }),
    executions: t.exposeFloat('executions', {
      description: 'Queries that the engine ran, background refreshes included.',
    }),
    rowsRead: t.exposeFloat('rowsRead', { description: 'Rows that the engine read.' }),
    bytesRead: t.exposeFloat('bytesRead', { description: 'Bytes that the engine read.' }),
    engineSeconds: t.exposeFloat('engineSeconds', {
      description: 'Total duration of the executions in seconds, as measured by the engine.',
    }),
    processorSeconds: t.exposeFloat('processorSeconds', {
      nullable: true,
      description: 'CPU time of the measuredExecutions in seconds; null if there are none.',
    }),
    measuredExecutions: t.exposeFloat('measuredExecutions', {
      description:
        'Executions whose CPU time is known. It is read from the engine’s log some seconds after they end.',
    }),
    meanMs: t.exposeFloat('meanMs', {
      nullable: true,
      description: 'Mean duration of the runs in milliseconds; null without runs.',
    }),
    p50Ms: t.exposeFloat('p50Ms', {
      nullable: true,
      description:
        'Median duration of the runs in milliseconds, accurate to 5 %; null without runs.',
    }),
    p95Ms: t.exposeFloat('p95Ms', {
      nullable: true,
      description:
        '95th percentile of the duration of the runs in milliseconds, accurate to 5 %; null without runs.',
    }),
    p99Ms: t.exposeFloat('p99Ms', {
      nullable: true,
      description:
        '99th percentile of the duration of the runs in milliseconds, accurate to 5 %; null without runs.',
    }),
    recomputed: t.exposeFloat('recomputed', {
      description: 'Executions that replaced an expired cached result of the same run.',
    }),
    unchanged: t.exposeFloat('unchanged', {
      description: 'Recomputed executions that returned the same rows as before.',
    }),
  }),
});

const UsageTotal = builder.objectRef<UsageFigures>('UsageTotal').implement({
  description: 'Usage of all runs together.',
  interfaces: [Figures],
});

export const UsageKeyType = builder.objectRef<UsageKey>('UsageKey').implement({
  description: 'An API key with which endpoints were run.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Its id.' }),
    label: t.exposeString('label', { nullable: true, description: 'Its label.' }),
    prefix: t.exposeString('prefix', {
      nullable: true,
      description: 'The first characters of the key.',
    }),
  }),
});

const UsagePointType = builder.objectRef<UsagePoint>('UsagePoint').implement({
  description:
    'Usage of the runs in one time step and one group. Members that the results are not grouped by are null.',
  interfaces: [Figures],
  fields: (t) => ({
    at: t.expose('at', {
      type: 'DateTime',
      nullable: true,
      description: 'Start of the step; null with the step all.',
    }),
    endpoint: t.exposeString('endpoint', {
      nullable: true,
      description: 'Name of the endpoint; empty for unsaved queries.',
    }),
    endpointId: t.exposeID('endpointId', {
      nullable: true,
      description: 'Id of the endpoint; null for unsaved queries.',
    }),
    version: t.exposeInt('version', {
      nullable: true,
      description: 'Number of the version; 0 for unsaved queries.',
    }),
    key: t.field({
      type: UsageKeyType,
      nullable: true,
      description: 'The key.',
      resolve: ({ key }) => key,
    }),
    interface: t.exposeString('interface', {
      nullable: true,
      description: 'rest, graphql or live.',
    }),
    path: t.exposeString('path', {
      nullable: true,
      description:
        'How the runs were served: cache, inline or materialized, or none if they were refused.',
    }),
    outcome: t.exposeString('outcome', {
      nullable: true,
      description: 'ok, or an error code.',
    }),
  }),
});

const Usage = builder.objectRef<UsageReport>('Usage').implement({
  description: 'Usage of runs, by time and by the requested groups.',
  fields: (t) => ({
    from: t.expose('from', { type: 'DateTime', description: 'The start of the first step.' }),
    to: t.expose('to', { type: 'DateTime', description: 'The end of the last step.' }),
    step: t.exposeString('step', { description: 'Length of the steps: minute, hour, day or all.' }),
    countedBy: t.exposeString('countedBy', {
      description:
        'Resolution of the recorded counts that were added up: minute, hour or day. from and to are widened to it.',
    }),
    groupBy: t.stringList({
      description: 'What the results are grouped by.',
      resolve: ({ groupBy }) => [...groupBy],
    }),
    total: t.field({
      type: UsageTotal,
      description: 'Sums over all results.',
      resolve: ({ total }) => total,
    }),
    results: t.field({
      type: [UsagePointType],
      description:
        'Sorted by time, then by number of runs in descending order. Steps and groups without runs are absent.',
      resolve: ({ results }) => [...results],
    }),
  }),
});

const UsageFilter = builder.inputType('UsageFilter', {
  description: 'Conditions for the runs that are counted, all of which must hold.',
  fields: (t) => ({
    endpoint: t.string({
      description: 'Only runs of endpoints with this name, deleted ones included.',
    }),
    endpointIds: t.idList({
      description: `Only those of the endpoints of these ids, 1 to ${maxEndpointIds}.`,
    }),
    version: t.int({ description: 'Only executions of this version.' }),
    key: t.id({ description: 'Only runs with the key of this id.' }),
    interface: t.string({ description: 'Only runs requested through rest, graphql or live.' }),
    path: t.string({
      description:
        'Only runs served from this path: cache, inline or materialized, or none if they were refused.',
    }),
    outcome: t.string({ description: 'Only runs with this outcome: ok, or an error code.' }),
  }),
});

const usageArgs = builder.args((t) => ({
  from: t.field({
    type: 'DateTime',
    description:
      'Start of the period; default: one day before the end, or with the step minute one hour, with day 30 days.',
  }),
  to: t.field({ type: 'DateTime', description: 'End of the period; default: now.' }),
  step: t.string({
    description: `Length of the steps: ${stepOptions.join(', ')}; all is a single step. Default: hour.`,
  }),
  groupBy: t.stringList({ description: `What to group by: any of ${groupNames.join(', ')}.` }),
  filter: t.field({ type: UsageFilter, description: 'Which runs to count; default: all.' }),
}));

builder.queryFields((t) => ({
  usage: t.field({
    type: Usage,
    nullable: true,
    description:
      'Usage of a project. Grouping by key, or filtering by a key other than that of the request, needs the scope endpoint:write.',
    args: { ...projectArgs, ...usageArgs },
    resolve: async (_root, call, { deps, principal }) => readUsage(deps, await principal(), call),
  }),
  endpointUsage: t.field({
    type: Usage,
    nullable: true,
    description: 'Usage of one endpoint, under the same rules as usage.',
    args: { ...endpointArgs, ...usageArgs },
    resolve: async (_root, call, { deps, principal }) =>
      readEndpointUsage(deps, await principal(), call),
  }),
}));
