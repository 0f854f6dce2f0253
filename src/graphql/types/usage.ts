import { groupNames, maxEndpointIds } from '../../usage/parse-usage.ts';
import { askedSteps } from '../../usage/plan-usage.ts';
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
  description: 'Runs that failed in the same way.',
  fields: (t) => ({
    code: t.exposeString('code', { description: 'Code of the error, from the one catalogue.' }),
    runs: t.exposeFloat('runs', { description: 'How many runs ended with it.' }),
  }),
});

const Figures = builder.interfaceRef<UsageFigures>('UsageFigures').implement({
  description: 'What runs took.',
  fields: (t) => ({
    runs: t.exposeFloat('runs', { description: 'Runs, failed ones included.' }),
    errors: t.exposeFloat('errors', { description: 'Runs that failed.' }),
    errorsByCode: t.field({
      type: [UsageError],
      description: 'Runs that failed by the code of their error, most first.',
      resolve: ({ errorsByCode }) => [...errorsByCode],
    }),
    rows: t.exposeFloat('rows', { description: 'Rows of their results.' }),
    bytes: t.exposeFloat('bytes', { description: 'Bytes of these rows.' }),
    executions: t.exposeFloat('executions', {
      description: 'Queries at the engine, those of refreshes in the background included.',
    }),
    rowsRead: t.exposeFloat('rowsRead', { description: 'Rows read at the engine.' }),
    bytesRead: t.exposeFloat('bytesRead', { description: 'Bytes read at the engine.' }),
    engineSeconds: t.exposeFloat('engineSeconds', {
      description: 'Seconds that the executions took, as the engine measured them.',
    }),
    processorSeconds: t.exposeFloat('processorSeconds', {
      nullable: true,
      description:
        'Seconds of the engine’s processors that measuredExecutions took; null when it is known of none.',
    }),
    measuredExecutions: t.exposeFloat('measuredExecutions', {
      description: 'Executions whose processor time the engine’s log has told, which comes later.',
    }),
    meanMs: t.exposeFloat('meanMs', {
      nullable: true,
      description: 'Mean duration of the runs in milliseconds; null without runs.',
    }),
    p50Ms: t.exposeFloat('p50Ms', {
      nullable: true,
      description: 'Median duration of the runs in milliseconds, within 5 %.',
    }),
    p95Ms: t.exposeFloat('p95Ms', {
      nullable: true,
      description: 'Duration that 95 of 100 runs do not exceed, within 5 %.',
    }),
    p99Ms: t.exposeFloat('p99Ms', {
      nullable: true,
      description: 'Duration that 99 of 100 runs do not exceed, within 5 %.',
    }),
    recomputed: t.exposeFloat('recomputed', {
      description: 'Executions that replaced an expired result of the same run.',
    }),
    unchanged: t.exposeFloat('unchanged', {
      description: 'Those of them that had the same rows as before.',
    }),
  }),
});

const UsageTotal = builder.objectRef<UsageFigures>('UsageTotal').implement({
  description: 'What all of the runs took.',
  interfaces: [Figures],
});

export const UsageKeyType = builder.objectRef<UsageKey>('UsageKey').implement({
  description: 'A key that made runs.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Its id.' }),
    label: t.exposeString('label', { nullable: true, description: 'Its label.' }),
    prefix: t.exposeString('prefix', {
      nullable: true,
      description: 'Its first characters, enough to recognise it.',
    }),
  }),
});

const UsagePointType = builder.objectRef<UsagePoint>('UsagePoint').implement({
  description:
    'What the runs of one step of time and one group took. Members by which is not grouped are null.',
  interfaces: [Figures],
  fields: (t) => ({
    at: t.expose('at', {
      type: 'DateTime',
      nullable: true,
      description: 'When the step began; null for the whole time.',
    }),
    endpoint: t.exposeString('endpoint', {
      nullable: true,
      description: 'Name of the endpoint; empty for queries that are not saved.',
    }),
    endpointId: t.exposeID('endpointId', {
      nullable: true,
      description: 'Id of the endpoint; null for queries that are not saved.',
    }),
    version: t.exposeInt('version', {
      nullable: true,
      description: 'Number of the version; 0 for queries that are not saved.',
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
      description: 'What served them: cache, inline or materialized; none when they were refused.',
    }),
    outcome: t.exposeString('outcome', {
      nullable: true,
      description: 'ok, or the code of the error.',
    }),
  }),
});

const Usage = builder.objectRef<UsageReport>('Usage').implement({
  description: 'What runs took, by time and by what was asked for.',
  fields: (t) => ({
    from: t.expose('from', { type: 'DateTime', description: 'The start of the first step.' }),
    to: t.expose('to', { type: 'DateTime', description: 'The end of the last step.' }),
    step: t.exposeString('step', { description: 'minute, hour, day or all.' }),
    countedBy: t.exposeString('countedBy', {
      description: 'The step of the counts that were summed up, to which from and to are widened.',
    }),
    groupBy: t.stringList({
      description: 'By what it is grouped.',
      resolve: ({ groupBy }) => [...groupBy],
    }),
    total: t.field({
      type: UsageTotal,
      description: 'All of it together.',
      resolve: ({ total }) => total,
    }),
    results: t.field({
      type: [UsagePointType],
      description: 'By time, then by runs, most first. Steps and groups without runs are absent.',
      resolve: ({ results }) => [...results],
    }),
  }),
});

const UsageFilter = builder.inputType('UsageFilter', {
  description: 'Which runs usage is of; all conditions must be met.',
  fields: (t) => ({
    endpoint: t.string({ description: 'Only those of endpoints of this name, deleted ones too.' }),
    endpointIds: t.idList({
      description: `Only those of the endpoints of these ids, 1 to ${maxEndpointIds}.`,
    }),
    version: t.int({ description: 'Only those of this version.' }),
    key: t.id({ description: 'Only those by the key of this id.' }),
    interface: t.string({ description: 'Only those through rest, graphql or live.' }),
    path: t.string({ description: 'Only those served by cache, inline, materialized or none.' }),
    outcome: t.string({ description: 'Only those that were ok, or ended with this error code.' }),
  }),
});

const usageArgs = builder.args((t) => ({
  from: t.field({
    type: 'DateTime',
    description:
      'From when on; a day before the end when absent, an hour by minute, 30 days by day.',
  }),
  to: t.field({ type: 'DateTime', description: 'Until when; now when absent.' }),
  step: t.string({ description: `One of ${askedSteps.join(', ')}; hour when absent.` }),
  groupBy: t.stringList({ description: `Any of ${groupNames.join(', ')}.` }),
  filter: t.field({ type: UsageFilter, description: 'Of which runs; all when absent.' }),
}));

builder.queryFields((t) => ({
  usage: t.field({
    type: Usage,
    nullable: true,
    description:
      'What the runs of a project took. By key, other than the own one, it needs the scope endpoint:write.',
    args: { ...projectArgs, ...usageArgs },
    resolve: async (_root, call, { deps, principal }) => readUsage(deps, await principal(), call),
  }),
  endpointUsage: t.field({
    type: Usage,
    nullable: true,
    description: 'What the runs of one endpoint took, under the same rules as usage.',
    args: { ...endpointArgs, ...usageArgs },
    resolve: async (_root, call, { deps, principal }) =>
      readEndpointUsage(deps, await principal(), call),
  }),
}));
