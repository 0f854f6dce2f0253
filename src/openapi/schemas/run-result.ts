/** Members of run results that all endpoints share. */
import type { SchemaObject } from 'openapi3-ts/oas30';
import { outageCodes } from '../../runs/freshness.ts';
import type { InlineReason } from '../../runs/run-plan.ts';
import { anyValue, objectOf, orNull, type Properties, schemaRef } from '../json-schema.ts';
import { flag, instant, integer, text } from './members.ts';

/** Covers all reasons, so that a missing new one does not compile. */
const inlineReasons = {
  direct: true,
  not_ready: true,
  failed: true,
  stale: true,
  max_age: true,
  variables: true,
  integers: true,
  faster: true,
} as const satisfies Record<InlineReason, true>;

export const queryProgressSchema: SchemaObject = {
  ...objectOf({
    active_cpu_time: {
      type: 'number',
      description: 'CPU time in seconds; 0 if unknown, which it is in the response of a run.',
    },
    bytes_read: { type: 'number', description: 'Bytes read.' },
    estimated_rows_total: {
      type: 'number',
      description: 'Estimated number of rows to read; 0 if unknown.',
    },
    rows_read: { type: 'number', description: 'Rows read.' },
    time_elapsed: { type: 'number', description: 'Seconds since the query started.' },
  }),
  description: 'Progress of one query at the engine.',
};

const debugMembers: Properties = {
  cache_key: text('With debug: key of the result in the cache.'),
  query: text('With debug: the SQL sent to the engine.'),
  timings: {
    type: 'array',
    items: objectOf({ name: { type: 'string' }, seconds: { type: 'number' } }),
    description: 'With debug: duration of each stage of the run.',
  },
  query_progress: schemaRef('QueryProgress'),
  served_from: {
    type: 'string',
    enum: ['cache', 'inline', 'materialized'],
    description:
      'How the run was served. Present for a materialized version, with debug, or when the run requests a freshness.',
  },
  inline_reason: {
    type: 'string',
    nullable: true,
    enum: [...Object.keys(inlineReasons), null],
    description: 'Why a materialized version was not served from its stored table; null if it was.',
  },
  is_stale: {
    type: 'boolean',
    description: 'Whether the rows are stale. Present when the run requests a freshness.',
  },
  stale_reason: {
    type: 'string',
    nullable: true,
    enum: ['revalidating', ...outageCodes, null],
    description:
      'Why stale rows were returned: a background run refreshes them, or the error that prevented a refresh.',
  },
  freshness: {
    ...objectOf({
      max_age_seconds: { type: 'integer', nullable: true },
      stale_while_revalidate_seconds: { type: 'integer' },
      stale_if_error_seconds: { type: 'integer' },
      age_seconds: { type: 'integer' },
      stale_for_seconds: { type: 'integer' },
    }),
    description: 'With debug: the requested freshness, and how old the rows are.',
  },
};

const facts: Properties = {
  hasMore: flag('Whether there are rows beyond the limit.'),
  limit: integer('The applied limit.'),
  offset: { type: 'integer', format: 'int64', description: 'The applied offset.' },
  next_cursor: orNull(
    text(
      'Cursor of the next page; null on the last page and for a run with neither order_by nor cursor.',
    ),
  ),
  is_cached: flag('Whether the result came from the cache.'),
  last_refresh: instant('When the rows were computed; from a stored table, when its sync started.'),
  cache_target_age: instant('When the rows become stale.'),
  next_allowed_client_refresh: instant(
    'When a run with the default refresh recomputes the result.',
  ),
  timezone: text('Time zone of times that do not state one: always UTC.'),
  name: text('Name of the endpoint.'),
  endpoint_version: integer('Number of the version that ran.'),
  endpoint_version_created_at: instant('When that version was created.'),
  endpoint_materialized: flag('Whether the rows come from the stored table.'),
  endpoint_materialized_at: orNull(instant('When the sync of that table started.')),
  execution_id: text('Id of the execution that computed the rows, and of its query status.'),
  query_status: {
    type: 'object',
    nullable: true,
    additionalProperties: true,
    description: 'Always null: a run returns when it is complete.',
  },
};

/** Rows of unknown columns, in the default form first. */
const anyRows: SchemaObject = {
  anyOf: [
    {
      type: 'array',
      items: { type: 'array', items: anyValue },
      description: 'With rows=arrays, the default: each row is an array of values in column order.',
    },
    {
      type: 'array',
      items: { type: 'object', additionalProperties: true },
      description: 'With rows=objects: each row is an object keyed by column name.',
    },
  ],
  description: 'The rows.',
};

/** The response of a run whose columns are unknown. */
export function anyRunResultSchema(): SchemaObject {
  return runResultSchema(anyRows, {
    type: 'array',
    items: { type: 'string' },
    description: 'Names of the columns.',
  });
}

/** The response of a run, built around the given schemas of its rows and of its columns' names. */
export function runResultSchema(results: SchemaObject, columns: SchemaObject): SchemaObject {
  const always: Properties = {
    results,
    columns,
    types: {
      type: 'array',
      items: { type: 'array', minItems: 2, maxItems: 2, items: { type: 'string' } },
      description: 'Pairs of a column name and its ClickHouse type.',
    },
    ...facts,
  };
  return {
    ...objectOf({ ...always, ...debugMembers }, Object.keys(always)),
    description: 'The result of one run.',
  };
}
