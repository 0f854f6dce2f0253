import { ServiceError } from './service-error.ts';

/** PostgreSQL rolled a change back so that another could go on, as in a deadlock. It may be repeated at once. */
export class WriteConflictError extends ServiceError {
  constructor(cause: unknown, internal: string) {
    super(
      'service_unavailable',
      'Another change came in between, so nothing was changed. Try again in a second.',
      { retryAfterSeconds: 1, cause, internal },
    );
  }
}
