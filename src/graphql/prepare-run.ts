/**
 * Requests that run one endpoint and nothing else, known again by their text: the arguments of the run, read once.
 * What is kept follows from the text and the schema alone, so it never goes stale; who asks, and what the run
 * answers, is asked of the resolver each time. One of these belongs to one schema.
 */
import {
  type DocumentNode,
  type GraphQLSchema,
  getArgumentValues,
  getOperationAST,
  getVariableValues,
  Kind,
  type SelectionSetNode,
} from 'graphql';
import { LRUCache } from 'lru-cache';
import { nameOf, type RequestText } from '../http/request-text.ts';
import { fragmentsOf } from './fragments-of.ts';
import { type RunField, runByField, runFieldOf } from './run-field.ts';
import { fieldsOfTag } from './types/endpoint-run.ts';

/** What was executed for a request. */
export interface Executed {
  readonly document: DocumentNode;
  readonly operationName: string | null | undefined;
  readonly variables: Readonly<Record<string, unknown>>;
}

export interface KnownRun {
  /** Names the text among all that this process knows. */
  readonly id: number;
  readonly args: Readonly<Record<string, unknown>>;
  /** Of the answer. */
  readonly contentType: string;
}

export interface KnownRuns {
  /** Null when the text is too long to be kept. */
  keyOf(request: RequestText): string | null;
  find(key: string): KnownRun | undefined;
  /** Keeps the text when it is one run whose answer follows from the tag of the run. */
  learn(key: string, executed: Executed, contentType: string): void;
  readonly run: RunField;
}

const maxKnown = 2000;
const maxTextLength = 8192;
let lastId = 0;

export function openKnownRuns(schema: GraphQLSchema): KnownRuns {
  const known = new LRUCache<string, KnownRun>({ max: maxKnown });
  return {
    keyOf: (request) => nameOf(request, keyOf),
    find: (key) => known.get(key),
    learn(key, executed, contentType) {
      const args = argsOfRun(schema, executed);
      if (args === null) return;
      lastId += 1;
      known.set(key, { id: lastId, args, contentType });
    },
    run: runByField(schema),
  };
}

function keyOf({ method, search, headers, body }: RequestText): string | null {
  if (search.length + body.length > maxTextLength) return null;
  const accept = headers.get('accept') ?? '';
  if (method === 'GET') return `GET ${search}\n${accept}`;
  if (method !== 'POST' || headers.has('content-encoding')) return null;
  const type = headers.get('content-type') ?? '';
  return `POST ${search}\n${accept}\n${type}\n${body.toString('latin1')}`;
}

/** Null when the document is anything but one run with fields that follow from its tag. */
function argsOfRun(
  schema: GraphQLSchema,
  { document, operationName, variables }: Executed,
): KnownRun['args'] | null {
  const operation = getOperationAST(document, operationName);
  const [only, ...others] = operation?.selectionSet.selections ?? [];
  if (operation?.operation !== 'query' || others.length > 0) return null;
  if (only?.kind !== Kind.FIELD || only.name.value !== 'runEndpoint') return null;
  if (hasDirectives(operation) || hasDirectives(only) || only.selectionSet === undefined)
    return null;
  if (!followsFromTag(document, only.selectionSet)) return null;
  const { coerced } = getVariableValues(schema, operation.variableDefinitions ?? [], variables);
  if (coerced === undefined) return null;
  const args = getArgumentValues(runFieldOf(schema), only, coerced);
  return { ...args, input: args.input ?? {} };
}

function hasDirectives(node: { readonly directives?: readonly unknown[] }): boolean {
  return (node.directives ?? []).length > 0;
}

function followsFromTag(document: DocumentNode, set: SelectionSetNode): boolean {
  const fragments = fragmentsOf(document);
  const accepts = (selections: SelectionSetNode): boolean =>
    selections.selections.every((selection) => {
      if (hasDirectives(selection)) return false;
      if (selection.kind === Kind.FIELD) return fieldsOfTag.has(selection.name.value);
      if (selection.kind === Kind.INLINE_FRAGMENT) return accepts(selection.selectionSet);
      // The document is valid, so fragments do not go in circles.
      const fragment = fragments.get(selection.name.value);
      return fragment !== undefined && !hasDirectives(fragment) && accepts(fragment.selectionSet);
    });
  return accepts(set);
}
