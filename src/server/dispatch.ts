import { ServiceError, toServiceError } from '../errors/service-error.ts';
import { graphqlErrorResponse } from '../graphql/error-response.ts';
import { graphqlPath } from '../graphql/server.ts';
import { errorResponse } from '../http/error-response.ts';
import {
  cookieHeader,
  type HttpRequest,
  type HttpResponse,
  type InProcessResponse,
  type OutgoingResponse,
  requestIdHeader,
} from '../http/message.ts';
import { problemType, requestsProblem, toProblem } from '../http/problem.ts';
import { RequestFacts } from '../http/request-facts.ts';
import { requestIdOf } from '../http/request-id.ts';
import {
  type PreparedHeaders,
  type WrittenHeaders,
  writeHeaders,
} from '../http/written-headers.ts';
import type { Log } from '../lib/log.ts';
import { andThen, type MaybePromise } from '../lib/maybe-promise.ts';
import { defineMemo } from '../lib/memo.ts';
import { withRequestScope } from '../lib/request-scope.ts';
import type { ServiceMetrics } from '../metrics/service-metrics.ts';
import type { RestServer } from '../rest/rest-server.ts';
import type { Tracer } from '../tracing/tracer.ts';
import type { AccessLog, AccessLogEntry } from './access-log.ts';
import type { Cors } from './cors.ts';
import { type GraphQLServers, graphqlAt, isForGraphQL, routeToGraphQL } from './graphql-route.ts';
import type { Pages } from './pages.ts';
import { type InterfaceName, openRequestCounts, type RequestCounts } from './request-counts.ts';
import { endRequestSpan, withinRequestSpan } from './request-span.ts';

/** The single entry point: every request, from a socket or in process, passes through here. */
export type Dispatcher = (request: HttpRequest) => MaybePromise<OutgoingResponse>;

/** The same in process. */
export type Dispatch = (request: HttpRequest) => Promise<InProcessResponse>;

export interface DispatchDeps extends GraphQLServers {
  readonly rest: RestServer;
  readonly pages: Pages;
  readonly cors: Cors;
  readonly metrics: ServiceMetrics;
  readonly count: RequestCounts;
  readonly log: Log;
  readonly accessLog: AccessLog;
  /** Null when tracing is off. */
  readonly tracer: Tracer | null;
  readonly publicUrl: () => string;
  /** Named in the refusal of a larger body. */
  readonly maxBodyBytes: number;
}

interface Routed {
  readonly via: InterfaceName;
  readonly operation: string;
  readonly response: HttpResponse;
}

/**
 * Dispatches by path prefix, before REST or GraphQL reads the request, so that an endpoint's name is never mistaken for
 * a page of the service.
 */
export function openDispatch(given: Omit<DispatchDeps, 'count'>): Dispatcher {
  const deps: DispatchDeps = { ...given, count: openRequestCounts(given.metrics) };
  return (request) => {
    const sent = request.headers.get(requestIdHeader);
    const requestId = requestIdOf(sent);
    const facts = new RequestFacts(requestId, requestId === sent);
    const { tracer } = deps;
    if (tracer === null) return withRequestScope(facts, () => respond(deps, request, facts));
    const about = { facts, publicUrl: deps.publicUrl() };
    return withinRequestSpan(tracer, request, about, () =>
      withRequestScope(facts, () => respond(deps, request, facts)),
    );
  };
}

function respond(
  deps: DispatchDeps,
  request: HttpRequest,
  facts: RequestFacts,
): MaybePromise<OutgoingResponse> {
  const startedAt = performance.now();
  const done = (routed: Routed) => finish(deps, request, { facts, startedAt, routed });
  try {
    const routed = route(deps, request);
    if (!(routed instanceof Promise)) return done(routed);
    return routed.catch((error: unknown) => failed(deps, error)).then(done);
  } catch (error) {
    return done(failed(deps, error));
  }
}

interface Responding {
  readonly facts: RequestFacts;
  readonly startedAt: number;
  readonly routed: Routed;
}

/** Counts and logs the response, and adds the headers common to all responses. */
function finish(
  deps: DispatchDeps,
  request: HttpRequest,
  { facts, startedAt, routed }: Responding,
): OutgoingResponse {
  const seconds = (performance.now() - startedAt) / 1000;
  const { via, operation } = routed;
  const response =
    routed.response.error === undefined
      ? routed.response
      : negotiate(deps, request, routed.response);
  const { status } = response;
  const entry = { request, facts, via, operation, status, seconds };
  deps.count(entry, seconds);
  logResponse(deps, entry, { startedAt, response });
  if (deps.tracer !== null) endRequestSpan(entry, response);
  const cors = via === 'page' ? noHeaders : deps.cors.headers(request.headers.get('origin'));
  const { body, events, trailers, head } = response;
  const { requestId, rate } = facts;
  if (head === undefined) {
    const headers = joinHeaders(response.headers, cors);
    for (const cookie of response.cookies ?? []) headers.push(cookieHeader, cookie);
    return { status, requestId, rate, headers, headerText: null, body, events, trailers };
  }
  const { flat, text } = preparedHeaders(head, response.headers, cors);
  return { status, requestId, rate, headers: flat, headerText: text, body, trailers };
}

