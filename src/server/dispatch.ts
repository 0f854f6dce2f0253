import { ServiceError, toErrorBody, toServiceError } from '../errors/service-error.ts';
import { type GraphQLServer, graphqlPath } from '../graphql/server.ts';
import { errorHeaders, errorResponse } from '../http/error-response.ts';
import {
  type HttpRequest,
  type HttpResponse,
  type InProcessResponse,
  type OutgoingResponse,
  requestIdHeader,
  textResponse,
} from '../http/message.ts';
import { requestIdOf } from '../http/request-id.ts';
import {
  type PreparedHeaders,
  type WrittenHeaders,
  writeHeaders,
} from '../http/written-headers.ts';
import type { Log } from '../lib/log.ts';
import { andThen, type MaybePromise } from '../lib/maybe-promise.ts';
import { withRequestScope } from '../lib/request-scope.ts';
import type { ServiceMetrics } from '../metrics/service-metrics.ts';
import type { RestServer } from '../rest/rest-server.ts';
import type { AccessLog } from './access-log.ts';
import type { Cors } from './cors.ts';
import { type Pages, wantsHtml } from './pages.ts';
import { type InterfaceName, openRequestCounts, type RequestCounts } from './request-counts.ts';

/** The one entry of the service: every request, from a socket or in process, goes through here. */
export type Dispatcher = (request: HttpRequest) => MaybePromise<OutgoingResponse>;

/** The same in process, for who takes an answer apart. */
export type Dispatch = (request: HttpRequest) => Promise<InProcessResponse>;

export interface DispatchDeps {
  readonly rest: RestServer;
  readonly graphql: GraphQLServer;
  readonly pages: Pages;
  readonly cors: Cors;
  readonly metrics: ServiceMetrics;
  readonly count: RequestCounts;
  readonly log: Log;
  readonly accessLog: AccessLog;
  readonly publicUrl: () => string;
  /** What a refused body is told. */
  readonly maxBodyBytes: number;
}

interface Routed {
  readonly door: InterfaceName;
  readonly operation: string;
  readonly response: HttpResponse;
}

/**
 * REST is told apart from GraphQL by the path's beginning and before either looks at it, so that no name
 * of an endpoint is ever taken for a page of the service.
 */
export function openDispatch(given: Omit<DispatchDeps, 'count'>): Dispatcher {
  const deps: DispatchDeps = { ...given, count: openRequestCounts(given.metrics) };
  return (request) => {
    const requestId = requestIdOf(request.headers.get(requestIdHeader));
    return withRequestScope({ requestId }, () => answer(deps, request, requestId));
  };
}

function answer(
  deps: DispatchDeps,
  request: HttpRequest,
  requestId: string,
): MaybePromise<OutgoingResponse> {
  const startedAt = performance.now();
  const done = (routed: Routed) => finish(deps, request, { requestId, startedAt, routed });
  try {
    const routed = route(deps, request);
    if (!(routed instanceof Promise)) return done(routed);
    return routed.catch((error: unknown) => failed(deps, error)).then(done);
  } catch (error) {
    return done(failed(deps, error));
  }
}

interface Answering {
  readonly requestId: string;
  readonly startedAt: number;
  readonly routed: Routed;
}

/** Counts and logs the answer, and gives it the headers that every one has. */
function finish(
  deps: DispatchDeps,
  request: HttpRequest,
  { requestId, startedAt, routed }: Answering,
): OutgoingResponse {
  const seconds = (performance.now() - startedAt) / 1000;
  const { door, operation, response } = routed;
  const { status } = response;
  const answered = { request, door, operation, status, seconds };
  deps.count(answered, seconds);
  deps.accessLog(answered);
  const cors = door === 'page' ? noHeaders : deps.cors.headers(request.headers.get('origin'));
  const { body, trailers, head } = response;
  if (head === undefined) {
    const headers = joinHeaders(response.headers, cors);
    return { status, requestId, headers, headText: null, body, trailers };
  }
  const { flat, text } = keptHeaders(head, response.headers, cors);
  return { status, requestId, headers: flat, headText: text, body, trailers };
}

/** Joined once for all who get the same answer from the same origin. */
function keptHeaders(
  head: PreparedHeaders,
  own: HttpResponse['headers'],
  cors: HttpResponse['headers'],
): WrittenHeaders {
  if (head.written !== null && head.added === cors) return head.written;
  head.added = cors;
  head.written = writeHeaders(joinHeaders(own, cors));
  return head.written;
}

