/** Errors as the data graph tells them: `attr` and messages name arguments of the field. */
import { type FieldNode, GraphQLError } from 'graphql';
import type { GraphShape } from '../../data-graph/shape.ts';
import { invalidInput, ServiceError, toServiceError } from '../../errors/service-error.ts';
import { laterErrorAt } from '../errors.ts';
import { inGraphWords } from './graph-words.ts';

/** A root field of a document. */
interface RootField {
  /** Under which it is answered. */
  readonly key: string;
  readonly node: FieldNode;
  readonly shape: GraphShape;
}

/** The error of a root field that failed. */
export function fieldError(error: unknown, { key, node, shape }: RootField): GraphQLError {
  const failure =
    error instanceof GraphQLError
      ? refusedArgument(error)
      : inOwnWords(toServiceError(error), shape);
  return new GraphQLError(failure.message, { nodes: [node], path: [key], originalError: failure });
}

/** The same of a field that is followed, for those who are told of it later. */
export function laterFieldError(error: ServiceError, root: RootField): ServiceError {
  return laterErrorAt(inOwnWords(error, root.shape), root);
}

const ARGUMENT = /^Argument "(\w+)"/;

/** The library's refusal of a variable's value as an argument. */
function refusedArgument({ message }: GraphQLError): ServiceError {
  return invalidInput(ARGUMENT.exec(message)?.[1] ?? null, message);
}

function inOwnWords(error: ServiceError, shape: GraphShape): ServiceError {
  const { attr, message } = inGraphWords(error, shape);
  if (attr === error.attr && message === error.message) return error;
  const { code, retryAfterSeconds, extra, internal, cause } = error;
  return new ServiceError(code, message, {
    attr,
    // Clients of REST read the same sentence there.
    extra: 'error' in extra ? { ...extra, error: message } : extra,
    cause,
    ...(retryAfterSeconds === null ? {} : { retryAfterSeconds }),
    ...(internal === null ? {} : { internal }),
  });
}
