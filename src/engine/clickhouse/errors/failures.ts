/** Engine failures with a fixed message, whatever the engine reported. */
import { ServiceError, type ServiceErrorDetails } from '../../../errors/service-error.ts';

const failures = {
  unavailable: {
    code: 'engine_unavailable',
    detail: 'The engine is unavailable. Try again shortly.',
    retryAfterSeconds: 1,
  },
  capacity: {
    code: 'query_capacity',
    detail: 'The engine is busy. Try again shortly.',
    retryAfterSeconds: 1,
  },
  diskFull: {
    code: 'query_capacity',
    detail:
      'The disk of the engine is full. Try again later, or ask an administrator to make room on it.',
    retryAfterSeconds: 60,
  },
  tooMany: {
    code: 'too_many_concurrent_queries',
    detail: 'This project has reached its limit of concurrent queries. Try again shortly.',
    retryAfterSeconds: 1,
  },
  tooLarge: {
    code: 'query_too_large',
    detail: 'The result exceeds the size limit. Request fewer rows or columns.',
  },
  timeout: {
    code: 'query_timeout',
    detail: 'The query exceeded its time limit. Read fewer rows.',
  },
  memory: {
    code: 'query_memory_limit',
    detail: 'The query exceeded its memory limit. Group or sort fewer rows at once.',
  },
  cancelled: { code: 'query_cancelled', detail: 'The query was cancelled.' },
} as const;

export type FailureKind = keyof typeof failures;

export function failure(
  kind: FailureKind,
  details: Pick<ServiceErrorDetails, 'internal' | 'cause'> = {},
): ServiceError {
  const { code, detail, ...rest } = failures[kind];
  return new ServiceError(code, detail, { ...rest, ...details });
}

export function unavailable(internal: string): ServiceError {
  return failure('unavailable', { internal });
}
