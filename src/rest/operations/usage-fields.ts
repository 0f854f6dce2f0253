/** What both operations on usage take and return. */
import type { SchemaObject } from 'openapi3-ts/oas30';
import { usageInterfaces, usagePaths } from '../../model/usage.ts';
import { type Inputs, input } from '../../openapi/inputs.ts';
import { objectOf, orNull, type Properties, schemaRef } from '../../openapi/json-schema.ts';
import { amount, count, instant, integer, text, uuid } from '../../openapi/schemas/members.ts';
import { groupNames } from '../../usage/parse-usage.ts';
import { askedSteps } from '../../usage/plan-usage.ts';
import type { RouteCall } from '../route.ts';
import { selectionOf } from './selection.ts';
import { timeInput, toTime } from './time-input.ts';

const figures: Properties = {
  runs: count('Runs, failed ones included.'),
  errors: count('Runs that failed.'),
  errors_by_code: {
    type: 'array',
    items: objectOf({ code: text('Code of the error.'), runs: count('How many ended with it.') }),
    description: 'Runs that failed by the code of their error, most first.',
  },
  rows: count('Rows of their results.'),
  bytes: count('Bytes of these rows.'),
  executions: count('Queries at the engine, those of refreshes in the background included.'),
  rows_read: count('Rows read at the engine.'),
  bytes_read: count('Bytes read at the engine.'),
  engine_seconds: amount('Seconds that the executions took, as the engine measured them.'),
  processor_seconds: orNull(
    amount(
      'Seconds of the engine’s processors that measured_executions took; null when it is known of none.',
    ),
  ),
  measured_executions: count(
    'Executions whose processor time the engine’s log has told, which comes later.',
  ),
  mean_ms: orNull(amount('Mean duration of the runs in milliseconds; null without runs.')),
  p50_ms: orNull(amount('Median duration of the runs in milliseconds, within 5 %.')),
  p95_ms: orNull(amount('Duration that 95 of 100 runs do not exceed, within 5 %.')),
  p99_ms: orNull(amount('Duration that 99 of 100 runs do not exceed, within 5 %.')),
  recomputed: count('Executions that replaced an expired result of the same run.'),
  unchanged: count('Those of them that had the same rows as before.'),
};

export const usageKeySchema: SchemaObject = {
  ...objectOf({
    id: uuid('Its id.'),
    label: orNull(text('Its label.')),
    prefix: orNull(text('Its first characters, enough to recognise it.')),
  }),
  nullable: true,
  description: 'The key; null when it is not grouped by key.',
};

const ofGroup = (what: string) => `${what}; null when it is not grouped by that.`;

const point: Properties = {
  at: orNull(instant('When the step began; null for the whole time.')),
  endpoint: orNull(text(ofGroup('Name of the endpoint, empty for queries that are not saved'))),
  endpoint_id: orNull(uuid('Id of the endpoint; null for queries that are not saved.')),
  version: orNull(integer(ofGroup('Number of the version, 0 for queries that are not saved'))),
  key: usageKeySchema,
  interface: orNull(text(ofGroup('rest, graphql or live'))),
  path: orNull(
    text(ofGroup('What served them: cache, inline or materialized, or none if they were refused')),
  ),
  outcome: orNull(text(ofGroup('ok, or the code of the error'))),
  ...figures,
};

const report: Properties = {
  from: instant('The start of the first step.'),
  to: instant('The end of the last step.'),
  step: text('minute, hour, day or all.'),
  counted_by: text('The step of the counts that were summed up, to which from and to are widened.'),
  group_by: { type: 'array', items: { type: 'string' }, description: 'By what it is grouped.' },
  total: schemaRef('UsageFigures'),
  results: {
    type: 'array',
    items: schemaRef('UsagePoint'),
    description: 'By time, then by runs, most first. Steps and groups without runs are absent.',
  },
};

export const usageSchemas: Readonly<Record<string, SchemaObject>> = {
  UsageFigures: { ...objectOf(figures), description: 'What runs took.' },
  UsagePoint: {
    ...objectOf(point),
    description: 'What the runs of one step of time and one group took.',
  },
  Usage: { ...objectOf(report), description: 'What runs took.' },
};

export const usageSelection = selectionOf(report, { components: usageSchemas });

const own = (name: string) => ({ component: `usage_${name}` });

export const usageInputs = {
  from: timeInput(
    'From when on; a day before the end when absent, an hour by minute, 30 days by day.',
  ),
  to: timeInput('Until when; now when absent.'),
  step: input({
    type: 'string',
    enum: [...askedSteps],
    default: 'hour',
    description: 'How much time each line is of; all for the whole of it.',
  }),
  group_by: input({
    type: 'array',
    items: { type: 'string', enum: [...groupNames] },
    description: 'By what it is grouped.',
  }),
  version: {
    ...input(integer('Only runs of this version.')),
    kind: 'version',
    ...own('version'),
  },
  key: input(text('Only runs by the key of this id.'), own('key')),
  interface: input(
    {
      type: 'string',
      enum: [...usageInterfaces],
      description: 'Only runs through this interface.',
    },
    own('interface'),
  ),
  path: input({
    type: 'string',
    enum: [...usagePaths],
    description: 'Only runs that this served.',
  }),
  outcome: input(text('Only runs that were ok, or ended with this error code.')),
} as const satisfies Inputs;

/** The variables of the GraphQL documents. */
export function usageVariables({ params, input: given }: RouteCall): Record<string, unknown> {
  const { from, to, step, groupBy, ...filter } = given;
  const times = { from: toTime(from, 'from'), to: toTime(to, 'to') };
  return { ...params, ...times, step, groupBy, filter };
}
