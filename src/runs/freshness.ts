import { type ErrorCode, invalidInput } from '../errors/service-error.ts';

/** How old a response may be, as a caller states it on top of `refresh`; whole seconds. */
export interface FreshnessInput {
  readonly maxAgeSeconds?: number | null | undefined;
  readonly staleWhileRevalidateSeconds?: number | null | undefined;
  readonly staleIfErrorSeconds?: number | null | undefined;
}

export interface Freshness {
  /** Rows of at least this age do not count as fresh; null: the version's own cache age. Never extends that. */
  readonly maxAgeSeconds: number | null;
  /** How long a result may be stale and still be served at once, while a background run refreshes it. */
  readonly staleWhileRevalidateSeconds: number;
  /** How long a result may be stale and still be served when computing fails because of an outage. */
  readonly staleIfErrorSeconds: number;
  /** Whether the caller stated any of them; the response then reports which path served it and whether it is stale. */
  readonly isStated: boolean;
}

/** Why a stale result is served: a new one is being computed, or computing failed by this code. */
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

/** Larger numbers of seconds count as this one. Source: RFC 9111, 1.2.2. */
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
    throw invalidInput(name, `${name} is a whole number of seconds from 0 to ${maxSeconds}.`);
  }
  return value;
}

/** How old a result may be to serve a run. */
export interface AgeLimits {
  /** The time of the stored table's rows; null: source data was read. */
  readonly materializedAt: Date | null;
  /** How long a result counts as fresh after it was computed. */
  readonly cacheAgeSeconds: number;
  /** Its rows must also be younger than this; null: of any age. */
  readonly dataAgeSeconds: number | null;
}

/** The time of a result's rows. */
export function dataAsOf({ materializedAt }: AgeLimits, computedAt: Date): Date {
  return materializedAt ?? computedAt;
}

/** For how many whole seconds after the time of its rows a result counts as fresh. */
export function lifetimeOf(limits: AgeLimits, computedAt: Date): number {
  const computedMs = computedAt.getTime() - dataAsOf(limits, computedAt).getTime();
  const cached = Math.floor(computedMs / 1000) + limits.cacheAgeSeconds;
  return Math.max(0, Math.min(cached, limits.dataAgeSeconds ?? cached));
}

/**
 * For how many milliseconds a result has been stale; negative: how long it stays fresh. A result from the future (the
 * clock was set back) exceeds every bound.
 */
export function staleForMs(limits: AgeLimits, computedAt: Date, now: Date): number {
  const cachedMs = now.getTime() - computedAt.getTime();
  if (cachedMs < 0) return Number.POSITIVE_INFINITY;
  const pastCacheAge = cachedMs - limits.cacheAgeSeconds * 1000;
  if (limits.dataAgeSeconds === null) return pastCacheAge;
  const dataMs = now.getTime() - dataAsOf(limits, computedAt).getTime();
  return Math.max(pastCacheAge, dataMs - limits.dataAgeSeconds * 1000);
}
