/**
 * The URL state of a GraphQL page. The document is in the hash, which is not sent to servers or logged, and which may
 * be long. Pure.
 */

export const graphNames = { data: 'Data graph', service: 'Management' } as const;

/** The project's own endpoints, typed; or the API that manages the service. */
export type GraphName = keyof typeof graphNames;

export interface GraphDraft {
  readonly document: string;
  /** JSON, as typed. */
  readonly variables: string;
  /** The operation to run; empty for the only one. */
  readonly operation: string;
}

export const noDraft: GraphDraft = { document: '', variables: '', operation: '' };

const names = { document: 'query', variables: 'variables', operation: 'operationName' } as const;

export function graphOf(params: URLSearchParams): GraphName {
  return params.get('graph') === 'service' ? 'service' : 'data';
}

export function readDraft(hash: string): GraphDraft {
  const params = new URLSearchParams(hash.replace(/^#/, ''));
  return {
    document: params.get(names.document) ?? '',
    variables: params.get(names.variables) ?? '',
    operation: params.get(names.operation) ?? '',
  };
}

/** Empty for a draft without a document. */
export function writeDraft(draft: GraphDraft): string {
  if (draft.document.trim() === '') return '';
  const params = new URLSearchParams();
  for (const part of ['document', 'variables', 'operation'] as const)
    if (draft[part].trim() !== '') params.set(names[part], draft[part]);
  return `#${params}`;
}

/** The path that documents for the graph are sent to. */
export function graphPath(graph: GraphName, project: string): string {
  return graph === 'service' ? '/graphql' : `/api/projects/${encodeURIComponent(project)}/graphql`;
}
