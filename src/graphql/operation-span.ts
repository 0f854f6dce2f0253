import { type DocumentNode, getOperationAST } from 'graphql';
import { semantic } from '../tracing/attributes.ts';
import { currentSpan, type Span } from '../tracing/span.ts';

const maxNameLength = 128;

/** By the semantic conventions of GraphQL, without the document: it may have values. Null outside of a trace. */
export function startOperationSpan(executed: {
  readonly document: DocumentNode;
  readonly operationName?: string | null | undefined;
}): Span | null {
  const parent = currentSpan();
  if (parent === null) return null;
  const found = getOperationAST(executed.document, executed.operationName);
  const type = found?.operation ?? 'query';
  const attributes = {
    [semantic.graphqlOperationType]: type,
    [semantic.graphqlOperationName]: found?.name?.value.slice(0, maxNameLength),
  };
  return parent.start(type, { kind: 'internal', attributes });
}
