/** Inputs of endpoints that several operations share. */
import type { SchemaObject } from 'openapi3-ts/oas30';
import { freshnessRange } from '../../model/sync-frequency.ts';
import { type Inputs, input } from '../../openapi/inputs.ts';
import { orNull, schemaRef } from '../../openapi/json-schema.ts';
import { flag, text } from '../../openapi/schemas/members.ts';
import { nameSchema } from '../../openapi/schemas/parameters.ts';
import { maxQueryBytes } from '../../query/query-definition.ts';
import { cacheAgeSchema } from './endpoint-fields.ts';
import { storedRowsSchema, syncFrequencySchema } from './materialization-fields.ts';

const versionSchema = { type: 'integer', minimum: 1 } as const;

export const versionInputs = {
  version: input(
    { ...versionSchema, description: 'Number of a version; default: the current version.' },
    { kind: 'version' },
  ),
} as const satisfies Inputs;

const querySchema: SchemaObject = {
  anyOf: [
    { type: 'string', minLength: 1, maxLength: maxQueryBytes, title: 'The text of a SQLQuery' },
    schemaRef('Query'),
  ],
  description: 'One SELECT as a string, or {kind, query, variables}.',
};

/** Existing clients send these as null. */
const unused = { kind: 'empty', schema: null } as const;

/** The inputs of an update; create redefines those that differ in meaning. */
export const endpointInputs = {
  name: input({
    ...nameSchema,
    description: 'Accepted only if it is the current name: endpoints cannot be renamed.',
  }),
  graphql_name: input({
    type: 'string',
    nullable: true,
    minLength: 1,
    maxLength: 128,
    description:
      'Name of its field in the data graph: a lowercase letter, then up to 127 letters, digits or underscores. Default for a new endpoint: its name in camelCase, with _2, _3 and so on if that is taken. In an update, null changes nothing.',
  }),
  description: input(
    orNull(text('Description. In an update null changes nothing and "" clears it.')),
  ),
  query: input(querySchema),
  cache_age_seconds: input(cacheAgeSchema),
  derived_from_insight: input({
    type: 'string',
    nullable: true,
    maxLength: 128,
    description: 'Short id of the insight it is derived from. Updates do not change it.',
  }),
  is_active: input(
    flag('Whether runs are allowed. With a target version: whether runs of that version are.'),
  ),
  is_materialized: input(flag('Whether materialization is enabled.')),
  sync_frequency: input(syncFrequencySchema),
  data_freshness_seconds: input({
    type: 'integer',
    nullable: true,
    minimum: freshnessRange.min,
    maximum: freshnessRange.max,
    description:
      'Maximum age of the stored table in seconds, as an alternative to sync_frequency: selects the longest cadence that does not exceed it. If both are given they must agree.',
  }),
  tags: input({
    type: 'array',
    nullable: true,
    maxItems: 20,
    items: { type: 'string', minLength: 1, maxLength: 255 },
    description: 'Labels that replace the existing ones; null changes nothing.',
  }),
  bucket_overrides: unused,
  optional_breakdown_properties: unused,
  max_stored_rows: input(storedRowsSchema),
  version: input(
    { ...versionSchema, description: 'The version whose settings to change.' },
    { kind: 'version' },
  ),
  dry_run: input({
    type: 'boolean',
    default: false,
    description:
      'Whether to validate the request without writing anything. The response is 200 with the object that would result.',
  }),
} as const satisfies Inputs;
