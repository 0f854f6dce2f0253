import { invalidInput } from '../errors/service-error.ts';
import { parseRowLimit, type RowLimits } from '../model/row-limit.ts';
import {
  defaultSyncFrequency,
  parseSyncFrequency,
  type SyncFrequency,
} from '../model/sync-frequency.ts';
import { parseQueryDefinition, type QueryDefinition } from '../query/query-definition.ts';
import { requireStorableText } from '../sql/storable-text.ts';
import { requireEndpointName } from './endpoint-name.ts';

/** The members of an endpoint as a caller sent them, in either interface. Absent and null differ in updates. */
export interface EndpointInput {
  readonly name?: string | null | undefined;
  readonly description?: string | null | undefined;
  readonly query?: unknown;
  readonly cacheAgeSeconds?: number | null | undefined;
  readonly isActive?: boolean | null | undefined;
  readonly isMaterialized?: boolean | null | undefined;
  readonly syncFrequency?: string | null | undefined;
  readonly maxStoredRows?: number | null | undefined;
  readonly derivedFromInsight?: string | null | undefined;
  readonly version?: number | null | undefined;
}

export interface CreateRequest {
  readonly name: string;
  readonly description: string;
  readonly query: QueryDefinition;
  readonly cacheAgeSeconds: number | null;
  readonly isActive: boolean;
  readonly isMaterialized: boolean;
  readonly syncFrequency: SyncFrequency;
  /** Null: the server's default. */
  readonly maxStoredRows: number | null;
  readonly derivedFromInsight: string | null;
}

/** Undefined members stay unchanged. */
export interface UpdateRequest {
  readonly description: string | undefined;
  readonly query: QueryDefinition | undefined;
  /** Null: the server's default. */
  readonly cacheAgeSeconds: number | null | undefined;
  readonly isActive: boolean | undefined;
  readonly isMaterialized: boolean | undefined;
  readonly syncFrequency: SyncFrequency | undefined;
  /** Null: the server's default. */
  readonly maxStoredRows: number | null | undefined;
  /** The number of the version to change; null: the endpoint and its latest version. */
  readonly version: number | null;
}

export interface CacheAgeRule {
  readonly minCacheAgeSeconds: number;
}

const maxCacheAgeSeconds = 86_400;
const maxInsightLength = 128;

export function parseCreateInput(
  input: EndpointInput,
  rule: CacheAgeRule & RowLimits,
): CreateRequest {
  if (input.name === undefined || input.name === null)
    throw invalidInput('name', 'A name is required.');
  if (input.query === undefined || input.query === null)
    throw invalidInput('query', 'A query is required.');
  if (input.version !== undefined && input.version !== null && input.version !== 1) {
    throw invalidInput('version', 'A new endpoint begins at version 1. Leave version out.');
  }
  return {
    name: requireEndpointName(input.name),
    description: requireStorableText(input.description ?? '', 'description'),
    query: parseQueryDefinition(input.query),
    cacheAgeSeconds: parseCacheAge(input.cacheAgeSeconds, rule) ?? null,
    isActive: input.isActive ?? true,
    isMaterialized: input.isMaterialized ?? false,
    syncFrequency: parseCadence(input.syncFrequency) ?? defaultSyncFrequency,
    maxStoredRows: parseRowLimit(input.maxStoredRows, rule) ?? null,
    derivedFromInsight: parseInsight(input.derivedFromInsight),
  };
}

/** @param context.name the endpoint's own name; the input may repeat it. */
export function parseUpdateInput(
  input: EndpointInput,
  context: CacheAgeRule & RowLimits & { readonly name: string },
): UpdateRequest {
  if (input.name !== undefined && input.name !== null && input.name !== context.name) {
    throw invalidInput(
      'name',
      'An endpoint cannot be renamed. Create another and delete this one.',
    );
  }
  const version = input.version ?? null;
  if (version !== null && !Number.isSafeInteger(version)) {
    throw invalidInput('version', 'A version is a whole number.');
  }
  const query =
    input.query === undefined || input.query === null
      ? undefined
      : parseQueryDefinition(input.query);
  if (query !== undefined && version !== null) {
    throw invalidInput(
      'query',
      'Cannot change query of a version: a changed query makes a new one. Leave version out.',
    );
  }
  const syncFrequency = parseCadence(input.syncFrequency);
  if (syncFrequency !== undefined && input.isMaterialized === false) {
    throw invalidInput(
      'sync_frequency',
      'A sync frequency cannot be set while materialization is turned off.',
    );
  }
  return {
    description:
      input.description == null ? undefined : requireStorableText(input.description, 'description'),
    query,
    cacheAgeSeconds: parseCacheAge(input.cacheAgeSeconds, context),
    isActive: input.isActive ?? undefined,
    isMaterialized: input.isMaterialized ?? undefined,
    syncFrequency,
    maxStoredRows: parseRowLimit(input.maxStoredRows, context),
    version,
  };
}

function parseCacheAge(
  value: number | null | undefined,
  rule: CacheAgeRule,
): number | null | undefined {
  if (value === undefined || value === null) return value;
  if (
    Number.isSafeInteger(value) &&
    value >= rule.minCacheAgeSeconds &&
    value <= maxCacheAgeSeconds
  ) {
    return value;
  }
  throw invalidInput(
    'cache_age_seconds',
    `The cache age is a whole number of seconds between ${rule.minCacheAgeSeconds} and ${maxCacheAgeSeconds}, or null for the server's default.`,
  );
}

function parseCadence(value: string | null | undefined): SyncFrequency | undefined {
  return value === undefined || value === null
    ? undefined
    : parseSyncFrequency(value, 'sync_frequency');
}

function parseInsight(value: string | null | undefined): string | null {
  if (value === undefined || value === null) return null;
  if (value.length > maxInsightLength) {
    throw invalidInput(
      'derived_from_insight',
      `An insight id has at most ${maxInsightLength} characters.`,
    );
  }
  return requireStorableText(value, 'derived_from_insight');
}
