/** The inputs of endpoints that several operations take. */
import type { SchemaObject } from 'openapi3-ts/oas30';
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
    { ...versionSchema, description: 'Number of a version; the latest when absent.' },
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

/** The inputs of an update; create redefines those with another meaning. */
export const endpointInputs = {
  name: input({
    ...nameSchema,
    description: 'Tolerated when it is the present name: there is no rename.',
  }),
  description: input(
    orNull(text('What the endpoint answers. In an update null changes nothing and "" clears.')),
  ),
  query: input(querySchema),
  cache_age_seconds: input(cacheAgeSchema),
  derived_from_insight: input({
    type: 'string',
    nullable: true,
    maxLength: 128,
    description: 'Short id of the insight that it comes from. An update leaves it as it is.',
  }),
  is_active: input(
    flag('Whether it may run. With a target version: whether that version may run.'),
  ),
  is_materialized: input(flag('Turns materialization on or off.')),
  sync_frequency: input(syncFrequencySchema),
  max_stored_rows: input(storedRowsSchema),
  version: input(
    { ...versionSchema, description: 'The version whose settings change.' },
    { kind: 'version' },
  ),
  dry_run: input({
    type: 'boolean',
    default: false,
    description:
      'Whether to check everything and write nothing. Answered 200 with what would result.',
  }),
} as const satisfies Inputs;
