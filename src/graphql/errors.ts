import { type FieldNode, GraphQLError, type GraphQLErrorOptions } from 'graphql';
import { redactKeys } from '../errors/redact-keys.ts';
import {
  errorType,
  invalidInput,
  isErrorCode,
  ServiceError,
  toServiceError,
} from '../errors/service-error.ts';
import type { Log } from '../lib/log.ts';
import { toSnakeCase } from '../lib/snake-case.ts';
import { toMetadataError } from '../store/prisma-errors.ts';

const COERCION = /^Variable "\$(\w+)"(?: got invalid value .* at "\w+\.([^"]+)";)?/s;

/** The invalid input when a variable's value does not fit its type, by its contract name; null for any other error. */
export function coercionAttr(error: GraphQLError): string | null {
  const match = error.path === undefined ? COERCION.exec(error.message) : null;
  if (match === null) return null;
  return toSnakeCase(match[2] ?? match[1] ?? '');
}

/** A service failure with a known position in the document. */
class PlacedError extends ServiceError {
  readonly position: GraphQLError;

  constructor(error: ServiceError, position: GraphQLError) {
    const { code, message, attr, extra, internal, cause, retryAfterSeconds } = error;
    super(code, message, {
      attr,
      extra,
      cause,
      ...(retryAfterSeconds === null ? {} : { retryAfterSeconds }),
      ...(internal === null ? {} : { internal }),
    });
    this.position = position;
  }
}

/** The failure of a followed root field after the first event. */
export function laterErrorAt(
  failure: ServiceError,
  { key, node }: { readonly key: string; readonly node: FieldNode },
): ServiceError {
  return new PlacedError(
    failure,
    new GraphQLError(failure.message, { nodes: [node], path: [key] }),
  );
}

/** An error of the service at the root field, unless it has a position already; any other error as it is. */
export function placedAt(error: unknown, root: () => Parameters<typeof laterErrorAt>[1]): unknown {
  const isPlaced = error instanceof PlacedError || !(error instanceof ServiceError);
  return isPlaced ? error : laterErrorAt(error, root());
}

const maxMessage = 500;

/**
 * An error as callers see it: the catalogue's code, type and attr in `extensions`. GraphQL's own errors keep their
 * messages and codes; the details of an unexpected error are hidden.
 */
export function toGraphQLError(error: unknown, log: Log): GraphQLError {
  if (error instanceof PlacedError) return fromFailure(error, log, error.position);
  if (!(error instanceof GraphQLError)) return fromFailure(error, log, undefined);
  const original = error.originalError;
  if (original === undefined || original === null) return fromDocument(error);
  if (original instanceof GraphQLError) return fromArgument(error, original, log);
  return fromFailure(original, log, error);
}

/** A library resolver's error about arguments is invalid input. */
function fromArgument(error: GraphQLError, original: GraphQLError, log: Log): GraphQLError {
  if (error.path === undefined) return fromDocument(error);
  return fromFailure(invalidInput(null, safeMessage(original.message)), log, error);
}

function fromFailure(failure: unknown, log: Log, position: GraphQLError | undefined): GraphQLError {
  const error = toServiceError(toMetadataError(failure));
  logFailure(error, log);
  return new GraphQLError(error.message, {
    ...positionOf(position),
    extensions: {
      code: error.code,
      type: errorType(error.code),
      attr: error.attr,
      ...error.extra,
      ...(error.retryAfterSeconds === null ? {} : { retryAfter: error.retryAfterSeconds }),
    },
  });
}

/**
 * Load shedding. Metrics count refusals, but they are not logged: a line for each would add work during an overload.
 */
function isShed({ code, internal }: ServiceError): boolean {
  return code === 'query_capacity' && internal === null;
}

/**
 * Only logs faults of the service. Errors of callers are in their responses, and their internal reasons may repeat
 * values of variables, so they are never logged.
 */
export function logFailure(error: ServiceError, log: Log): void {
  if (error.status < 500 || isShed(error)) return;
  const line = { code: error.code, internal: error.internal };
  if (error.code === 'error') log.error(line, error.message);
  else log.warn(line, error.message);
}

/** A value that does not fit its variable is invalid input, with the path of the invalid member. */
function fromDocument(error: GraphQLError): GraphQLError {
  const message = safeMessage(error.message);
  const attr = coercionAttr(error);
  const code = attr === null ? documentCode(error) : 'invalid_input';
  return new GraphQLError(message, {
    ...positionOf(error),
    extensions: {
      ...error.extensions,
      code,
      ...(isErrorCode(code) ? { type: errorType(code), attr } : {}),
    },
  });
}

/** The same error with a shortened message, and API keys redacted. */
export function withSafeMessage(error: Error): Error {
  return withMessage(error, safeMessage(error.message));
}

/** The same error without the library's suggested names, which would reveal the schema piece by piece. */
export function withoutSuggestions(error: Error): Error {
  return withMessage(error, error.message.replace(/ Did you mean (?:[^"?]|"[^"]*")*\?/g, ''));
}

function withMessage(error: Error, message: string): Error {
  if (message === error.message || !(error instanceof GraphQLError)) return error;
  return new GraphQLError(message, { ...positionOf(error), extensions: error.extensions });
}

/** A message may repeat parts of the request. */
function safeMessage(text: string): string {
  const message = redactKeys(text);
  return message.length > maxMessage ? `${message.slice(0, maxMessage)}…` : message;
}

/** An error in the request around the document has the same code as in REST. */
function documentCode(error: GraphQLError): unknown {
  const { code, http } = error.extensions as {
    readonly code?: string;
    readonly http?: { readonly status?: number };
  };
  if (code !== 'BAD_REQUEST') return code ?? 'GRAPHQL_VALIDATION_FAILED';
  return http?.status === 405 ? 'method_not_allowed' : code;
}

/** The position in the document, if known. */
function positionOf(error: GraphQLError | undefined): GraphQLErrorOptions {
  if (error === undefined) return {};
  const { nodes, source, positions, path } = error;
  return {
    ...(nodes === undefined ? {} : { nodes }),
    ...(source === undefined ? {} : { source }),
    ...(positions === undefined ? {} : { positions }),
    ...(path === undefined ? {} : { path }),
  };
}