const noHeaders: Readonly<Record<string, string>> = {};

function route(deps: DispatchDeps, request: HttpRequest): MaybePromise<Routed> {
  const { path } = request;
  if (typeof request.malformed === 'string') {
    const response = errorResponse(new ServiceError('malformed_request', request.malformed));
    return { door: 'page', operation: 'malformed', response };
  }
  if (isPreflight(request)) {
    const headers = deps.cors.preflight(request.headers.get('origin'));
    return { door: 'page', operation: 'preflight', response: { status: 204, headers, body: [] } };
  }
  // Nothing under a project is a page.
  if (PROJECT.test(path) && !request.isTooLarge) return askRest(deps, request);
  // Nor is anything that is posted.
  if (isGraphQL(request) && !request.isTooLarge) return askGraphQL(deps, request);
  return deps.pages.answer(request).then((page) => routeOther(deps, request, page));
}

/** A browser that looks at the address gets a page. */
function isGraphQL(request: HttpRequest): boolean {
  const { method, path } = request;
  if (path !== graphqlPath) return false;
  return method === 'POST' || (method === 'GET' && !wantsHtml(request));
}

const PROJECT = /^\/api\/(?:projects|environments)\//;

async function routeOther(
  deps: DispatchDeps,
  request: HttpRequest,
  page: Awaited<ReturnType<Pages['answer']>>,
): Promise<Routed> {
  const { path } = request;
  if (page !== null) return { door: 'page', operation: page.name, response: page.response };
  if (request.isTooLarge) {
    const response = tooLarge(path, deps.maxBodyBytes);
    return { door: doorOf(path), operation: 'too_large', response };
  }
  if (path.startsWith('/api/')) return askRest(deps, request);
  if (path === graphqlPath || path === `${graphqlPath}/`) {
    return askGraphQL(deps, request);
  }
  const error = new ServiceError(
    'not_found',
    'There is nothing at this path. GraphQL is at /graphql, REST under /api/.',
  );
  return { door: 'page', operation: 'unknown', response: errorResponse(error) };
}

function askRest(deps: DispatchDeps, request: HttpRequest): MaybePromise<Routed> {
  return andThen(deps.rest.handle(request), (response) => ({
    door: 'rest',
    operation: response.operation,
    response,
  }));
}

function askGraphQL(deps: DispatchDeps, request: HttpRequest): MaybePromise<Routed> {
  const done = (response: HttpResponse): Routed => ({
    door: 'graphql',
    operation: 'graphql',
    response,
  });
  if (!graphqlMethods.has(request.method)) return done(wrongGraphQLMethod());
  const answered = deps.graphql.handle(request);
  if (!(answered instanceof Promise)) return done(answered);
  return answered.then(done, (error: unknown) => {
    if (!request.signal.aborted) throw error;
    return done(errorResponse(new ServiceError('query_cancelled', 'The caller went away.')));
  });
}

/** Some others are refused by the platform's own requests, which would look like a fault of ours. */
const graphqlMethods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'OPTIONS']);

function wrongGraphQLMethod(): HttpResponse {
  const error = new ServiceError('method_not_allowed', 'GraphQL takes GET and POST.');
  const response = graphqlErrorResponse(error);
  return { ...response, headers: { ...response.headers, allow: 'GET, HEAD, OPTIONS, POST' } };
}

function doorOf(path: string): Routed['door'] {
  if (path.startsWith('/api/')) return 'rest';
  return path.startsWith(graphqlPath) ? 'graphql' : 'page';
}

/** Each door tells it in its own form. */
function tooLarge(path: string, maxBytes: number): HttpResponse {
  const sentence = `The request body is larger than ${maxBytes} bytes.`;
  const error = new ServiceError('body_too_large', sentence);
  return doorOf(path) === 'graphql' ? graphqlErrorResponse(error) : errorResponse(error);
}

function graphqlErrorResponse(error: ServiceError): HttpResponse {
  const { detail, ...extensions } = toErrorBody(error);
  const body = JSON.stringify({ errors: [{ message: detail, extensions }] });
  const response = textResponse(error.status, 'application/json', body);
  return { ...response, headers: { ...response.headers, ...errorHeaders(error) } };
}

/** Those that every answer has, and those of both, one after the other; the names of `vary` add up. */
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
  return { door: 'page', operation: 'failed', response: errorResponse(failure) };
}
