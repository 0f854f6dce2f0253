import {
  BREAK,
  type DocumentNode,
  type GraphQLError,
  type GraphQLSchema,
  getOperationAST,
  getVariableValues,
  parse,
  validate,
  visit,
} from 'graphql';
import { invalidInput } from '../errors/service-error.ts';
import { toMetadataError } from '../store/prisma-errors.ts';
import {
  type CompiledOperation,
  compileOperation,
  type Execution,
  type OperationSource,
} from './compiled-operation.ts';
import type { GatewayContext } from './context.ts';
import { coercionAttr } from './errors.ts';
import { fragmentsOf } from './fragments-of.ts';

/** Documents known at startup: parsed, validated and compiled once, then only executed. */
export interface PreparedDocuments<Name extends string> {
  /** The document's data. Throws the error of its first failing field. */
  run(
    name: Name,
    variables: Readonly<Record<string, unknown>>,
    context: GatewayContext,
  ): Promise<Readonly<Record<string, unknown>>>;
}

type Source = Omit<OperationSource, 'values'>;

/** Throws when a document is invalid for the schema, which is a bug. */
export function prepareDocuments<Name extends string>(
  schema: GraphQLSchema,
  sources: Readonly<Record<Name, string>>,
): PreparedDocuments<Name> {
  const prepared = new Map<string, Prepared>();
  for (const [name, source] of Object.entries<string>(sources))
    prepared.set(name, prepare(schema, { name, source }));
  return {
    async run(name, variables, context) {
      const found = prepared.get(name);
      if (found === undefined) throw new Error(`no document ${name}`);
      const values = coerce(found.source, variables);
      const execution: Execution = { ...found.source, values, context };
      try {
        return await found.compiled(execution)(execution);
      } catch (error) {
        throw toMetadataError(error);
      }
    },
  };
}

interface Prepared {
  readonly source: Source;
  /** Compiled once for all executions, unless variable values decide which fields are selected. */
  readonly compiled: (execution: Execution) => CompiledOperation;
}

function prepare(
  schema: GraphQLSchema,
  { name, source: text }: { readonly name: string; readonly source: string },
): Prepared {
  const document = parse(text);
  const [problem] = validate(schema, document);
  const operation = getOperationAST(document);
  if (problem !== undefined || !operation)
    throw new Error(`document ${name}: ${problem?.message ?? 'it has not one operation'}`);
  const source = { schema, operation, fragments: fragmentsOf(document) };
  if (hasDirective(document)) return { source, compiled: compileOperation };
  const compiled = compileOperation({ ...source, values: {} });
  return { source, compiled: () => compiled };
}

function hasDirective(document: DocumentNode): boolean {
  let found = false;
  visit(document, {
    Directive() {
      found = true;
      return BREAK;
    },
  });
  return found;
}

/** Throws `invalid_input` with the contract's name of the value that does not fit the schema. */
function coerce(
  { schema, operation: { variableDefinitions = [] } }: Source,
  variables: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  const { coerced, errors } = getVariableValues(schema, variableDefinitions, variables);
  if (coerced !== undefined) return coerced;
  throw toInputError(errors[0]);
}

function toInputError(error: GraphQLError | undefined): unknown {
  const attr = error === undefined ? null : coercionAttr(error);
  if (attr === null) return error;
  return invalidInput(attr, `${attr} is out of range or has the wrong type.`);
}
