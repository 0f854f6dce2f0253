/** Inputs of runs that all endpoints share. */
import type { ParameterObject, SchemaObject } from 'openapi3-ts/oas30';
import { resultFormats, rowForms } from '../../model/result-format.ts';
import { filterOperators } from '../../query/filters/parse-filters.ts';
import { integerFormats, refreshModes } from '../../runs/run-request.ts';
import { type Input, type Inputs, input } from '../inputs.ts';
import { objectOf, schemaRef } from '../json-schema.ts';
import { count, text } from './members.ts';

const filterValue: SchemaObject = {
  anyOf: [
    { type: 'string' },
    { type: 'number' },
    { type: 'boolean' },
    {
      type: 'array',
      items: { anyOf: [{ type: 'string' }, { type: 'number' }, { type: 'boolean' }] },
    },
  ],
  description:
    'What a variable of the column’s type accepts; an array for any of several. Absent for is_set and is_not_set.',
};

export const propertyFilterSchema: SchemaObject = {
  ...objectOf(
    {
      key: text('Column name.'),
      operator: { type: 'string', enum: [...filterOperators], description: 'Default: exact.' },
      value: filterValue,
      type: text('Accepted for compatibility; ignored.'),
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
        description: 'Start: a date, a time in ISO 8601, or a relative date such as -7d.',
      },
      date_to: { type: 'string', nullable: true, description: 'End, in the same formats.' },
      properties: {
        type: 'array',
        maxItems: 50,
        items: schemaRef('PropertyFilter'),
        description: 'Conditions, all of which must hold.',
      },
    },
    [],
  ),
  description: 'Values for {filters} in the query; refused if the query contains no {filters}.',
  additionalProperties: false,
};

/** Inputs that the body and the query string share. */
export const runInputs = {
  version: input(
    { type: 'integer', minimum: 1, description: 'Version to run; default: the current version.' },
    { kind: 'version' },
  ),
  limit: input(
    {
      type: 'integer',
      minimum: 1,
      description: "Maximum number of rows, within the query's own LIMIT and the server's maximum.",
    },
    { kind: 'count', component: 'limit_of_run' },
  ),
  offset: input(
    {
      type: 'integer',
      format: 'int64',
      minimum: 0,
      default: 0,
      description: 'Number of rows to skip.',
    },
    { kind: 'count', component: 'offset_of_run' },
  ),
  refresh: input({
    type: 'string',
    enum: [...refreshModes],
    default: 'cache',
    description:
      'cache: return a cached result that is still fresh, otherwise compute one. force: bypass the result cache. direct: bypass both the result cache and the stored table; only for a materialized version.',
  }),
  max_age_seconds: input(
    count(
      'Maximum age of the rows in seconds. Can shorten the cache age of the version but not extend it. Same as Cache-Control: max-age.',
    ),
  ),
  stale_while_revalidate_seconds: input(
    count(
      'Seconds beyond the maximum age for which a stale result may be returned immediately while a background run refreshes it. Same as Cache-Control: stale-while-revalidate.',
    ),
  ),
  stale_if_error_seconds: input(
    count(
      'Seconds beyond the maximum age for which a stale result may be returned while the engine is unavailable. Same as Cache-Control: stale-if-error.',
    ),
  ),
  debug: input({
    type: 'boolean',
    default: false,
    description: 'Whether to include the executed SQL, timings and how the run was served.',
  }),
  client_query_id: input({
    type: 'string',
    minLength: 1,
    maxLength: 255,
    description: 'An id of your choice by which the run can be found or cancelled.',
  }),
  integers: input({
    type: 'string',
    enum: [...integerFormats],
    default: 'number',
    description:
      'Encoding of 64-bit integers: JSON numbers with every digit, or strings for clients whose numbers are doubles. With string, every Int64, UInt64 and interval in results is a string of digits.',
  }),
  format: input({
    type: 'string',
    enum: [...resultFormats],
    description:
      'Format of the rows; overrides Accept. In formats other than json the body contains only the rows, all of them unless a limit is given, and the other members are in headers.',
  }),
  rows: input({
    type: 'string',
    enum: [...rowForms],
    description:
      'Representation of rows in json (default: arrays) and ndjson (default: objects): arrays in column order, or objects keyed by column name. objects requires distinct column names.',
  }),
  columns: input({
    type: 'array',
    items: { type: 'string' },
    minItems: 1,
    description:
      'Names of the columns to return, in this order. In a query string: separated by commas, or a JSON array.',
  }),
  order_by: input({
    type: 'array',
    items: { type: 'string' },
    minItems: 1,
    description:
      'Names of result columns by which to sort the rows; a leading - means descending. In a query string: separated by commas, or a JSON array.',
  }),
  cursor: input({
    type: 'string',
    description:
      'Start of the page: next_cursor of the previous page, or an empty string for the first page. Cannot be combined with offset.',
  }),
} as const satisfies Inputs;

/** Inputs of a run with live results. */
export const streamInputs = {
  interval_seconds: input({
    type: 'integer',
    minimum: 1,
    maximum: 86_400,
    description:
      'For event streams: seconds after which the result is recomputed even if no change is known. Default: when it is no longer fresh in the cache. The server sets a minimum.',
  }),
  changes: input({
    type: 'boolean',
    default: false,
    description:
      'For event streams: whether to send only added, removed and changed rows after the first result, instead of all rows. Requires key.',
  }),
  key: input({
    type: 'array',
    items: { type: 'string' },
    minItems: 1,
    description:
      'With changes: names of the columns that identify a row uniquely. In a query string: separated by commas, or a JSON array.',
  }),
} as const satisfies Inputs;

export const filtersInput: Input = { kind: 'object', schema: schemaRef('DashboardFilter') };

/** Headers of an event stream, by component name. */
export const streamHeaders = {
  last_event_id: {
    name: 'Last-Event-ID',
    in: 'header',
    description:
      'For event streams: the id of the last received event. Nothing is sent until the result differs from it.',
    schema: { type: 'string' },
  },
} as const satisfies Record<string, ParameterObject>;

/** Headers of a run, by component name. */
export const runHeaders = {
  if_none_match: {
    name: 'If-None-Match',
    in: 'header',
    description: 'ETag of an earlier response; if the content is unchanged, the response is 304.',
    schema: { type: 'string' },
  },
  cache_control: {
    name: 'Cache-Control',
    in: 'header',
    description:
      'max-age, stale-while-revalidate and stale-if-error in seconds, with the meaning of the parameters of these names; no-cache means refresh=force. Parameters take precedence.',
    schema: { type: 'string' },
  },
} as const satisfies Record<string, ParameterObject>;
