/** The inputs that rows take, by wire name. */
import { resultFormats } from '../model/result-format.ts';
import { syncFrequencySeconds } from '../model/sync-frequency.ts';
import { integerFormats, refreshModes } from '../runs/run-request.ts';
import type { WireSpec } from './wire-input.ts';

export const pageSpec = { limit: 'integer', offset: 'integer' } as const;
export const versionSpec = { version: 'version' } as const;

export const endpointSpec = {
  name: 'string',
  description: 'string',
  query: 'json',
  cache_age_seconds: 'integer',
  derived_from_insight: 'string',
  is_active: 'boolean',
  is_materialized: 'boolean',
  sync_frequency: Object.keys(syncFrequencySeconds),
  max_stored_rows: 'integer',
  version: 'version',
} as const satisfies WireSpec;

export const runQuerySpec = {
  version: 'version',
  limit: 'count',
  offset: 'count',
  refresh: refreshModes,
  max_age_seconds: 'integer',
  stale_while_revalidate_seconds: 'integer',
  stale_if_error_seconds: 'integer',
  debug: 'boolean',
  client_query_id: 'string',
  integers: integerFormats,
  format: resultFormats,
} as const satisfies WireSpec;

export const runBodySpec = {
  ...runQuerySpec,
  variables: 'object',
  filters_override: 'object',
  query_override: 'object',
} as const satisfies WireSpec;
