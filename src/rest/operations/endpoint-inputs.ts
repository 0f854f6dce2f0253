/** The inputs of endpoints that several operations take. */
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

/** Existing clients send these with null. */
const unused = { kind: 'empty', schema: null } as const;

/** The inputs of an update; create redefines those with another meaning. */
export const endpointInputs = {
  name: input({
    ...nameSchema,
    description: 'Accepted only if it is the current name: endpoints cannot be renamed.',
  }),
  graphql_name: input({
    type: 'string',
    nullable: true,
    minLength: 1,
    maxLength: 140,
    description:
      'Name of its field in the data graph: a small letter, then up to 127 letters, digits or underscores. Absent or null: when it is created its name in camelCase, with _2, _3 when that is taken; later no change.',
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
    description: 'Short id of the insight it is derived from. An update never changes it.',
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
      'The cadence in another spelling: the longest one that is not older. It must agree with sync_frequency.',
  }),
  tags: input({
    type: 'array',
    nullable: true,
    maxItems: 20,
    items: { type: 'string', minLength: 1, maxLength: 255 },
    description: 'Labels of the endpoint, in place of those that it has.',
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
      'Whether to check everything and write nothing. Answered 200 with what would result.',
  }),
} as const satisfies Inputs;
