import { ServiceError } from '../errors/service-error.ts';

/** Why the service ends a stream. */
export type Ending =
  | { readonly kind: 'error'; readonly error: ServiceError }
  /** What was followed has come to its end. */
  | { readonly kind: 'complete' }
  /** What it told stays true: the subscriber gets the rest by connecting again, elsewhere if there are several processes. */
  | { readonly kind: 'reconnect' };

export const reconnect: Ending = { kind: 'reconnect' };

export function stopping(): ServiceError {
  return new ServiceError('service_unavailable', 'This process is stopping. Connect again.', {
    retryAfterSeconds: 1,
  });
}

/** Failures of a run after which a later one may succeed, though nothing about it is changed. */
const passing: ReadonlySet<string> = new Set([
  'error',
  'engine_unavailable',
  'query_capacity',
  'service_unavailable',
  'throttled',
  'too_many_concurrent_queries',
  'too_many_runs',
  'too_many_streams',
  'query_failed',
  'query_timeout',
  'query_memory_limit',
  'query_too_large',
  'query_cancelled',
]);

/** Whether a stream goes on after the failure; otherwise what it follows is gone, or no longer what was asked for. */
export function isPassing(error: ServiceError): boolean {
  return passing.has(error.code);
}
