/** Errors about the values of a document's variables. */
import {
  type ArgumentNode,
  GraphQLError,
  Kind,
  type OperationDefinitionNode,
  type ValueNode,
  visit,
} from 'graphql';
import { invalidInput, ServiceError } from '../../errors/service-error.ts';

const REFUSED = /^Variable "\$(\w+)"(?: got invalid value .* at "\w+\.?([^"]*)";)?/s;
/** The status of an invalid document: 200 for a caller that only accepts that. */
const badRequest = { http: { spec: true, status: 400 } } as const;

/** The same errors as `invalid_input`; `attr` names the variable's argument. */
export function variableErrors(
  errors: readonly GraphQLError[],
  operation: OperationDefinitionNode,
): readonly GraphQLError[] {
  return errors.map((error) => {
    const [, name, inner = ''] = REFUSED.exec(error.message) ?? [];
    const { message } = name === undefined ? error : invalidInput(null, error.message);
    const place = name === undefined ? null : (argumentOf(operation, name) ?? name);
    const separator = inner === '' || inner.startsWith('[') ? '' : '.';
    const attr = place === null ? null : `${place}${separator}${inner}`;
    return new GraphQLError(message, {
      nodes: error.nodes ?? null,
      originalError: new ServiceError('invalid_input', message, { attr, extra: badRequest }),
    });
  });
}

/**
 * `lateMinutes`, or `run.limit` for a part of an argument; null when no root field of the operation uses the variable.
 */
function argumentOf(operation: OperationDefinitionNode, variable: string): string | null {
  let found: string | null = null;
  visit(operation, {
    Argument(argument: ArgumentNode) {
      found ??= pathTo(argument.value, variable, argument.name.value);
    },
  });
  return found;
}

function pathTo(value: ValueNode, variable: string, path: string): string | null {
  switch (value.kind) {
    case Kind.VARIABLE:
      return value.name.value === variable ? path : null;
    case Kind.LIST:
      return firstOf(value.values, (item, at) => pathTo(item, variable, `${path}[${at}]`));
    case Kind.OBJECT:
      return firstOf(value.fields, (field) =>
        pathTo(field.value, variable, `${path}.${field.name.value}`),
      );
    default:
      return null;
  }
}

function firstOf<T>(items: readonly T[], find: (item: T, at: number) => string | null) {
  for (const [at, item] of items.entries()) {
    const found = find(item, at);
    if (found !== null) return found;
  }
  return null;
}
