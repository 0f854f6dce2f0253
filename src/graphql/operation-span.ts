import { type DocumentNode, getOperationAST } from 'graphql';
import { semantic } from '../tracing/attributes.ts';
import { currentSpan, type Span } from '../tracing/span.ts';

const maxNameLength = 128;

interface Executed {
  readonly document: DocumentNode;
  readonly operationName?: string | null | undefined;
}

/**
 * Follows OpenTelemetry's GraphQL conventions, without the document, which may contain values. Null outside of a trace.
 */
export function startOperationSpan({ document, operationName }: Executed): Span | null {
  const parent = currentSpan();
  if (parent === null) return null;
  const found = getOperationAST(document, operationName);
  return start(parent, found?.operation ?? 'query', found?.name?.value ?? null);
}

/** The same for a query whose document was read for an earlier request. */
export function startKnownQuerySpan(name: string | null): Span | null {
  const parent = currentSpan();
  return parent === null ? null : start(parent, 'query', name);
}

/** The name of the operation; null when it has none. */
export function nameOfOperation(executed: Executed | null): string | null {
  if (executed === null) return null;
  return getOperationAST(executed.document, executed.operationName)?.name?.value ?? null;
}

function start(parent: Span, type: string, name: string | null): Span {
  const attributes = {
    [semantic.graphqlOperationType]: type,
    [semantic.graphqlOperationName]: name?.slice(0, maxNameLength),
  };
  return parent.start(type, { kind: 'internal', attributes });
}
