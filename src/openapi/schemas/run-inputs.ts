/** The inputs of runs that all endpoints share. */
import type { ParameterObject, SchemaObject } from 'openapi3-ts/oas30';
import { resultFormats, rowForms } from '../../model/result-format.ts';
import type { FilterOperator } from '../../query/filters.ts';
import { integerFormats, refreshModes } from '../../runs/run-request.ts';
import { type Input, type Inputs, input } from '../inputs.ts';
import { objectOf, schemaRef } from '../json-schema.ts';
import { count, text } from './members.ts';

/** Total over the operators, so that a new one that is missing here does not compile. */
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
      key: text('Name of a column.'),
      operator: { type: 'string', enum: Object.keys(operators), description: 'exact when absent.' },
      value: filterValue,
      type: text('Accepted and not used.'),
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

/** Inputs that the body and the query string share. */
export const runInputs = {
  version: input(
    { type: 'integer', minimum: 1, description: 'Version to run; the latest when absent.' },
    { kind: 'version' },
  ),
  limit: input(
    {
      type: 'integer',
      minimum: 1,
      description:
        "Rows to return at most, on top of the query's own LIMIT and the server's maximum.",
    },
    { kind: 'count', component: 'limit_of_run' },
  ),
  offset: input(
    { type: 'integer', format: 'int64', minimum: 0, default: 0, description: 'Rows to skip.' },
    { kind: 'count', component: 'offset_of_run' },
  ),
  refresh: input({
    type: 'string',
    enum: [...refreshModes],
    default: 'cache',
    description:
      'cache: a result no older than the cache age, else compute. force: never the result cache. direct: the original query on source data; only for a materialized version.',
  }),
  max_age_seconds: input(
    count(
      'How old the rows may be at most, in seconds; never older than the version allows. As Cache-Control: max-age.',
    ),
  ),
  stale_while_revalidate_seconds: input(
    count(
      'For so many seconds past that an answer may come at once, while a run in the background computes anew. As Cache-Control: stale-while-revalidate.',
    ),
  ),
  stale_if_error_seconds: input(
    count(
      'For so many seconds past that an answer may come when the engine is out. As Cache-Control: stale-if-error.',
    ),
  ),
  debug: input({
    type: 'boolean',
    default: false,
    description: 'Whether to tell the query sent, timings and the path served.',
  }),
  client_query_id: input({
    type: 'string',
    minLength: 1,
    maxLength: 255,
    description: 'An id of your own, to look the run up or cancel it.',
  }),
  integers: input({
    type: 'string',
    enum: [...integerFormats],
    default: 'number',
    description:
      'How integers of 64 bits are written: as JSON numbers in full, or as strings for readers whose numbers are doubles. With string, every integer of format int64 in results is a string of digits.',
  }),
  format: input({
    type: 'string',
    enum: [...resultFormats],
    description:
      'The form of the rows, in place of the one that Accept asks for. In a form other than json the rows are the whole body, all of them when no limit is named, and what json has around them is in headers.',
  }),
  rows: input({
    type: 'string',
    enum: [...rowForms],
    description:
      'How a row is written in json, arrays when absent, and in ndjson, objects when absent: as an array in the order of the columns, or as an object by their names. Objects need columns of different names.',
  }),
  columns: input({
    type: 'array',
    items: { type: 'string' },
    minItems: 1,
    description:
      'Names of the columns to return, in this order. In a query string separated by commas, or a JSON array.',
  }),
  order_by: input({
    type: 'array',
    items: { type: 'string' },
    minItems: 1,
    description:
      'Names of result columns that the rows are sorted by, with - in front for descending. In a query string separated by commas, or a JSON array.',
  }),
  cursor: input({
    type: 'string',
    description:
      'Where the page begins: next_cursor of the page before; empty for the first page. Not together with offset.',
  }),
} as const satisfies Inputs;

export const filtersInput: Input = { kind: 'object', schema: schemaRef('DashboardFilter') };

/** Headers of a run by the name of their component. */
export const runHeaders = {
  if_none_match: {
    name: 'If-None-Match',
    in: 'header',
    description: 'An ETag that was received before; the same content is answered 304.',
    schema: { type: 'string' },
  },
  cache_control: {
    name: 'Cache-Control',
    in: 'header',
    description:
      'max-age, stale-while-revalidate and stale-if-error in seconds, as the parameters of these names; no-cache as refresh=force. The parameters win.',
    schema: { type: 'string' },
  },
} as const satisfies Record<string, ParameterObject>;
