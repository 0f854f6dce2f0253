import { parseVersionNumber } from '../endpoints/version-number.ts';
import { invalidInput } from '../errors/service-error.ts';
import type { ResultFormat } from '../model/result-format.ts';
import { requireStorableText } from '../sql/storable-text.ts';
import { type Freshness, type FreshnessInput, parseFreshness } from './freshness.ts';
import { parseRowInput, type RowInput, type RowRequest } from './row-request.ts';

export const refreshModes = ['cache', 'force', 'direct'] as const;
/**
 * `cache`: no older than the cache age; `force`: bypasses the result cache; `direct`: bypasses the stored table too.
 */
export type RefreshMode = (typeof refreshModes)[number];

/** The interface a call came through. */
export type ApiInterface = 'rest' | 'graphql';

export const integerFormats = ['number', 'string'] as const;
export type IntegerFormat = (typeof integerFormats)[number];

/** A run as either interface passes it on: types are checked, values are not. */
export interface RunInput extends FreshnessInput, RowInput {
  readonly version?: number | null | undefined;
  readonly variables?: unknown;
  readonly refresh?: RefreshMode | null | undefined;
  readonly limit?: number | null | undefined;
  readonly offset?: number | null | undefined;
  readonly debug?: boolean | null | undefined;
  readonly clientQueryId?: string | null | undefined;
  readonly integers?: IntegerFormat | null | undefined;
  readonly format?: ResultFormat | null | undefined;
  readonly filtersOverride?: unknown;
  readonly queryOverride?: unknown;
}

/** A run request with all defaults filled in. */
export interface RunRequest extends RowRequest {
  readonly version: number | null;
  readonly variables: Readonly<Record<string, unknown>>;
  readonly refresh: RefreshMode;
  readonly freshness: Freshness;
  /** `noLimit` for all rows. */
  readonly limit: number;
  readonly offset: number;
  readonly debug: boolean;
  readonly clientQueryId: string | null;
  readonly integers: IntegerFormat;
  readonly format: ResultFormat;
  readonly filtersOverride: unknown;
}

/** All rows: the default limit in formats other than JSON. */
export const noLimit = Number.MAX_SAFE_INTEGER;

/** The engine counts rows in 64 bits, JSON numbers are doubles. */
const maxOffset = Number.MAX_SAFE_INTEGER;
const maxClientQueryId = 255;

/**
 * @param maxRows the default and maximum limit of a JSON run, which is held in memory. A higher limit is lowered; the
 * response reports the applied limit and whether more rows exist.
 */
export function parseRunInput(input: RunInput, maxRows: number): RunRequest {
  if (input.queryOverride !== undefined && input.queryOverride !== null) {
    throw invalidInput(
      'query_override',
      'query_override is not supported for SQL endpoints. Use variables.',
    );
  }
  const format = input.format ?? 'json';
  if (input.debug === true && format !== 'json') {
    throw invalidInput(
      'debug',
      'debug is supported only in JSON. Omit it, or request format json.',
    );
  }
  return {
    version: parseVersionNumber(input.version),
    variables: parseVariables(input.variables),
    refresh: input.refresh ?? 'cache',
    freshness: parseFreshness(input),
    limit: parseLimit(input.limit, format === 'json' ? maxRows : noLimit),
    offset: parseOffset(input.offset),
    debug: input.debug ?? false,
    clientQueryId: parseClientQueryId(input.clientQueryId),
    integers: input.integers ?? 'number',
    format,
    ...parseRowInput(input, format),
    filtersOverride: input.filtersOverride ?? null,
  };
}

function parseVariables(value: unknown): Readonly<Record<string, unknown>> {
  if (value === undefined || value === null) return {};
  if (typeof value === 'object' && !Array.isArray(value)) return value as Record<string, unknown>;
  throw invalidInput('variables', 'variables must be a JSON object.');
}

function parseLimit(value: number | null | undefined, maxRows: number): number {
  if (value === undefined || value === null) return maxRows;
  if (!Number.isSafeInteger(value) || value < 1) {
    throw invalidInput('limit', 'limit must be an integer, 1 or more.');
  }
  return Math.min(value, maxRows);
}

function parseOffset(value: number | null | undefined): number {
  if (value === undefined || value === null) return 0;
  if (!Number.isSafeInteger(value) || value < 0 || value > maxOffset) {
    throw invalidInput('offset', 'offset must be an integer, 0 or more.');
  }
  return value;
}

function parseClientQueryId(value: string | null | undefined): string | null {
  if (value === undefined || value === null) return null;
  if (value === '' || value.length > maxClientQueryId) {
    throw invalidInput(
      'client_query_id',
      `A client query id must have 1 to ${maxClientQueryId} characters.`,
    );
  }
  return requireStorableText(value, 'client_query_id');
}
