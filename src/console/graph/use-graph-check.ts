import {
  type DocumentNode,
  type GraphQLSchema,
  getVariableValues,
  Kind,
  type OperationDefinitionNode,
  parse,
  validate,
} from 'graphql';
import { useMemo } from 'react';
import type { GraphDraft } from './graph-address.ts';

export interface GraphCheck {
  /** Null when it is not a document. */
  readonly document: DocumentNode | null;
  /** Faults of the document, the first one first; empty when it is valid. */
  readonly faults: readonly string[];
  /** Faults of the variables. */
  readonly variableFaults: readonly string[];
  /** Names of the operations; empty for an unnamed one. */
  readonly operations: readonly string[];
  /** The operation to run; null while it is ambiguous. */
  readonly chosen: OperationDefinitionNode | null;
}

/** Checks a draft against the schema, without the service. */
export function useGraphCheck(draft: GraphDraft, schema: GraphQLSchema | undefined): GraphCheck {
  return useMemo(() => checkDraft(draft, schema), [draft, schema]);
}

export function checkDraft(draft: GraphDraft, schema: GraphQLSchema | undefined): GraphCheck {
  const read = parsed(draft.document);
  if (!('document' in read))
    return {
      document: null,
      faults: read.faults,
      variableFaults: [],
      operations: [],
      chosen: null,
    };
  const { document } = read;
  const operations = document.definitions.filter((one) => one.kind === Kind.OPERATION_DEFINITION);
  const chosen = chooseOperation(operations, draft.operation);
  const faults = schema === undefined ? [] : validate(schema, document);
  return {
    document,
    faults: faults.map(({ message }) => message),
    variableFaults: faultsOfVariables(draft.variables, chosen, schema),
    operations: operations.map(({ name }) => name?.value ?? ''),
    chosen,
  };
}

function parsed(
  text: string,
): { readonly document: DocumentNode } | { readonly faults: readonly string[] } {
  if (text.trim() === '') return { faults: [] };
  try {
    return { document: parse(text) };
  } catch (error) {
    return { faults: [(error as Error).message] };
  }
}

function chooseOperation(
  operations: readonly OperationDefinitionNode[],
  wanted: string,
): OperationDefinitionNode | null {
  const named = operations.find(({ name }) => name?.value === wanted);
  return named ?? operations[0] ?? null;
}

function faultsOfVariables(
  text: string,
  operation: OperationDefinitionNode | null,
  schema: GraphQLSchema | undefined,
): readonly string[] {
  let values: unknown;
  try {
    values = text.trim() === '' ? {} : JSON.parse(text);
    if (typeof values !== 'object' || values === null || Array.isArray(values))
      return ['The variables must be a JSON object, such as {"origin": "SFO"}.'];
  } catch (error) {
    return [`The variables are not valid JSON: ${(error as Error).message}`];
  }
  if (operation === null || schema === undefined) return [];
  const declared = operation.variableDefinitions ?? [];
  const names = declared.map(({ variable }) => variable.name.value);
  const unknown = Object.keys(values as object).filter((name) => !names.includes(name));
  const { errors = [] } = getVariableValues(schema, declared, values as Record<string, unknown>);
  return [
    ...errors.map(({ message }) => message),
    ...unknown.map((name) => `The operation has no variable $${name}.`),
  ];
}
