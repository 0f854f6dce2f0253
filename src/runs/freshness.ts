import { type ErrorCode, invalidInput } from '../errors/service-error.ts';

/** How old a response may be, as a caller states it on top of `refresh`; whole seconds. */
export interface FreshnessInput {
  readonly maxAgeSeconds?: number | null | undefined;
  readonly staleWhileRevalidateSeconds?: number | null | undefined;
  readonly staleIfErrorSeconds?: number | null | undefined;
}

export interface Freshness {
  /** Rows of at least this age do not count as fresh; null leaves it to the version. Never widens what it allows. */
  readonly maxAgeSeconds: number | null;
  /** For so long past being fresh a result may be served at once, while one run in the background computes anew. */
  readonly staleWhileRevalidateSeconds: number;
  /** For so long past being fresh a result may be served when computing fails by an outage. */
  readonly staleIfErrorSeconds: number;
  /** Whether the caller stated any of them; the response then reports which path served it and whether it is stale. */
  readonly isStated: boolean;
}

/** Why a stale result is served: a new one is being computed, or computing failed by this code. */
export type StaleReason = 'revalidating' | OutageCode;

/** Failures that a stale result may stand in for: the engine could not do it now, and may another time. */
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

/** RFC 9111, 1.2.2: what a larger number of seconds is taken as. */
export const maxSeconds = 2_147_483_647;

/** Throws `invalid_input` for what is no whole number of seconds. */
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
    throw invalidInput(name, `${name} is a whole number of seconds from 0 to ${maxSeconds}.`);
  }
  return value;
}

/** How old a result may be that serves a run. */
export interface AgeLimits {
  /** As of when the rows of the stored table are that was read; null: the source data was read. */
  readonly materializedAt: Date | null;
  /** A result counts as fresh for so long after it was computed. */
  readonly cacheAgeSeconds: number;
  /** And while its rows are younger than this; null: no matter. */
  readonly dataAgeSeconds: number | null;
}

/** As of when the rows of a result are. */
export function dataAsOf({ materializedAt }: AgeLimits, computedAt: Date): Date {
  return materializedAt ?? computedAt;
}

/**
 * Milliseconds for which a result is past being fresh; negative: it is fresh for as long still. A result from
 * a time to come, since the clock was set back, is past every bound.
 */
export function staleForMs(limits: AgeLimits, computedAt: Date, now: Date): number {
  const cachedMs = now.getTime() - computedAt.getTime();
  if (cachedMs < 0) return Number.POSITIVE_INFINITY;
  const pastCacheAge = cachedMs - limits.cacheAgeSeconds * 1000;
  if (limits.dataAgeSeconds === null) return pastCacheAge;
  const dataMs = now.getTime() - dataAsOf(limits, computedAt).getTime();
  return Math.max(pastCacheAge, dataMs - limits.dataAgeSeconds * 1000);
}