/** A stream is logged when it ends, with its failure if there is one. */
function logResponse(
  { accessLog }: DispatchDeps,
  entry: Omit<AccessLogEntry, 'code'>,
  { startedAt, response }: { readonly startedAt: number; readonly response: HttpResponse },
): void {
  const { outcome, error } = response;
  if (outcome === undefined) {
    accessLog({ ...entry, code: error?.code });
    return;
  }
  void outcome.then((ended) => {
    const seconds = (performance.now() - startedAt) / 1000;
    accessLog({ ...entry, seconds, code: ended === 'ok' ? undefined : ended });
  });
}

/** Renders the error as problem details if the caller accepts them. */
function negotiate(
  { publicUrl }: DispatchDeps,
  request: HttpRequest,
  response: HttpResponse,
): HttpResponse {
  const { error, headers } = response;
  if (error === undefined || !requestsProblem(request.headers.get('accept'))) return response;
  const body = [toProblem(error, publicUrl())];
  return { ...response, headers: { ...headers, 'content-type': problemType }, body };
}

const headerMemo = defineMemo('header text');

/** Joined once for all requests from one origin that get the same response. */
function preparedHeaders(
  head: PreparedHeaders,
  own: HttpResponse['headers'],
  cors: HttpResponse['headers'],
): WrittenHeaders {
  if (head.written !== null && head.added === cors && headerMemo.isOn) return head.written;
  head.added = cors;
  head.written = writeHeaders(joinHeaders(own, cors));
  return head.written;
}

const noHeaders: Readonly<Record<string, string>> = {};

function route(deps: DispatchDeps, request: HttpRequest): MaybePromise<Routed> {
  const { path } = request;
  if (typeof request.malformed === 'string') {
    const response = errorResponse(new ServiceError('malformed_request', request.malformed));
    return { via: 'page', operation: 'malformed', response };
  }
  if (isPreflight(request)) {
    const headers = deps.cors.preflight(request.headers.get('origin'));
    return { via: 'page', operation: 'preflight', response: { status: 204, headers, body: [] } };
  }
  const graphql = graphqlAt(path);
  // A browser gets a page at such a path, and no other path under a project is a page.
  if (graphql !== null && isForGraphQL(request)) return routeToGraphQL(deps, request, graphql);
  if (graphql === null && PROJECT.test(path) && !request.isTooLarge)
    return routeToRest(deps, request);
  return deps.pages.respond(request).then((page) => routeOther(deps, request, page));
}

const PROJECT = /^\/api\/(?:projects|environments)\//;

async function routeOther(
  deps: DispatchDeps,
  request: HttpRequest,
  page: Awaited<ReturnType<Pages['respond']>>,
): Promise<Routed> {
  const { path } = request;
  if (page !== null) return { via: 'page', operation: page.name, response: page.response };
  if (request.isTooLarge) {
    const response = tooLarge(path, deps.maxBodyBytes);
    return { via: interfaceOf(path), operation: 'too_large', response };
  }
  const graphql = graphqlAt(path);
  if (graphql !== null) return routeToGraphQL(deps, request, graphql);
  if (path.startsWith('/api/')) return routeToRest(deps, request);
  const error = new ServiceError(
    'not_found',
    'This path does not exist. GraphQL is at /graphql, REST under /api/.',
  );
  return { via: 'page', operation: 'unknown', response: errorResponse(error) };
}

function routeToRest(deps: DispatchDeps, request: HttpRequest): MaybePromise<Routed> {
  return andThen(deps.rest.handle(request), (response) => ({
    via: 'rest',
    operation: response.operation,
    response,
  }));
}

function interfaceOf(path: string): InterfaceName {
  if (graphqlAt(path) !== null) return 'graphql';
  if (path.startsWith('/api/')) return 'rest';
  return path.startsWith(graphqlPath) ? 'graphql' : 'page';
}

/** Each interface has its own error body. */
function tooLarge(path: string, maxBytes: number): HttpResponse {
  const sentence = `The request body is larger than ${maxBytes} bytes.`;
  const error = new ServiceError('body_too_large', sentence);
  return interfaceOf(path) === 'graphql' ? graphqlErrorResponse(error) : errorResponse(error);
}

/** Combines the headers of every response with both lists; `vary` is merged. */
function joinHeaders(
  own: Readonly<Record<string, string>>,
  added: Readonly<Record<string, string>>,
): string[] {
  const joined = ['x-content-type-options', 'nosniff'];
  let vary = added.vary ?? '';
  for (const name in own) {
    const value = own[name] ?? '';
    if (name !== 'vary') joined.push(name, value);
    else vary = vary === '' ? value : `${value}, ${vary}`;
  }
  for (const name in added) if (name !== 'vary') joined.push(name, added[name] ?? '');
  if (vary !== '') joined.push('vary', vary);
  return joined;
}

function isPreflight(request: HttpRequest): boolean {
  return request.method === 'OPTIONS' && request.headers.has('access-control-request-method');
}

function failed(deps: DispatchDeps, error: unknown): Routed {
  const failure = toServiceError(error);
  deps.log.error({ internal: failure.internal }, failure.message);
  return { via: 'page', operation: 'failed', response: errorResponse(failure) };
}
