import { GraphQLError } from 'graphql';
import { errorType, type ServiceError, toServiceError } from '../domain/errors.ts';
import type { Log } from '../lib/log.ts';
import { toRecordsError } from '../store/prisma-errors.ts';

const COERCION = /^Variable "\$(\w+)" (?:got invalid value .* at "([^"]+)"|got invalid value|of )/s;
const maxMessage = 500;

/**
 * What a caller sees of an error: code, type and attr of the one catalogue in `extensions`. Documents
 * that GraphQL itself refuses keep its words and its codes; anything unforeseen shows nothing.
 */
export function toGraphQLError(error: unknown, log: Log): GraphQLError {
  if (!(error instanceof GraphQLError)) return fromFailure(error, log, undefined);
  const original = error.originalError;
  if (original === undefined || original === null) return fromDocument(error);
  if (original instanceof GraphQLError) return fromDocument(error);
  return fromFailure(original, log, error);
}

function fromFailure(failure: unknown, log: Log, place: GraphQLError | undefined): GraphQLError {
  const error = toServiceError(toRecordsError(failure));
  logFailure(error, log);
  return new GraphQLError(error.message, {
    ...(place?.nodes === undefined ? {} : { nodes: place.nodes }),
    ...(place?.source === undefined ? {} : { source: place.source }),
    ...(place?.positions === undefined ? {} : { positions: place.positions }),
    ...(place?.path === undefined ? {} : { path: place.path }),
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
 * What was foreseen is the caller's to read; only our own faults are an operator's. The reasons behind a
 * caller's error may repeat the values of variables, so they are never logged.
 */
export function logFailure(error: ServiceError, log: Log): void {
  if (error.status < 500) return;
  const line = { code: error.code, internal: error.internal };
  if (error.code === 'error') log.error(line, error.message);
  else log.warn(line, error.message);
}

/** Values that do not fit their variable are the caller's input, with the name of the member at fault. */
function fromDocument(error: GraphQLError): GraphQLError {
  const message =
    error.message.length > maxMessage ? `${error.message.slice(0, maxMessage)}…` : error.message;
  const coercion = COERCION.exec(error.message);
  const code =
    error.extensions.code ?? (coercion === null ? 'GRAPHQL_VALIDATION_FAILED' : 'invalid_input');
  return new GraphQLError(message, {
    ...(error.nodes === undefined ? {} : { nodes: error.nodes }),
    ...(error.source === undefined ? {} : { source: error.source }),
    ...(error.positions === undefined ? {} : { positions: error.positions }),
    ...(error.path === undefined ? {} : { path: error.path }),
    extensions: {
      ...error.extensions,
      code: coercion === null ? code : 'invalid_input',
      ...(coercion === null ? {} : { type: 'validation_error', attr: coercion[2] ?? coercion[1] }),
    },
  });
}
