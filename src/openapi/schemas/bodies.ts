/** Request bodies of the service document, and the answers that only it has. */
import type { RequestBodyObject, SchemaObject } from 'openapi3-ts/oas30';
import { defaultSyncFrequency } from '../../model/sync-frequency.ts';
import { maxQueryBytes } from '../../query/query-definition.ts';
import { anyValue, objectOf, orNull, schemaRef } from '../json-schema.ts';
import { cacheAgeSchema, storedRowsSchema, syncFrequencySchema } from './endpoint.ts';
import { nameSchema } from './parameters.ts';
import { runBodyMembers, runResultSchema } from './run.ts';

type Properties = NonNullable<SchemaObject['properties']>;

/** @param example what a page that tries requests out begins with; it works as it is. */
function bodyOf(schema: SchemaObject, isRequired: boolean, example: object): RequestBodyObject {
  return {
    required: isRequired,
    content: {
      'application/json': { schema: { ...schema, additionalProperties: false }, example },
    },
  };
}

const querySchema: SchemaObject = {
  anyOf: [
    { type: 'string', minLength: 1, maxLength: maxQueryBytes, title: 'The text of a SQLQuery' },
    schemaRef('Query'),
  ],
  description: 'One SELECT as a string, or {kind, query, variables}.',
};

const settings: Properties = {
  description: {
    type: 'string',
    nullable: true,
    description: 'What the endpoint answers. In an update null changes nothing and "" clears.',
  },
  cache_age_seconds: cacheAgeSchema,
  derived_from_insight: {
    type: 'string',
    nullable: true,
    maxLength: 128,
    description: 'Short id of the insight that it comes from. An update leaves it as it is.',
  },
};

const createMembers: Properties = {
  name: { ...nameSchema, description: 'A letter, then letters, digits, underscores or hyphens.' },
  query: querySchema,
  ...settings,
  is_active: { type: 'boolean', default: true, description: 'Whether it may run.' },
  is_materialized: {
    type: 'boolean',
    default: false,
    description: 'Whether to keep its result in a table.',
  },
  sync_frequency: { ...syncFrequencySchema, default: defaultSyncFrequency },
  max_stored_rows: storedRowsSchema,
  version: { type: 'integer', enum: [1], description: 'A new endpoint begins at version 1.' },
};

const updateMembers: Properties = {
  name: {
    ...nameSchema,
    description: 'Tolerated when it is the present name: there is no rename.',
  },
  query: querySchema,
  ...settings,
  is_active: {
    type: 'boolean',
    description: 'Whether it may run. With a target version: whether that version may run.',
  },
  is_materialized: { type: 'boolean', description: 'Turns materialization on or off.' },
  sync_frequency: syncFrequencySchema,
  max_stored_rows: storedRowsSchema,
  version: { type: 'integer', minimum: 1, description: 'The version whose settings change.' },
};

const runMembers: Properties = {
  variables: {
    type: 'object',
    additionalProperties: true,
    description: "Values by name of variable; the endpoint's own document types them.",
  },
  ...runBodyMembers,
  query_override: {
    type: 'object',
    nullable: true,
    additionalProperties: true,
    deprecated: true,
    description: 'Not allowed on SQL endpoints; accepted when null. Use variables.',
  },
};

const namesMembers: Properties = {
  names: {
    type: 'array',
    maxItems: 1000,
    items: nameSchema,
    description: 'Names of endpoints.',
  },
};

/** By the name of their component. */
export const requestBodies = {
  CreateEndpoint: bodyOf(objectOf(createMembers, ['name', 'query']), true, {
    name: 'first_numbers',
    query: 'SELECT number FROM numbers(10)',
  }),
  UpdateEndpoint: bodyOf(objectOf(updateMembers, []), true, { description: 'Ten numbers.' }),
  RunEndpoint: bodyOf(objectOf(runMembers, []), false, { limit: 10 }),
  ExecutionTimesOf: bodyOf(objectOf(namesMembers), true, { names: ['first_numbers'] }),
} as const satisfies Record<string, RequestBodyObject>;

const instant = (description: string): SchemaObject => ({
  type: 'string',
  format: 'date-time',
  nullable: true,
  description,
});
const absent = (schema: SchemaObject): SchemaObject => ({
  ...orNull(schema),
  description: 'Null here.',
});

/** The documented members, exactly. */
const queryStatusSchema: SchemaObject = {
  ...objectOf({
    complete: { type: 'boolean', description: 'Whether the execution has ended.' },
    dashboard_id: absent({ type: 'integer' }),
    end_time: instant('When it ended.'),
    error: { type: 'boolean', description: 'Whether it ended with an error.' },
    error_message: orNull({ type: 'string', description: 'The error in a sentence.' }),
    expiration_time: instant('When this record is deleted.'),
    id: { type: 'string', description: 'The execution id; empty for last execution times.' },
    insight_id: absent({ type: 'integer' }),
    labels: absent({ type: 'array', items: { type: 'string' } }),
    pickup_time: instant('When the engine was asked.'),
    query_async: { type: 'boolean', description: 'Kept from existing clients.' },
    query_progress: {
      type: 'object',
      nullable: true,
      allOf: [schemaRef('QueryProgress')],
      description: 'What the engine did; null or zeros for last execution times.',
    },
    results: {
      type: 'array',
      nullable: true,
      items: { type: 'array', minItems: 2, maxItems: 2, items: { type: 'string' } },
      description: 'Pairs of name and time in ISO 8601; null for an empty list of names.',
    },
    start_time: instant('When the execution began.'),
    task_id: orNull({ type: 'string', description: 'The same as id.' }),
    team_id: { type: 'integer', description: 'Id of the project.' },
  }),
  description: 'How an execution stands.',
};

/** By the name of their component. */
export const answerSchemas: Readonly<Record<string, SchemaObject>> = {
  QueryStatus: queryStatusSchema,
  LastExecutionTimes: {
    ...objectOf({ query_status: schemaRef('QueryStatus') }),
    description: 'When endpoints ran last.',
  },
  RunResult: runResultSchema(
    {
      type: 'array',
      items: { type: 'array', items: anyValue },
      description: 'The rows: arrays of values in the order of columns.',
    },
    { type: 'array', items: { type: 'string' }, description: 'Names of the columns.' },
  ),
  OpenApiDocument: {
    type: 'object',
    additionalProperties: true,
    description: 'An OpenAPI 3.0 document.',
  },
};
