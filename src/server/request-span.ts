/**
 * The server span of a request, following OpenTelemetry's HTTP conventions. Excludes the query string, which contains
 * values of variables.
 */
import type { IncomingMessage } from 'node:http';
import type { HttpRequest, HttpResponse } from '../http/message.ts';
import type { RequestFacts } from '../http/request-facts.ts';
import { operations } from '../rest/operations/all.ts';
import { own, semantic } from '../tracing/attributes.ts';
import { currentSpan, type SpanAttributes, withinSpan } from '../tracing/span.ts';
import type { Tracer } from '../tracing/tracer.ts';

const maxPathLength = 300;

/** Methods that the conventions know. */
const methods: ReadonlySet<string> = new Set([
  'CONNECT',
  'DELETE',
  'GET',
  'HEAD',
  'OPTIONS',
  'PATCH',
  'POST',
  'PUT',
  'QUERY',
  'TRACE',
]);

/** Responds within a new span that continues the caller's trace. */
export function withinRequestSpan<T>(
  tracer: Tracer,
  request: HttpRequest,
  { facts, publicUrl }: { readonly facts: RequestFacts; readonly publicUrl: string },
  respond: () => T,
): T {
  const { headers } = request;
  const attributes = {
    ...placeOf(request, headers.get('host'), publicUrl),
    [own.requestId]: facts.requestId,
  };
  const span = tracer.begin(nameOf(request.method), { kind: 'server', attributes, headers });
  return withinSpan(span, respond);
}

interface Upgrading {
  readonly request: IncomingMessage;
  readonly path: string;
  readonly operation: string;
  readonly publicUrl: string;
}

/**
 * The same for a WebSocket upgrade, whose span ends once the socket is open. Later messages have no headers, so their
 * runs start their own traces.
 *
 * @param upgrade returns the status.
 */
export function traceUpgrade(
  tracer: Tracer,
  { request: { headers: given }, path, operation, publicUrl }: Upgrading,
  upgrade: () => number,
): void {
  const headers = {
    get: (name: string) => {
      const value = given[name];
      return Array.isArray(value) ? value.join(', ') : (value ?? null);
    },
  };
  const request = { method: 'GET', path };
  const route = routes.get(operation);
  const attributes = {
    ...placeOf(request, headers.get('host'), publicUrl),
    [semantic.httpRoute]: route,
  };
  const span = tracer.begin(`GET ${route}`, { kind: 'server', attributes, headers });
  const status = upgrade();
  span.set({ [semantic.httpResponseStatusCode]: status });
  span.end(status >= 500 ? String(status) : undefined);
}

type Placed = Pick<HttpRequest, 'method' | 'path'>;

function placeOf(request: Placed, host: string | null, publicUrl: string): SpanAttributes {
  return {
    ...methodOf(request),
    [semantic.urlPath]: request.path.slice(0, maxPathLength),
    [semantic.urlScheme]: publicUrl.startsWith('https:') ? 'https' : 'http',
    ...serverOf(host),
  };
}

function methodOf({ method }: Pick<HttpRequest, 'method'>): SpanAttributes {
  if (methods.has(method)) return { [semantic.httpRequestMethod]: method };
  return {
    [semantic.httpRequestMethod]: '_OTHER',
    [semantic.httpRequestMethodOriginal]: method.slice(0, 32),
  };
}

function nameOf(method: string): string {
  return methods.has(method) ? method : 'HTTP';
}

/** Callers use few host names, and parsing one costs more than the rest of the span. */
let known: { readonly host: string; readonly server: SpanAttributes } | null = null;

function serverOf(host: string | null): SpanAttributes {
  if (host === null) return {};
  if (known?.host !== host) known = { host, server: parseHost(host) };
  return known.server;
}

function parseHost(host: string): SpanAttributes {
  if (!URL.canParse(`http://${host}`)) return {};
  const { hostname, port } = new URL(`http://${host}`);
  return {
    [semantic.serverAddress]: hostname,
    [semantic.serverPort]: port === '' ? undefined : Number(port),
  };
}

export interface EndedRequest {
  readonly request: HttpRequest;
  readonly operation: string;
}

/**
 * Ends the current span; a stream's span ends with the stream. A server span is an error from status 500 on: a caller's
 * mistake is not a failure of the service.
 */
export function endRequestSpan(
  { request, operation }: EndedRequest,
  { status, error, outcome }: Pick<HttpResponse, 'status' | 'error' | 'outcome'>,
): void {
  const span = currentSpan();
  if (span === null) return;
  const route = routes.get(operation);
  if (route !== undefined) span.rename(`${nameOf(request.method)} ${route}`);
  span.set({ [semantic.httpRoute]: route, [semantic.httpResponseStatusCode]: status });
  if (outcome === undefined) {
    span.end(status >= 500 ? (error?.code ?? String(status)) : undefined);
    return;
  }
  void outcome.then((ended) => span.end(isFailure(ended) ? ended : undefined));
}

/** A disconnected caller does not count as an error. */
function isFailure(outcome: string): boolean {
  return outcome !== 'ok' && outcome !== 'query_cancelled';
}

const project = '/api/projects/:project_id';

/** Routes by operation name. */
const routes: ReadonlyMap<string, string> = new Map([
  ...operations.map(
    ({ id, path }) => [id, path.startsWith('/api/') ? path : `${project}${path}`] as const,
  ),
  ['graphql', '/graphql'],
  ['data_graph', `${project}/graphql`],
]);
