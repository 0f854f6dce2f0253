import { type ServiceError, toErrorBody } from '../errors/service-error.ts';
import type { WholeResponse } from './message.ts';

/** Headers that follow from the error, the same in both interfaces. */
export function errorHeaders(error: ServiceError): Readonly<Record<string, string>> {
  return {
    ...(error.retryAfterSeconds === null ? {} : { 'retry-after': String(error.retryAfterSeconds) }),
    ...(error.status === 401 ? { 'www-authenticate': 'Bearer' } : {}),
  };
}

/** The documented error body, with its status and headers. */
export function errorResponse(
  error: ServiceError,
  headers: Readonly<Record<string, string>> = {},
): WholeResponse {
  return {
    status: error.status,
    headers: {
      'content-type': 'application/json; charset=utf-8',
      // Otherwise caches may store a 404 or a 405.
      'cache-control': 'no-store',
      ...errorHeaders(error),
      ...headers,
    },
    body: [Buffer.from(JSON.stringify(toErrorBody(error)))],
    error,
  };
}
