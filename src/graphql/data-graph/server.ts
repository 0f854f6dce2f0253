import { toServiceError } from '../../errors/service-error.ts';
import { compressResponse } from '../../http/compress-response.ts';
import type { HttpResponse } from '../../http/message.ts';
import type { MaybePromise } from '../../lib/maybe-promise.ts';
import { type Span, withinSpan } from '../../tracing/span.ts';
import { type GatewayDeps, toPlainContext } from '../context.ts';
import { graphqlErrorResponse } from '../error-response.ts';
import { logFailure } from '../errors.ts';
import { openTransports } from '../live/transports.ts';
import type { Connecting } from '../live/web-sockets.ts';
import { isComplete, openYoga } from '../open-yoga.ts';
import { nameOfOperation, startKnownQuerySpan } from '../operation-span.ts';
import { openPersistedDocuments, type PersistedDocuments } from '../persisted-documents.ts';
import { readParams } from '../read-params.ts';
import type { GraphQLRequest, Trace } from '../trace.ts';
import { openCatalogue } from './catalogue.ts';
import type { DataGraph } from './data-graph.ts';
import { emptySchema, openDocuments } from './documents.ts';
import { type Allowed, GraphCaller } from './graph-caller.ts';
import { graphPlugin } from './graph-plugin.ts';
import type { GraphContext, GraphRequest, StartedRun } from './graph-request.ts';
import { openIntrospect } from './introspect.ts';
import { type KnownRuns, openKnownRuns } from './known-runs.ts';
import { openGraphSubscriptions } from './subscriptions.ts';

/** GraphQL over HTTP for the endpoints of one project as typed fields. */
export interface DataGraphServer {
  /** @param project as the caller wrote it: a number, or `@current`. */
  handle(request: GraphQLRequest, project: string): MaybePromise<HttpResponse>;
  /** Handles a WebSocket upgrade. Returns the status of the response. */
  upgrade(connection: Connecting, project: string): number;
}

export function openDataGraphServer(
  gateway: GatewayDeps,
  { introspection }: Pick<DataGraph, 'introspection'>,
): DataGraphServer {
  const catalogue = openCatalogue(gateway.core);
  const knownRuns = openKnownRuns(gateway.core, catalogue);
  const { config } = gateway.core;
  const introspect = openIntrospect(catalogue, introspection);
  const documents = openDocuments(config, catalogue);
  const persisted = openPersistedDocuments(config);
  const plugin = graphPlugin(documents, introspect);
  const execute = openExecute(gateway, { knownRuns, plugin, persisted });
  const transports = openTransports(gateway);
  const subscriptionsOf = (project: string) =>
    openGraphSubscriptions({ gateway, documents, persisted }, project);
  return {
    upgrade: (connection, project) =>
      transports.webSockets.upgrade(connection, subscriptionsOf(project)),
    handle(request, project) {
      const caller = new GraphCaller(gateway, request, project);
      const { key, known } = knownRuns.find(caller);
      if (known === null) {
        const streamed = transports.handle(request, subscriptionsOf(project));
        const unknown = { key, started: null, span: null };
        if (streamed === null) return execute(caller, unknown);
        return streamed.then((response) => response ?? execute(caller, unknown));
      }
      const { tracer } = gateway.core;
      const span = tracer === null ? null : startKnownQuerySpan(known.of.operationName);
      const repeat = () => knownRuns.repeat(caller, known);
      const repeated = span === null ? repeat() : withinSpan(span, repeat);
      const finish = (result: HttpResponse | StartedRun | null) => {
        if (result === null || !('status' in result))
          return execute(caller, { key, started: result, span });
        span?.end();
        return result;
      };
      return repeated instanceof Promise ? repeated.then(finish) : finish(repeated);
    },
  };
}

type Execute = (
  caller: GraphCaller,
  known: {
    readonly key: string | null;
    readonly started: StartedRun | null;
    /** Span of the operation, once started. */
    readonly span: Span | null;
  },
) => Promise<HttpResponse>;

/** Executes through Yoga, then stores what a repeated request can reuse. */
function openExecute(
  { core, publicUrl }: GatewayDeps,
  {
    knownRuns,
    plugin,
    persisted,
  }: {
    readonly knownRuns: KnownRuns;
    readonly plugin: ReturnType<typeof graphPlugin>;
    readonly persisted: PersistedDocuments;
  },
): Execute {
  const { config, log } = core;
  const fetchGraphQL = openYoga<GraphContext>(
    { config, log, publicUrl },
    {
      schema: emptySchema,
      plugins: [plugin, readParams(persisted)],
    },
  );
  return async (caller, { key, started, span }) => {
    let allowed: Allowed;
    try {
      allowed = await caller.allowed();
    } catch (error) {
      const failure = toServiceError(error);
      logFailure(failure, log);
      span?.end(failure.code);
      return graphqlErrorResponse(failure);
    }
    const trace: Trace = { params: null, executed: null, isOk: false, span };
    const graph: GraphRequest = {
      projectId: allowed.projectId,
      started,
      read: null,
      onlyRun: null,
      hasIntrospection: false,
    };
    const gateway = toPlainContext(caller.context);
    const context = { rawResults: gateway.rawResults, trace, gateway, graph };
    const response = await fetchGraphQL(caller.request, context);
    if (!isComplete(response, context)) return response;
    if (trace.params !== null) persisted.store(trace.params);
    const contentType = response.headers['content-type'] ?? '';
    if (key !== null && graph.onlyRun !== null) {
      const operationName = nameOfOperation(trace.executed);
      knownRuns.store(key, caller, { ...graph.onlyRun, contentType, operationName });
    }
    if (!graph.hasIntrospection) return response;
    return compressResponse(response, caller.request.headers.get('accept-encoding'));
  };
}
