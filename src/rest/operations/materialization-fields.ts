/** The materialization of a version, as every operation returns it. */
import type { SchemaObject } from 'openapi3-ts/oas30';
import { syncFrequencySeconds } from '../../model/sync-frequency.ts';
import { orNull, type Properties } from '../../openapi/json-schema.ts';
import { count, flag, instant, text } from '../../openapi/schemas/members.ts';

export const syncFrequencySchema: SchemaObject = {
  type: 'string',
  enum: Object.keys(syncFrequencySeconds),
  description: 'How often a materialization is recomputed.',
};

export const storedRowsSchema: SchemaObject = {
  type: 'integer',
  nullable: true,
  minimum: 1,
  maximum: 2_000_000_000,
  description:
    "Maximum number of rows in the stored table; null: the server's default. A version that needs more is not materialized.",
};

export const materializationMembers: Properties = {
  status: {
    type: 'string',
    enum: ['Running', 'Completed', 'Failed', 'Modified', 'Cancelled'],
    description:
      'State of the materialization. Modified: the settings have changed since the last sync. Failed: the next sync may succeed if can_materialize is true; otherwise the query cannot be materialized for the given reason.',
  },
  can_materialize: flag('Whether the query of this version can be materialized.'),
  reason: orNull(text('Why it cannot be materialized, and where in the query; null if it can.')),
  last_materialized_at: orNull(
    instant('When the sync that built the stored table started; its rows are as of then.'),
  ),
  error: orNull(text('Why the newest sync failed; null if it did not.')),
  sync_frequency: syncFrequencySchema,
  max_stored_rows: count('Maximum number of rows in the stored table.'),
  next_sync_at: orNull(instant('When the next sync is due.')),
  rows: orNull(count('Number of rows in the stored table.')),
  bytes: orNull(count('Size of the stored table on disk in bytes.')),
  ready: flag('Whether runs can currently be served from the stored table.'),
};

/**
 * When it is off, the body contains only its eligibility and the reason. Changes the GraphQL result in place: it is not
 * shared, a copy costs more than serializing it, and JSON omits undefined members.
 */
export function toMaterialization(value: unknown): object {
  const body = value as Record<string, unknown>;
  if (body.enabled !== true) return { can_materialize: body.can_materialize, reason: body.reason };
  body.enabled = undefined;
  return body;
}
