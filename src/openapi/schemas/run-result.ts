/** The members of run results that all endpoints share. */
import type { SchemaObject } from 'openapi3-ts/oas30';
import { outageCodes } from '../../runs/freshness.ts';
import type { InlineReason } from '../../runs/run-plan.ts';
import { objectOf, orNull, type Properties, schemaRef } from '../json-schema.ts';
import { flag, instant, integer, text } from './members.ts';

/** Total over the reasons, so that a new one that is missing here does not compile. */
const inlineReasons = {
  direct: true,
  not_ready: true,
  failed: true,
  stale: true,
  max_age: true,
  variables: true,
} as const satisfies Record<InlineReason, true>;

export const queryProgressSchema: SchemaObject = {
  ...objectOf({
    active_cpu_time: { type: 'number', description: 'Seconds of processor time; 0 when unknown.' },
    bytes_read: { type: 'number', description: 'Bytes read.' },
    estimated_rows_total: { type: 'number', description: 'Rows to read in all; 0 when unknown.' },
    rows_read: { type: 'number', description: 'Rows read.' },
    time_elapsed: { type: 'number', description: 'Seconds since the query began.' },
  }),
  description: 'What the engine did for one query.',
};

const debugMembers: Properties = {
  cache_key: text('With debug: names the result in the cache.'),
  query: text('With debug: the SQL that was sent.'),
  timings: {
    type: 'array',
    items: objectOf({ name: { type: 'string' }, seconds: { type: 'number' } }),
    description: 'With debug: where the time went.',
  },
  query_progress: schemaRef('QueryProgress'),
  served_from: {
    type: 'string',
    enum: ['cache', 'inline', 'materialized'],
    description:
      'Which path answered. Of a materialized version, with debug, or when the run states freshness.',
  },
  inline_reason: {
    type: 'string',
    nullable: true,
    enum: [...Object.keys(inlineReasons), null],
    description: 'Why a materialized version was answered inline; null when it was not.',
  },
  is_stale: {
    type: 'boolean',
    description: 'Whether the rows are past being fresh. When the run states freshness.',
  },
  stale_reason: {
    type: 'string',
    nullable: true,
    enum: ['revalidating', ...outageCodes, null],
    description: 'Why they are: one run computes anew, or the failure that they stand in for.',
  },
  freshness: {
    ...objectOf({
      max_age_seconds: { type: 'integer', nullable: true },
      stale_while_revalidate_seconds: { type: 'integer' },
      stale_if_error_seconds: { type: 'integer' },
      age_seconds: { type: 'integer' },
      stale_for_seconds: { type: 'integer' },
    }),
    description: 'With debug: what the run stated about freshness, and how the rows stand to it.',
  },
};

const facts: Properties = {
  hasMore: flag('Whether rows exist past the limit.'),
  limit: integer('The limit that was applied.'),
  offset: { type: 'integer', format: 'int64', description: 'The offset that was applied.' },
  next_cursor: orNull(
    text(
      'cursor of the next page; null on the last one, and for a run that states neither order_by nor cursor.',
    ),
  ),
  is_cached: flag('Whether a kept result answered.'),
  last_refresh: instant(
    'As of when the rows are: when they were computed, or when the sync of the stored table began.',
  ),
  cache_target_age: instant('Until when they count as fresh.'),
  next_allowed_client_refresh: instant('When a run with refresh cache computes anew.'),
  timezone: text('The time zone of dates without one: UTC.'),
  name: text('Name of the endpoint.'),
  endpoint_version: integer('Version that ran.'),
  endpoint_version_created_at: instant('When that version was made.'),
  endpoint_materialized: flag('Whether the stored table answered.'),
  endpoint_materialized_at: orNull(instant('When that table was computed.')),
  execution_id: text('The execution that computed the rows; id of its query status.'),
  query_status: {
    type: 'object',
    nullable: true,
    additionalProperties: true,
    description: 'Null: a run is answered when it is complete.',
  },
};

/** The response of a run, around the given schemas of its rows and of its columns' names. */
export function runResultSchema(results: SchemaObject, columns: SchemaObject): SchemaObject {
  const always: Properties = {
    results,
    columns,
    types: {
      type: 'array',
      items: { type: 'array', minItems: 2, maxItems: 2, items: { type: 'string' } },
      description: 'Pairs of column name and ClickHouse type.',
    },
    ...facts,
  };
  return {
    ...objectOf({ ...always, ...debugMembers }, Object.keys(always)),
    description: 'The answer of one run.',
  };
}
