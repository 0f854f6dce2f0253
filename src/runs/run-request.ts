import { parseVersionNumber } from '../endpoints/version-number.ts';
import { invalidInput } from '../errors/service-error.ts';
import type { ResultFormat } from '../model/result-format.ts';
import { requireStorableText } from '../sql/storable-text.ts';
import { type Freshness, type FreshnessInput, parseFreshness } from './freshness.ts';

export const refreshModes = ['cache', 'force', 'direct'] as const;
/** `cache`: no older than the cache age; `force`: past the result cache; `direct`: past the stored table too. */
export type RefreshMode = (typeof refreshModes)[number];

export const integerFormats = ['number', 'string'] as const;
export type IntegerFormat = (typeof integerFormats)[number];

/** What a caller asks for, as either door hands it over: shapes are right, meanings are not yet checked. */
export interface RunInput extends FreshnessInput {
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

/** A run request with every default in place. */
export interface RunRequest {
  readonly version: number | null;
  readonly variables: Readonly<Record<string, unknown>>;
  readonly refresh: RefreshMode;
  readonly freshness: Freshness;
  /** `noLimit` when all rows are asked for. */
  readonly limit: number;
  readonly offset: number;
  readonly debug: boolean;
  readonly clientQueryId: string | null;
  readonly integers: IntegerFormat;
  readonly format: ResultFormat;
  readonly filtersOverride: unknown;
}

/** All rows: what a run in a format other than JSON asks for when it names no limit. */
export const noLimit = Number.MAX_SAFE_INTEGER;

/** No offset lies further: the engine counts rows in 64 bits, callers in doubles. */
const maxOffset = Number.MAX_SAFE_INTEGER;
const maxClientQueryId = 255;

/**
 * @param maxRows the server's maximum: the limit of a run that names none, and the most that one which
 * names a higher limit gets; the answer says the limit that was applied and whether more rows exist. It counts for
 * JSON, which is held in memory whole; other formats are not.
 */
export function parseRunInput(input: RunInput, maxRows: number): RunRequest {
  if (input.queryOverride !== undefined && input.queryOverride !== null) {
    throw invalidInput(
      'query_override',
      'query_override is not allowed on SQL endpoints. Use variables.',
    );
  }
  const format = input.format ?? 'json';
  if (input.debug === true && format !== 'json') {
    throw invalidInput(
      'debug',
      'debug is answered in JSON alone; leave it out, or ask for format json.',
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
    filtersOverride: input.filtersOverride ?? null,
  };
}

function parseVariables(value: unknown): Readonly<Record<string, unknown>> {
  if (value === undefined || value === null) return {};
  if (typeof value === 'object' && !Array.isArray(value)) return value as Record<string, unknown>;
  throw invalidInput('variables', 'variables is a JSON object.');
}

function parseLimit(value: number | null | undefined, maxRows: number): number {
  if (value === undefined || value === null) return maxRows;
  if (!Number.isSafeInteger(value) || value < 1) {
    throw invalidInput('limit', 'A limit is a whole number from 1.');
  }
  return Math.min(value, maxRows);
}

function parseOffset(value: number | null | undefined): number {
  if (value === undefined || value === null) return 0;
  if (!Number.isSafeInteger(value) || value < 0 || value > maxOffset) {
    throw invalidInput('offset', 'An offset is a whole number from 0.');
  }
  return value;
}

function parseClientQueryId(value: string | null | undefined): string | null {
  if (value === undefined || value === null) return null;
  if (value === '' || value.length > maxClientQueryId) {
    throw invalidInput(
      'client_query_id',
      `A client query id has 1 to ${maxClientQueryId} characters.`,
    );
  }
  return requireStorableText(value, 'client_query_id');
}
