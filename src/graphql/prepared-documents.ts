import {
  type DocumentNode,
  execute,
  type GraphQLError,
  type GraphQLSchema,
  parse,
  validate,
} from 'graphql';
import { invalidInput } from '../errors/service-error.ts';
import { toMetadataError } from '../store/prisma-errors.ts';
import type { GatewayContext } from './context.ts';
import { coercionAttr } from './errors.ts';

/** Documents known at startup: parsed and validated once, then only executed. */
export interface PreparedDocuments<Name extends string> {
  /** The document's data. Throws what its first failing field threw. */
  run(
    name: Name,
    variables: Readonly<Record<string, unknown>>,
    context: GatewayContext,
  ): Promise<Readonly<Record<string, unknown>>>;
}

/** Throws when a document is not valid against the schema, which is a fault of the code. */
export function prepareDocuments<Name extends string>(
  schema: GraphQLSchema,
  sources: Readonly<Record<Name, string>>,
): PreparedDocuments<Name> {
  const prepared = new Map<string, DocumentNode>();
  for (const [name, source] of Object.entries<string>(sources)) {
    const document = parse(source);
    const [problem] = validate(schema, document);
    if (problem !== undefined) throw new Error(`document ${name}: ${problem.message}`);
    prepared.set(name, document);
  }
  return {
    async run(name, variableValues, contextValue) {
      const document = prepared.get(name);
      if (document === undefined) throw new Error(`no document ${name}`);
      const { data, errors } = await execute({ schema, document, variableValues, contextValue });
      const [error] = errors ?? [];
      if (error !== undefined) throw toFailure(error);
      return (data ?? {}) as Record<string, unknown>;
    },
  };
}

/**
 * The error that a field threw; for input that does not fit the schema, `invalid_input` with the contract's name of it.
 */
function toFailure(error: GraphQLError): unknown {
  const attr = coercionAttr(error);
  if (attr !== null)
    return invalidInput(attr, `${attr} is out of the accepted range, or of another type.`);
  return toMetadataError(error.originalError ?? error);
}
