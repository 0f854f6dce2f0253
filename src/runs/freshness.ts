import { type ErrorCode, invalidInput } from '../errors/service-error.ts';

/** How old a response may be, which a caller states in addition to `refresh`; whole seconds. */
export interface FreshnessInput {
  readonly maxAgeSeconds?: number | null | undefined;
  readonly staleWhileRevalidateSeconds?: number | null | undefined;
  readonly staleIfErrorSeconds?: number | null | undefined;
}

export interface Freshness {
  /** Rows of at least this age do not count as fresh; null for the version's own cache age. Never extends it. */
  readonly maxAgeSeconds: number | null;
  /** How long a stale result may still be served at once while a background run refreshes it. */
  readonly staleWhileRevalidateSeconds: number;
  /** How long a stale result may still be served when computing fails because of an outage. */
  readonly staleIfErrorSeconds: number;
  /** Whether the caller stated any of them; the response then reports its path and whether it is stale. */
  readonly isStated: boolean;
}

/** Why a stale result is served: a new one is being computed, or computing failed with this code. */
export type StaleReason = 'revalidating' | OutageCode;

/** Temporary failures of the engine, for which a stale result may be served instead. */
export const outageCodes = [
  'engine_unavailable',
  'query_capacity',
  'too_many_concurrent_queries',
  'query_timeout',
] as const satisfies readonly ErrorCode[];
export type OutageCode = (typeof outageCodes)[number];

export function outageCodeOf(code: ErrorCode): OutageCode | null {
  return outageCodes.find((outage) => outage === code) ?? null;
}

/** Larger values are capped here. Source: RFC 9111, 1.2.2. */
export const maxSeconds = 2_147_483_647;

/** Throws `invalid_input` for anything but a whole number of seconds. */
export function parseFreshness(input: FreshnessInput): Freshness {
  const maxAge = parseSeconds('max_age_seconds', input.maxAgeSeconds);
  const revalidate = parseSeconds(
    'stale_while_revalidate_seconds',
    input.staleWhileRevalidateSeconds,
  );
  const ifError = parseSeconds('stale_if_error_seconds', input.staleIfErrorSeconds);
  return {
    maxAgeSeconds: maxAge,
    staleWhileRevalidateSeconds: revalidate ?? 0,
    staleIfErrorSeconds: ifError ?? 0,
    isStated: maxAge !== null || revalidate !== null || ifError !== null,
  };
}

function parseSeconds(name: string, value: number | null | undefined): number | null {
  if (value === undefined || value === null) return null;
  if (!Number.isSafeInteger(value) || value < 0 || value > maxSeconds) {
    throw invalidInput(
      name,
      `${name} must be an integer number of seconds from 0 to ${maxSeconds}.`,
    );
  }
  return value;
}

/** How old a result may be to serve a run. */
export interface AgeLimits {
  /** The time of the stored table's rows; null when source data was read. */
  readonly materializedAt: Date | null;
  /** How long a result counts as fresh after it was computed. */
  readonly cacheAgeSeconds: number;
  /** Its rows must also be younger than this; null for any age. */
  readonly dataAgeSeconds: number | null;
}

/** The time of a result's rows. */
export function dataAsOf({ materializedAt }: AgeLimits, computedAt: Date): Date {
  return materializedAt ?? computedAt;
}

/** How many whole seconds after the time of its rows a result counts as fresh. */
export function lifetimeOf(limits: AgeLimits, computedAt: Date): number {
  const computedMs = computedAt.getTime() - dataAsOf(limits, computedAt).getTime();
  const cached = Math.floor(computedMs / 1000) + limits.cacheAgeSeconds;
  return Math.max(0, Math.min(cached, limits.dataAgeSeconds ?? cached));
}

/**
 * How many milliseconds a result has been stale; negative while it is fresh. A result from the future (the clock was
 * set back) exceeds every bound.
 */
export function staleForMs(limits: AgeLimits, computedAt: Date, now: Date): number {
  const cachedMs = now.getTime() - computedAt.getTime();
  if (cachedMs < 0) return Number.POSITIVE_INFINITY;
  const pastCacheAge = cachedMs - limits.cacheAgeSeconds * 1000;
  if (limits.dataAgeSeconds === null) return pastCacheAge;
  const dataMs = now.getTime() - dataAsOf(limits, computedAt).getTime();
  return Math.max(pastCacheAge, dataMs - limits.dataAgeSeconds * 1000);
}
