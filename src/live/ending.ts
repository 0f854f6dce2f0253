import { ServiceError } from '../errors/service-error.ts';

/** Why the service ends a stream. */
export type Ending =
  | { readonly kind: 'error'; readonly error: ServiceError }
  /** The source has ended. */
  | { readonly kind: 'complete' }
  /** What was sent stays valid: the subscriber continues by reconnecting, to another process if there are several. */
  | { readonly kind: 'reconnect' };

export const reconnect: Ending = { kind: 'reconnect' };

export function stopping(): ServiceError {
  return new ServiceError('service_unavailable', 'This process is stopping. Reconnect.', {
    retryAfterSeconds: 1,
  });
}

/** Failures of a run after which a later one may succeed without any change to it. */
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

/** Whether a stream continues after the failure; otherwise its source is gone, or no longer what was requested. */
export function isPassing(error: ServiceError): boolean {
  return passing.has(error.code);
}
