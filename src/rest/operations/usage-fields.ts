/** Inputs and results shared by both usage operations. */
import type { SchemaObject } from 'openapi3-ts/oas30';
import { usageInterfaces, usagePaths } from '../../model/usage.ts';
import { type Inputs, input } from '../../openapi/inputs.ts';
import { objectOf, orNull, type Properties, schemaRef } from '../../openapi/json-schema.ts';
import { amount, count, instant, integer, text, uuid } from '../../openapi/schemas/members.ts';
import { groupNames } from '../../usage/parse-usage.ts';
import { stepOptions } from '../../usage/plan-usage.ts';
import type { RouteCall } from '../route.ts';
import { selectionOf } from './selection.ts';
import { timeInput, toTime } from './time-input.ts';

const figures: Properties = {
  runs: count('Number of runs, failed ones included.'),
  errors: count('Number of failed runs.'),
  errors_by_code: {
    type: 'array',
    items: objectOf({ code: text('Error code.'), runs: count('How many ended with it.') }),
    description: 'Failed runs by error code, most frequent first.',
  },
  rows: count('Rows in the results of these runs.'),
  bytes: count('Size of these rows in bytes.'),
  executions: count('Queries that the engine ran, background refreshes included.'),
  rows_read: count('Rows that the engine read.'),
  bytes_read: count('Bytes that the engine read.'),
  engine_seconds: amount('Total duration of the executions in seconds, as measured by the engine.'),
  processor_seconds: orNull(
    amount('CPU time of the measured_executions in seconds; null if there are none.'),
  ),
  measured_executions: count(
    'Executions whose CPU time is known. It is read from the engine’s log some seconds after they end.',
  ),
  mean_ms: orNull(amount('Mean duration of the runs in milliseconds; null without runs.')),
  p50_ms: orNull(
    amount('Median duration of the runs in milliseconds, accurate to 5 %; null without runs.'),
  ),
  p95_ms: orNull(
    amount(
      '95th percentile of the duration of the runs in milliseconds, accurate to 5 %; null without runs.',
    ),
  ),
  p99_ms: orNull(
    amount(
      '99th percentile of the duration of the runs in milliseconds, accurate to 5 %; null without runs.',
    ),
  ),
  recomputed: count('Executions that replaced an expired cached result of the same run.'),
  unchanged: count('Recomputed executions that returned the same rows as before.'),
};

export const usageKeySchema: SchemaObject = {
  ...objectOf({
    id: uuid('Id of the key.'),
    label: orNull(text('Label of the key.')),
    prefix: orNull(text('The first characters of the key.')),
  }),
  nullable: true,
  description: 'The key; null if the results are not grouped by key.',
};

const ofGroup = (what: string) => `${what}; null if the results are not grouped by it.`;

const point: Properties = {
  at: orNull(instant('Start of the step; null with the step all.')),
  endpoint: orNull(text(ofGroup('Name of the endpoint, empty for unsaved queries'))),
  endpoint_id: orNull(uuid('Id of the endpoint; null for unsaved queries.')),
  version: orNull(integer(ofGroup('Number of the version, 0 for unsaved queries'))),
  key: usageKeySchema,
  interface: orNull(text(ofGroup('rest, graphql or live'))),
  path: orNull(
    text(
      ofGroup(
        'How the runs were served: cache, inline or materialized, or none if they were refused',
      ),
    ),
  ),
  outcome: orNull(text(ofGroup('ok, or an error code'))),
  ...figures,
};

const report: Properties = {
  from: instant('The start of the first step.'),
  to: instant('The end of the last step.'),
  step: text('Length of the steps: minute, hour, day or all.'),
  counted_by: text(
    'Resolution of the recorded counts that were added up: minute, hour or day. from and to are widened to it.',
  ),
  group_by: {
    type: 'array',
    items: { type: 'string' },
    description: 'What the results are grouped by.',
  },
  total: schemaRef('UsageFigures'),
  results: {
    type: 'array',
    items: schemaRef('UsagePoint'),
    description:
      'Sorted by time, then by number of runs in descending order. Steps and groups without runs are absent.',
  },
};

export const usageSchemas: Readonly<Record<string, SchemaObject>> = {
  UsageFigures: {
    ...objectOf(figures),
    description: 'Counts, durations and resource use of runs.',
  },
  UsagePoint: {
    ...objectOf(point),
    description: 'Usage of the runs in one time step and one group.',
  },
  Usage: { ...objectOf(report), description: 'Counts, durations and resource use of runs.' },
};

export const usageSelection = selectionOf(report, { components: usageSchemas });

const own = (name: string) => ({ component: `usage_${name}` });

export const usageInputs = {
  from: timeInput(
    'Start of the period; default: one day before the end, or with the step minute one hour, with day 30 days.',
  ),
  to: timeInput('End of the period; default: now.'),
  step: input({
    type: 'string',
    enum: [...stepOptions],
    default: 'hour',
    description: 'Length of the steps; all for a single step over the whole period.',
  }),
  group_by: input({
    type: 'array',
    items: { type: 'string', enum: [...groupNames] },
    description: 'What the results are grouped by.',
  }),
  version: {
    ...input(integer('Only runs of this version.')),
    kind: 'version',
    ...own('version'),
  },
  key: input(text('Only runs with the key of this id.'), own('key')),
  interface: input(
    {
      type: 'string',
      enum: [...usageInterfaces],
      description: 'Only runs requested through this interface.',
    },
    own('interface'),
  ),
  path: input({
    type: 'string',
    enum: [...usagePaths],
    description: 'Only runs served from this path; none: runs that were refused.',
  }),
  outcome: input(text('Only runs with this outcome: ok, or an error code.')),
} as const satisfies Inputs;

/** Variables of the GraphQL documents. */
export function usageVariables({ params, input: given }: RouteCall): Record<string, unknown> {
  const { from, to, step, groupBy, ...filter } = given;
  const times = { from: toTime(from, 'from'), to: toTime(to, 'to') };
  return { ...params, ...times, step, groupBy, filter };
}
