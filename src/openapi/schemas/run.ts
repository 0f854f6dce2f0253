/** What runs take and answer, as far as it is the same for every endpoint. */
import type { ParameterObject, SchemaObject } from 'openapi3-ts/oas30';
import { resultFormats } from '../../model/result-format.ts';
import type { FilterOperator } from '../../query/filters.ts';
import { outageCodes } from '../../runs/freshness.ts';
import type { InlineReason } from '../../runs/run-plan.ts';
import { integerFormats, refreshModes } from '../../runs/run-request.ts';
import { objectOf, schemaRef } from '../json-schema.ts';

/** Total over the operators, so that a new one without its name here does not compile. */
const operators = {
  exact: true,
  is_not: true,
  icontains: true,
  not_icontains: true,
  regex: true,
  not_regex: true,
  gt: true,
  gte: true,
  lt: true,
  lte: true,
  is_set: true,
  is_not_set: true,
} as const satisfies Record<FilterOperator, true>;

const inlineReasons = {
  direct: true,
  not_ready: true,
  failed: true,
  stale: true,
  max_age: true,
  variables: true,
} as const satisfies Record<InlineReason, true>;

const filterValue: SchemaObject = {
  anyOf: [
    { type: 'string' },
    { type: 'number' },
    { type: 'boolean' },
    { type: 'array', items: { type: 'string' } },
  ],
  description: 'What the column is compared with; nothing for is_set and is_not_set.',
};

export const propertyFilterSchema: SchemaObject = {
  ...objectOf(
    {
      key: { type: 'string', description: 'Name of a column.' },
      operator: { type: 'string', enum: Object.keys(operators), description: 'exact when absent.' },
      value: filterValue,
      type: { type: 'string', description: 'Accepted and not used.' },
    },
    ['key'],
  ),
  description: 'One condition on a column.',
  additionalProperties: false,
};

export const filtersSchema: SchemaObject = {
  ...objectOf(
    {
      date_from: {
        type: 'string',
        nullable: true,
        description: 'First moment: a date, a time in ISO 8601, or a relative date as -7d.',
      },
      date_to: { type: 'string', nullable: true, description: 'Last moment, written likewise.' },
      properties: {
        type: 'array',
        maxItems: 50,
        items: schemaRef('PropertyFilter'),
        description: 'Conditions, all of which must hold.',
      },
    },
    [],
  ),
  description: 'What fills {filters} in the query. A query without {filters} refuses it.',
  additionalProperties: false,
};

/** Inputs that the body and the query string share, by wire name. */
export const runInputs = {
  version: { type: 'integer', minimum: 1, description: 'Version to run; the latest when absent.' },
  limit: {
    type: 'integer',
    minimum: 1,
    description:
      "Rows to return at most, on top of the query's own LIMIT and the server's maximum.",
  },
  offset: {
    type: 'integer',
    format: 'int64',
    minimum: 0,
    default: 0,
    description: 'Rows to skip.',
  },
  refresh: {
    type: 'string',
    enum: [...refreshModes],
    default: 'cache',
    description:
      'cache: a result no older than the cache age, else compute. force: never the result cache. direct: the original query on source data; only for a materialized version.',
  },
  max_age_seconds: {
    type: 'integer',
    minimum: 0,
    description:
      'How old the rows may be at most, in seconds; never older than the version allows. As Cache-Control: max-age.',
  },
  stale_while_revalidate_seconds: {
    type: 'integer',
    minimum: 0,
    description:
      'For so many seconds past that an answer may come at once, while a run in the background computes anew. As Cache-Control: stale-while-revalidate.',
  },
  stale_if_error_seconds: {
    type: 'integer',
    minimum: 0,
    description:
      'For so many seconds past that an answer may come when the engine is out. As Cache-Control: stale-if-error.',
  },
  debug: {
    type: 'boolean',
    default: false,
    description: 'Whether to tell the query sent, timings and the path served.',
  },
  client_query_id: {
    type: 'string',
    minLength: 1,
    maxLength: 255,
    description: 'An id of your own, to look the run up or cancel it.',
  },
  integers: {
    type: 'string',
    enum: [...integerFormats],
    default: 'number',
    description:
      'How integers of 64 bits are written: as JSON numbers in full, or as strings for readers whose numbers are doubles. With string, every integer of format int64 in results is a string of digits.',
  },
  format: {
    type: 'string',
    enum: [...resultFormats],
    description:
      'The form of the rows, in place of the one that Accept asks for. In a form other than json the rows are the whole body, all of them when no limit is named, and what json has around them is in headers.',
  },
} as const satisfies Record<string, SchemaObject>;

/** The members of a POST body except the variables. */
export const runBodyMembers: NonNullable<SchemaObject['properties']> = {
  ...runInputs,
  filters_override: schemaRef('Filters'),
};

/** `If-None-Match` and the shared inputs as parameters of GET. */
export const runParameters: readonly ParameterObject[] = [
  ...Object.entries(runInputs).map(([name, { description, ...schema }]): ParameterObject => {
    return { name, in: 'query', description, schema };
  }),
  {
    name: 'If-None-Match',
    in: 'header',
    description: 'An ETag that was received before; the same content is answered 304.',
    schema: { type: 'string' },
  },
  {
    name: 'Cache-Control',
    in: 'header',
    description:
      'max-age, stale-while-revalidate and stale-if-error in seconds, as the parameters of these names; no-cache as refresh=force. The parameters win.',
    schema: { type: 'string' },
  },
];

/** `Cache-Control` of a POST run. */
export const postParameters: readonly ParameterObject[] = runParameters.filter(
  (parameter) => parameter.name === 'Cache-Control',
);

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

const instant = (description: string): SchemaObject => ({
  type: 'string',
  format: 'date-time',
  description,
});

const debugMembers: NonNullable<SchemaObject['properties']> = {
  cache_key: { type: 'string', description: 'With debug: names the result in the cache.' },
  query: { type: 'string', description: 'With debug: the SQL that was sent.' },
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

const facts: NonNullable<SchemaObject['properties']> = {
  hasMore: { type: 'boolean', description: 'Whether rows exist past the limit.' },
  limit: { type: 'integer', description: 'The limit that was applied.' },
  offset: { type: 'integer', format: 'int64', description: 'The offset that was applied.' },
  is_cached: { type: 'boolean', description: 'Whether a kept result answered.' },
  last_refresh: instant(
    'As of when the rows are: when they were computed, or when the sync of the stored table began.',
  ),
  cache_target_age: instant('Until when they count as fresh.'),
  next_allowed_client_refresh: instant('When a run with refresh cache computes anew.'),
  timezone: { type: 'string', description: 'The time zone of dates without one: UTC.' },
  name: { type: 'string', description: 'Name of the endpoint.' },
  endpoint_version: { type: 'integer', description: 'Version that ran.' },
  endpoint_version_created_at: instant('When that version was made.'),
  endpoint_materialized: { type: 'boolean', description: 'Whether the stored table answered.' },
  endpoint_materialized_at: {
    ...instant('When that table was computed.'),
    nullable: true,
  },
  execution_id: {
    type: 'string',
    description: 'The execution that computed the rows; id of its query status.',
  },
  query_status: {
    type: 'object',
    nullable: true,
    additionalProperties: true,
    description: 'Null: a run is answered when it is complete.',
  },
};

/** The answer of a run around the given shapes of its rows and of its columns' names. */
export function runResultSchema(results: SchemaObject, columns: SchemaObject): SchemaObject {
  const always: NonNullable<SchemaObject['properties']> = {
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
