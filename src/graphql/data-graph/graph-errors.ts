/** Errors of the data graph: `attr` and messages refer to arguments of the field. */
import { type FieldNode, GraphQLError } from 'graphql';
import type { GraphShape } from '../../data-graph/shape.ts';
import { invalidInput, ServiceError, toServiceError } from '../../errors/service-error.ts';
import { laterErrorAt } from '../errors.ts';
import { toGraphTerms } from './graph-terms.ts';

interface RootField {
  /** The response key. */
  readonly key: string;
  readonly node: FieldNode;
  readonly shape: GraphShape;
}

/** The error of a failed root field. */
export function fieldError(error: unknown, { key, node, shape }: RootField): GraphQLError {
  const failure =
    error instanceof GraphQLError
      ? refusedArgument(error)
      : inOwnWords(toServiceError(error), shape);
  return new GraphQLError(failure.message, { nodes: [node], path: [key], originalError: failure });
}

/** The same for a subscription's field, for errors after the first event. */
export function laterFieldError(error: ServiceError, root: RootField): ServiceError {
  return laterErrorAt(inOwnWords(error, root.shape), root);
}

const ARGUMENT = /^Argument "(\w+)"/;

/** The library's refusal of a variable's value as an argument. */
function refusedArgument({ message }: GraphQLError): ServiceError {
  return invalidInput(ARGUMENT.exec(message)?.[1] ?? null, message);
}

function inOwnWords(error: ServiceError, shape: GraphShape): ServiceError {
  const { attr, message } = toGraphTerms(error, shape);
  if (attr === error.attr && message === error.message) return error;
  const { code, retryAfterSeconds, extra, internal, cause } = error;
  return new ServiceError(code, message, {
    attr,
    // REST clients read the same sentence there.
    extra: 'error' in extra ? { ...extra, error: message } : extra,
    cause,
    ...(retryAfterSeconds === null ? {} : { retryAfterSeconds }),
    ...(internal === null ? {} : { internal }),
  });
}
