import { invalidInput } from '../errors/service-error.ts';
import { parseRowLimit, type RowLimits } from '../model/row-limit.ts';
import { defaultSyncFrequency, type SyncFrequency } from '../model/sync-frequency.ts';
import { parseQueryDefinition, type QueryDefinition } from '../query/query-definition.ts';
import { requireStorableText } from '../sql/storable-text.ts';
import { type CadenceInput, parseCadence } from './cadence.ts';
import { requireEndpointName } from './endpoint-name.ts';
import { type ExpectedFacts, isWholeObject } from './expected-facts.ts';
import { parseFieldName } from './field-name.ts';
import { parseLabels } from './labels.ts';

/** An endpoint's members as a caller sent them, in either interface. Absent and null differ in updates. */
export interface EndpointInput extends CadenceInput {
  readonly name?: string | null | undefined;
  readonly graphqlName?: string | null | undefined;
  readonly description?: string | null | undefined;
  readonly query?: unknown;
  readonly cacheAgeSeconds?: number | null | undefined;
  readonly isActive?: boolean | null | undefined;
  readonly isMaterialized?: boolean | null | undefined;
  readonly maxStoredRows?: number | null | undefined;
  readonly derivedFromInsight?: string | null | undefined;
  readonly tags?: readonly string[] | null | undefined;
  readonly version?: number | null | undefined;
}

export interface CreateRequest {
  readonly name: string;
  /** Null derives one from the name. */
  readonly graphqlName: string | null;
  readonly description: string;
  readonly query: QueryDefinition;
  readonly cacheAgeSeconds: number | null;
  readonly isActive: boolean;
  readonly isMaterialized: boolean;
  readonly syncFrequency: SyncFrequency;
  /** Null for the server's default. */
  readonly maxStoredRows: number | null;
  readonly derivedFromInsight: string | null;
  readonly tags: readonly string[];
}

/** Undefined members stay unchanged. */
export interface UpdateRequest {
  /** A new field name. */
  readonly graphqlName: string | undefined;
  readonly description: string | undefined;
  readonly query: QueryDefinition | undefined;
  readonly tags: readonly string[] | undefined;
  /** Null for the server's default. */
  readonly cacheAgeSeconds: number | null | undefined;
  readonly isActive: boolean | undefined;
  readonly isMaterialized: boolean | undefined;
  readonly syncFrequency: SyncFrequency | undefined;
  /** Null for the server's default. */
  readonly maxStoredRows: number | null | undefined;
  /** The number of the version to change; null for the endpoint and its latest version. */
  readonly version: number | null;
}

/** The part of an update that can be decided without reading the endpoint. */
export interface UpdateDraft extends Omit<UpdateRequest, 'syncFrequency'> {
  /** As sent. */
  readonly graphqlName: string | undefined;
  readonly cadence: CadenceInput;
  readonly expected: ExpectedFacts;
}

export interface CacheAgeRule {
  readonly minCacheAgeSeconds: number;
}

export const maxCacheAgeSeconds = 86_400;
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
    throw invalidInput('version', 'A new endpoint starts at version 1. Omit version.');
  }
  return {
    name: requireEndpointName(input.name),
    graphqlName: parseFieldName(input.graphqlName) ?? null,
    description: requireStorableText(input.description ?? '', 'description'),
    query: parseQueryDefinition(input.query),
    cacheAgeSeconds: parseCacheAge(input.cacheAgeSeconds, rule) ?? null,
    isActive: input.isActive ?? true,
    isMaterialized: input.isMaterialized ?? false,
    syncFrequency: parseCadence(input, null) ?? defaultSyncFrequency,
    maxStoredRows: parseRowLimit(input.maxStoredRows, rule) ?? null,
    derivedFromInsight: parseInsight(input.derivedFromInsight),
    tags: parseLabels(input.tags ?? []),
  };
}

/**
 * @param context.name the endpoint's own name, which the input may repeat.
 * @param context.expected facts of the endpoint as the caller read them; see `requireExpected`.
 */
export function parseUpdateInput(
  input: EndpointInput,
  context: CacheAgeRule & RowLimits & { readonly name: string; readonly expected: unknown },
): UpdateDraft {
  if (input.name !== undefined && input.name !== null && input.name !== context.name) {
    throw invalidInput(
      'name',
      'An endpoint cannot be renamed. Create another and delete this one.',
    );
  }
  const version = input.version ?? null;
  if (version !== null && !Number.isSafeInteger(version)) {
    throw invalidInput('version', 'version must be an integer.');
  }
  const query =
    input.query === undefined || input.query === null
      ? undefined
      : parseQueryDefinition(input.query);
  const expected = parseExpected(context.expected);
  if (query !== undefined && version !== null && !isWholeObject(expected)) throw queryOfVersion();
  const { syncFrequency, dataFreshnessSeconds } = input;
  return {
    graphqlName: input.graphqlName ?? undefined,
    description:
      input.description == null ? undefined : requireStorableText(input.description, 'description'),
    query,
    cacheAgeSeconds: parseCacheAge(input.cacheAgeSeconds, context),
    isActive: input.isActive ?? undefined,
    isMaterialized: input.isMaterialized ?? undefined,
    cadence: { syncFrequency, dataFreshnessSeconds },
    maxStoredRows: parseRowLimit(input.maxStoredRows, context),
    tags: input.tags == null ? undefined : parseLabels(input.tags),
    version,
    expected,
  };
}

export function queryOfVersion(): Error {
  return invalidInput(
    'query',
    'The query of a version cannot be changed: a changed query creates a new version. Omit version.',
  );
}

function parseExpected(value: unknown): ExpectedFacts {
  if (value === undefined || value === null) return {};
  if (typeof value === 'object' && !Array.isArray(value)) return value as ExpectedFacts;
  throw invalidInput('expected', 'expected must be an object with members of the endpoint.');
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
    `The cache age must be an integer number of seconds from ${rule.minCacheAgeSeconds} to ${maxCacheAgeSeconds}, or null for the server's default.`,
  );
}

function parseInsight(value: string | null | undefined): string | null {
  if (value === undefined || value === null) return null;
  if (value.length > maxInsightLength) {
    throw invalidInput(
      'derived_from_insight',
      `derived_from_insight may have at most ${maxInsightLength} characters.`,
    );
  }
  return requireStorableText(value, 'derived_from_insight');
}
