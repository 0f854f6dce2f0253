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
    "Rows that the stored table of a materialization may have; null: the server's default.",
};

export const materializationMembers: Properties = {
  status: {
    type: 'string',
    enum: ['Running', 'Completed', 'Failed', 'Modified', 'Cancelled'],
    description:
      'Modified: the settings changed and were not yet synced. Failed: a fault that may pass while can_materialize is true; otherwise refused, with the reason.',
  },
  can_materialize: flag('Whether the query of this version can be materialized.'),
  reason: orNull(text('Why it cannot be materialized, and where in the query; null when it can.')),
  last_materialized_at: orNull(instant('When the stored table was last computed.')),
  error: orNull(text('Why the newest sync failed.')),
  sync_frequency: syncFrequencySchema,
  max_stored_rows: count('Rows that the stored table may have.'),
  next_sync_at: orNull(instant('When the next sync is due.')),
  rows: orNull(count('Rows of the stored table.')),
  bytes: orNull(count('Bytes of the stored table.')),
  ready: flag('Whether a run may be answered from the stored table at this moment.'),
};

/**
 * While it is off, the body has only its eligibility and the reason. Changes the GraphQL result in place: it is not
 * shared, a copy costs more than serializing it, and JSON leaves out undefined members.
 */
export function toMaterialization(value: unknown): object {
  const body = value as Record<string, unknown>;
  if (body.enabled !== true) return { can_materialize: body.can_materialize, reason: body.reason };
  body.enabled = undefined;
  return body;
}
