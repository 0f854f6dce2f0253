/** Adds a span to each statement of a trace, following OpenTelemetry's database conventions. */
import { toServiceError } from '../../../errors/service-error.ts';
import { semantic } from '../../../tracing/attributes.ts';
import { currentSpan, type Span, withinSpan } from '../../../tracing/span.ts';
import { EngineError } from '../errors/engine-error.ts';
import type { EngineClient, EngineRequest, EngineResponse } from './http-client.ts';
import { querySummary } from './query-summary.ts';

export function tracedClient(client: EngineClient, url: string): EngineClient {
  const { hostname, port, protocol } = new URL(url);
  const server = {
    [semantic.dbSystemName]: 'clickhouse',
    [semantic.serverAddress]: hostname,
    [semantic.serverPort]: Number(port) || (protocol === 'https:' ? 443 : 80),
  };
  return {
    ...client,
    send(request) {
      const parent = currentSpan();
      if (parent === null) return client.send(request);
      const summary = querySummary(request.sql);
      const attributes = {
        ...server,
        [semantic.dbNamespace]: request.login.database,
        [semantic.dbQuerySummary]: summary,
      };
      return sendWithin(client, request, parent.start(summary, { kind: 'client', attributes }));
    },
  };
}

/** A streamed response belongs to the span until it ends. */
async function sendWithin(
  client: EngineClient,
  request: EngineRequest,
  span: Span,
): Promise<EngineResponse> {
  try {
    const response = await withinSpan(span, () => client.send(request));
    const { incoming } = response;
    if (incoming === undefined) span.end();
    else incoming.once('close', () => span.end(incoming.complete ? undefined : 'query_cancelled'));
    return response;
  } catch (error) {
    span.end(failureOf(span, error));
    throw error;
  }
}

/** The engine's own error number if it responded. */
function failureOf(span: Span, error: unknown): string {
  if (!(error instanceof EngineError)) return toServiceError(error).code;
  const code = String(error.code);
  span.set({ [semantic.dbResponseStatusCode]: code });
  return code;
}
