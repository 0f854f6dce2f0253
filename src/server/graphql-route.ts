/** Requests to the two GraphQL servers: the service's, and the data graphs of its projects. */
import type { IncomingMessage } from 'node:http';
import { ServiceError } from '../errors/service-error.ts';
import { projectOfGraph } from '../graphql/data-graph/graph-path.ts';
import type { DataGraphServer } from '../graphql/data-graph/server.ts';
import { graphqlErrorResponse } from '../graphql/error-response.ts';
import type { Connecting } from '../graphql/live/web-sockets.ts';
import { type GraphQLServer, graphqlPath } from '../graphql/server.ts';
import { errorResponse } from '../http/error-response.ts';
import type { HttpRequest, HttpResponse } from '../http/message.ts';
import type { MaybePromise } from '../lib/maybe-promise.ts';
import type { Tracer } from '../tracing/tracer.ts';
import { traceUpgrade } from './request-span.ts';

export interface GraphQLServers {
  readonly graphql: GraphQLServer;
  readonly dataGraph: DataGraphServer;
}

/** The GraphQL server at a path; null when there is none. */
export interface GraphQLTarget {
  /** Its name in metrics and in the access log. */
  readonly operation: 'graphql' | 'data_graph';
  /** For a data graph: the project as the caller wrote it. */
  readonly project: string;
}

const ofService: GraphQLTarget = { operation: 'graphql', project: '' };

export function graphqlAt(path: string): GraphQLTarget | null {
  if (path === graphqlPath || path === `${graphqlPath}/`) return ofService;
  const project = projectOfGraph(path);
  return project === null ? null : { operation: 'data_graph', project };
}

/** A browser that opens the URL gets GraphiQL instead. */
export function isForGraphQL(request: HttpRequest): boolean {
  const { method, isTooLarge } = request;
  if (isTooLarge) return false;
  return method === 'POST' || (method === 'GET' && !wantsHtml(request));
}

export function wantsHtml({ headers }: HttpRequest): boolean {
  return headers.get('accept')?.includes('text/html') === true;
}

export interface RoutedToGraphQL {
  readonly via: 'graphql';
  readonly operation: string;
  readonly response: HttpResponse;
}

export function routeToGraphQL(
  { graphql, dataGraph }: GraphQLServers,
  request: HttpRequest,
  { operation, project }: GraphQLTarget,
): MaybePromise<RoutedToGraphQL> {
  const done = (response: HttpResponse) => ({ via: 'graphql', operation, response }) as const;
  if (request.method === 'OPTIONS') return done({ status: 204, headers: { allow }, body: [] });
  if (!methods.includes(request.method)) return done(wrongMethod());
  const response =
    operation === 'graphql' ? graphql.handle(request) : dataGraph.handle(request, project);
  if (!(response instanceof Promise)) return done(response);
  return response.then(done, (error: unknown) => {
    if (!request.signal.aborted) throw error;
    return done(errorResponse(new ServiceError('query_cancelled', 'The caller went away.')));
  });
}

/** Takes over a WebSocket connection at the path of a GraphQL server. */
export function upgradeAt(
  { graphql, dataGraph, tracer, publicUrl }: UpgradeDeps,
  connection: Connecting,
): void {
  const { request, socket } = connection;
  const path = pathOf(request);
  const target = graphqlAt(path);
  if (target === null) {
    socket.destroy();
    return;
  }
  const { operation, project } = target;
  const upgrade = () =>
    operation === 'graphql' ? graphql.upgrade(connection) : dataGraph.upgrade(connection, project);
  if (tracer === null) upgrade();
  else traceUpgrade(tracer, { request, path, operation, publicUrl: publicUrl() }, upgrade);
}

interface UpgradeDeps extends GraphQLServers {
  /** Null when tracing is off. */
  readonly tracer: Tracer | null;
  readonly publicUrl: () => string;
}

/** Whether a request is a WebSocket upgrade at this path. Other upgrade headers are ignored. */
export function isGraphQLSocket(request: IncomingMessage): boolean {
  const { headers, method } = request;
  if (method !== 'GET' || headers.upgrade?.toLowerCase() !== 'websocket') return false;
  return graphqlAt(pathOf(request)) !== null;
}

function pathOf({ url = '' }: IncomingMessage): string {
  return url.replace(/[?].*$/s, '');
}

/**
 * Other methods are refused here, because the platform's `Request` throws for some of them, which would look like an
 * internal error.
 */
const methods: readonly string[] = ['GET', 'HEAD', 'OPTIONS', 'POST', 'PUT', 'DELETE'];
const allow = methods.join(', ');

function wrongMethod(): HttpResponse {
  const error = new ServiceError('method_not_allowed', 'GraphQL accepts GET and POST.');
  const response = graphqlErrorResponse(error);
  return { ...response, headers: { ...response.headers, allow } };
}
