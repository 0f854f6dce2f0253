/** Requests with a single run: the run, and how its repeated response is rendered. */
import {
  type DocumentNode,
  type ExecutionArgs,
  type GraphQLSchema,
  getArgumentValues,
  getOperationAST,
  getVariableValues,
  Kind,
  type SelectionSetNode,
} from 'graphql';
import { bodyName, encodingFor } from '../http/compress.ts';
import type { RequestText } from '../http/message.ts';
import { PreparedHeaders } from '../http/written-headers.ts';
import type { InterfaceRequest, Render, RunCall } from '../runs/prepared-runs.ts';
import type { RunInput } from '../runs/run-request.ts';
import { fragmentsOf } from './fragments-of.ts';
import { fieldsCoveredByTag } from './types/endpoint-run.ts';

/** The document executed for a request, with its variables. */
export interface Executed {
  readonly document: DocumentNode;
  readonly operationName: string | null | undefined;
  readonly variables: Readonly<Record<string, unknown>>;
}

export function executedBy({ document, operationName, variableValues }: ExecutionArgs): Executed {
  const variables = (variableValues ?? {}) as Readonly<Record<string, unknown>>;
  return { document, operationName, variables };
}

const maxKeyLength = 8192;

/**
 * The key of a prepared request, whose meaning follows from its text and the schema alone; null for a text that is not
 * stored.
 */
export function runKeyOf({ method, search, headers, body }: RequestText): string | null {
  if (search.length + body.length > maxKeyLength) return null;
  const accept = headers.get('accept') ?? '';
  if (method === 'GET') return `GET ${search}\n${accept}`;
  if (method !== 'POST' || headers.has('content-encoding')) return null;
  const type = headers.get('content-type') ?? '';
  return `POST ${search}\n${accept}\n${type}\n${body.toString('latin1')}`;
}

/** The stored part of a document. */
export class PreparedDocument implements InterfaceRequest {
  readonly operation = 'graphql';
  readonly render: Render;
  /** Name of its operation; null when it has none. */
  readonly name: string | null;

  constructor(render: Render, name: string | null) {
    this.render = render;
    this.name = name;
  }
}

/** Null unless the document is a single run and its response's ETag covers all selected fields. */
export function readRun(
  schema: GraphQLSchema,
  { document, operationName, variables }: Executed,
): RunCall | null {
  const operation = getOperationAST(document, operationName);
  const [only, ...others] = operation?.selectionSet.selections ?? [];
  if (operation?.operation !== 'query' || others.length > 0) return null;
  if (only?.kind !== Kind.FIELD || only.name.value !== 'runEndpoint') return null;
  if (hasDirectives(operation) || hasDirectives(only) || only.selectionSet === undefined)
    return null;
  if (!followsFromTag(document, only.selectionSet)) return null;
  const field = schema.getQueryType()?.getFields().runEndpoint;
  const { coerced } = getVariableValues(schema, operation.variableDefinitions ?? [], variables);
  if (field === undefined || coerced === undefined) return null;
  const { projectId, name, input } = getArgumentValues(field, only, coerced);
  return {
    projectId: String(projectId),
    name: String(name),
    input: (input ?? {}) as RunInput,
    valueSource: 'json',
    via: 'graphql',
  };
}

let lastId = 0;

/** The body depends on the document's selection, so each prepared request has its own bodies. */
export function renderFor(contentType: string): Render {
  lastId += 1;
  const id = lastId;
  return (run, { acceptEncoding }) => {
    const encoding = encodingFor(run.rows.length, acceptEncoding);
    return {
      status: 200,
      headers: {
        'content-type': contentType,
        'cache-control': 'no-store',
        vary: 'Accept-Encoding',
        ...(encoding === null ? {} : { 'content-encoding': encoding }),
      },
      head: new PreparedHeaders(),
      bodyName: bodyName(`${run.etag}/graphql/${id}`, encoding),
      encoding,
    };
  };
}

function hasDirectives(node: { readonly directives?: readonly unknown[] }): boolean {
  return (node.directives ?? []).length > 0;
}

function followsFromTag(document: DocumentNode, set: SelectionSetNode): boolean {
  const fragments = fragmentsOf(document);
  const accepts = (selections: SelectionSetNode): boolean =>
    selections.selections.every((selection) => {
      if (hasDirectives(selection)) return false;
      if (selection.kind === Kind.FIELD) return fieldsCoveredByTag.has(selection.name.value);
      if (selection.kind === Kind.INLINE_FRAGMENT) return accepts(selection.selectionSet);
      // The document is valid, so its fragments have no cycles.
      const fragment = fragments.get(selection.name.value);
      return fragment !== undefined && !hasDirectives(fragment) && accepts(fragment.selectionSet);
    });
  return accepts(set);
}
