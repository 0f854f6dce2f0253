/**
 * The closed catalogue of errors that callers see.
 *
 * A code has the same status and type in both interfaces; both tables are total over the catalogue, so a new code
 * without a row does not compile. docs/errors.md explains each to callers.
 */
import { redactKeys } from './redact-keys.ts';

export const errorStatus = {
  invalid_input: 400,
  malformed_json: 400,
  malformed_request: 400,
  unique: 400,
  invalid_query: 400,
  unknown_variable: 400,
  missing_variable: 400,
  inactive_version: 400,
  cannot_materialize: 400,
  query_failed: 400,
  query_timeout: 400,
  query_memory_limit: 400,
  query_too_large: 400,
  query_cancelled: 400,
  too_many_runs: 400,
  shape_changed: 400,
  not_authenticated: 401,
  authentication_failed: 401,
  permission_denied: 403,
  not_found: 404,
  version_not_found: 404,
  method_not_allowed: 405,
  not_acceptable: 406,
  request_timeout: 408,
  precondition_failed: 412,
  body_too_large: 413,
  unsupported_media_type: 415,
  throttled: 429,
  too_many_concurrent_queries: 429,
  too_many_streams: 429,
  headers_too_large: 431,
  error: 500,
  engine_unavailable: 503,
  query_capacity: 503,
  service_unavailable: 503,
} as const;

export type ErrorCode = keyof typeof errorStatus;
export type ErrorStatus = (typeof errorStatus)[ErrorCode];

export type ErrorType =
  | 'validation_error'
  | 'authentication_error'
  | 'invalid_request'
  | 'throttled_error'
  | 'server_error';

const typeByStatus = {
  400: 'validation_error',
  401: 'authentication_error',
  403: 'authentication_error',
  404: 'invalid_request',
  405: 'invalid_request',
  406: 'invalid_request',
  408: 'invalid_request',
  412: 'invalid_request',
  413: 'invalid_request',
  415: 'invalid_request',
  429: 'throttled_error',
  431: 'invalid_request',
  500: 'server_error',
  503: 'server_error',
} as const satisfies Record<ErrorStatus, ErrorType>;

export function errorType(code: ErrorCode): ErrorType {
  return typeByStatus[errorStatus[code]];
}

export function isErrorCode(code: unknown): code is ErrorCode {
  return typeof code === 'string' && Object.hasOwn(errorStatus, code);
}

export interface ServiceErrorDetails {
  /**
   * The path of the invalid input, in the caller's spelling: `query`, `variables.country`; null when there is no single
   * one.
   */
  readonly attr?: string | null;
  /** Seconds after which the same call may succeed; becomes `Retry-After`. */
  readonly retryAfterSeconds?: number;
  /** Additional public members of the error body; `version_not_found` carries `current_version`. */
  readonly extra?: Readonly<Record<string, unknown>>;
  /** Only for the log; never shown to a caller. */
  readonly internal?: string;
  readonly cause?: unknown;
}

/**
 * The only error whose message reaches a caller; API keys in it are redacted. Anything else that is thrown becomes code
 * `error`.
 */
export class ServiceError extends Error {
  readonly code: ErrorCode;
  readonly attr: string | null;
  readonly retryAfterSeconds: number | null;
  readonly extra: Readonly<Record<string, unknown>>;
  readonly internal: string | null;

  /** @param detail a sentence for the caller: what is wrong, what is accepted. */
  constructor(code: ErrorCode, detail: string, details: ServiceErrorDetails = {}) {
    super(redactKeys(detail), details.cause === undefined ? undefined : { cause: details.cause });
    this.name = 'ServiceError';
    this.code = code;
    this.attr = hidden(details.attr);
    this.retryAfterSeconds = details.retryAfterSeconds ?? null;
    this.extra = details.extra ?? {};
    this.internal = hidden(details.internal);
  }

  get status(): ErrorStatus {
    return errorStatus[this.code];
  }
}

function hidden(text: string | null | undefined): string | null {
  return text == null ? null : redactKeys(text);
}

export function resultTooLarge(): ServiceError {
  return new ServiceError(
    'query_too_large',
    'The result exceeds the size limit. Request fewer rows or columns.',
  );
}

/** Input that violates the contract; `attr` names it. */
export function invalidInput(attr: string | null, detail: string): ServiceError {
  return new ServiceError('invalid_input', detail, { attr });
}

/** A query that cannot be saved or run. */
export function invalidQuery(detail: string): ServiceError {
  return new ServiceError('invalid_query', detail, { attr: 'query' });
}

/** The body of an error response: the same members for every code and both interfaces. */
export interface ErrorBody {
  readonly type: ErrorType;
  readonly code: ErrorCode;
  readonly detail: string;
  readonly attr: string | null;
  readonly [extra: string]: unknown;
}

export function toErrorBody(error: ServiceError): ErrorBody {
  return {
    type: errorType(error.code),
    code: error.code,
    detail: error.message,
    attr: error.attr,
    ...error.extra,
  };
}

/** Whether the metadata database cannot be reached, so that the same may work later. */
export function isOutage(error: unknown): boolean {
  return error instanceof ServiceError && error.code === 'service_unavailable';
}

/** Converts any failure to a ServiceError; the details of an unexpected one go to the log and are never shown. */
export function toServiceError(error: unknown): ServiceError {
  if (error instanceof ServiceError) return error;
  return new ServiceError(
    'error',
    'An internal error occurred. The log has the details under the request id.',
    {
      cause: error,
      internal: error instanceof Error ? (error.stack ?? error.message) : String(error),
    },
  );
}
