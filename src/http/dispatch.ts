import type { ServiceMetrics } from '../core/metrics.ts';
import { ServiceError, toErrorBody, toServiceError } from '../domain/errors.ts';
import { type GraphQLServer, graphqlPath } from '../graphql/server.ts';
import type { Log } from '../lib/log.ts';
import { withRequestScope } from '../lib/request-scope.ts';
import type { RestDoor } from '../rest/rest-door.ts';
import type { Cors } from './cors.ts';
import { type HttpRequest, type HttpResponse, textResponse } from './message.ts';
import type { Pages } from './pages.ts';
import { requestIdOf } from './request-id.ts';

/** The one entry of the service: every request, from a socket or in process, goes through here. */
export type Dispatch = (request: HttpRequest) => Promise<HttpResponse>;

export interface DispatchDeps {
  readonly rest: RestDoor;
  readonly graphql: GraphQLServer;
  readonly pages: Pages;
  readonly cors: Cors;
  readonly metrics: ServiceMetrics;
  readonly log: Log;
  readonly publicUrl: () => string;
  /** What a refused body is told. */
  readonly maxBodyBytes: number;
}

interface Routed {
  readonly door: 'rest' | 'graphql' | 'page';
  readonly operation: string;
  readonly response: HttpResponse;
}

/**
 * REST is told apart from GraphQL by the path's beginning and before either looks at it, so that no name
 * of an endpoint is ever taken for a page of the service.
 */
export function openDispatch(deps: DispatchDeps): Dispatch {
  return (request) => {
    const requestId = requestIdOf(request.headers.get('x-request-id'));
    return withRequestScope({ requestId }, () => answer(deps, request, requestId));
  };
}

async function answer(
  deps: DispatchDeps,
  request: HttpRequest,
  requestId: string,
): Promise<HttpResponse> {
  const startedAt = performance.now();
  const routed = await route(deps, request).catch((error: unknown) => failed(deps, error));
  const seconds = (performance.now() - startedAt) / 1000;
  const { door, operation, response } = routed;
  const { status } = response;
  deps.metrics.requests.add({ door, operation, status: String(status) });
  deps.metrics.requestSeconds.observe({ door, operation }, seconds);
  const path = request.path.slice(0, 300);
  const ms = Math.round(seconds * 1e6) / 1000;
  const level = status >= 500 ? 'warn' : door === 'page' ? 'debug' : 'info';
  deps.log[level]({ method: request.method, path, status, operation, ms }, 'request');
  const cors = door === 'page' ? {} : deps.cors.headers(request.headers.get('origin'));
  const headers = {
    ...mergeHeaders(response.headers, cors),
    'x-request-id': requestId,
    'x-content-type-options': 'nosniff',
  };
  return { ...response, headers };
}

async function route(deps: DispatchDeps, request: HttpRequest): Promise<Routed> {
  const { path } = request;
  if (isPreflight(request)) {
    const headers = deps.cors.preflight(request.headers.get('origin'));
    return { door: 'page', operation: 'preflight', response: { status: 204, headers, body: [] } };
  }
  const page = await deps.pages.answer(request);
  if (page !== null) return { door: 'page', operation: page.name, response: page.response };
  if (request.isTooLarge) {
    const response = tooLarge(path, deps.maxBodyBytes);
    return { door: doorOf(path), operation: 'too_large', response };
  }
  if (path.startsWith('/api/')) {
    const { operation, ...response } = await deps.rest.handle(request);
    return { door: 'rest', operation, response };
  }
  if (path === graphqlPath || path === `${graphqlPath}/`) {
    return { door: 'graphql', operation: 'graphql', response: await askGraphQL(deps, request) };
  }
  const error = new ServiceError(
    'not_found',
    'There is nothing at this path. GraphQL is at /graphql, REST under /api/.',
  );
  return { door: 'page', operation: 'unknown', response: errorResponse(error) };
}

async function askGraphQL(deps: DispatchDeps, request: HttpRequest): Promise<HttpResponse> {
  const { method, headers, body, signal } = request;
  const hasBody = method !== 'GET' && method !== 'HEAD' && body.length > 0;
  const asked = new Request(`${deps.publicUrl()}${graphqlPath}${request.search}`, {
    method,
    headers,
    signal,
    ...(hasBody ? { body: new Uint8Array(body) } : {}),
  });
  try {
    const { headers: answered, ...answer } = await deps.graphql.handle(asked);
    const kept = [...answered].filter(([name]) => name !== 'content-length');
    return { ...answer, headers: Object.fromEntries(kept) };
  } catch (error) {
    if (!signal.aborted) throw error;
    return errorResponse(new ServiceError('query_cancelled', 'The caller went away.'));
  }
}

function doorOf(path: string): Routed['door'] {
  if (path.startsWith('/api/')) return 'rest';
  return path.startsWith(graphqlPath) ? 'graphql' : 'page';
}

/** Each door tells it in its own form. */
function tooLarge(path: string, maxBytes: number): HttpResponse {
  const sentence = `The request body is larger than ${maxBytes} bytes.`;
  const error = new ServiceError('body_too_large', sentence);
  if (doorOf(path) !== 'graphql') return errorResponse(error);
  const { detail, ...extensions } = toErrorBody(error);
  return textResponse(
    413,
    'application/json',
    JSON.stringify({ errors: [{ message: detail, extensions }] }),
  );
}

/** Headers of both, where the names of `vary` add up. */
function mergeHeaders(
  own: Readonly<Record<string, string>>,
  added: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  const vary = [own.vary, added.vary].filter((names) => names !== undefined).join(', ');
  return { ...own, ...added, ...(vary === '' ? {} : { vary }) };
}

function isPreflight(request: HttpRequest): boolean {
  return request.method === 'OPTIONS' && request.headers.has('access-control-request-method');
}

function failed(deps: DispatchDeps, error: unknown): Routed {
  const failure = toServiceError(error);
  deps.log.error({ internal: failure.internal }, failure.message);
  return { door: 'page', operation: 'failed', response: errorResponse(failure) };
}

export function errorResponse(error: ServiceError): HttpResponse {
  return {
    status: error.status,
    headers: { 'content-type': 'application/json; charset=utf-8' },
    body: [Buffer.from(JSON.stringify(toErrorBody(error)))],
  };
}
