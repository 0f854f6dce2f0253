import type { GraphQLSchema } from 'graphql';
import type { HttpResponse, WholeResponse } from '../http/message.ts';
import type { Accepted, Rendering } from '../http/rendering.ts';
import { requestKey } from '../http/request-key.ts';
import type { ResponseBody } from '../http/response-body.ts';
import { andThen, type MaybePromise } from '../lib/maybe-promise.ts';
import { type PreparedRequest, renderingOf } from '../runs/prepared-runs.ts';
import { runEndpoint } from '../runs/run-endpoint.ts';
import type { RunResponse } from '../runs/run-response.ts';
import { type Span, withinSpan } from '../tracing/span.ts';
import {
  type Caller,
  createContext,
  type GatewayContext,
  type GatewayDeps,
  toPlainContext,
} from './context.ts';
import { cacheDocuments } from './document-cache.ts';
import { limitChecksOf, limitDocuments } from './limit-documents.ts';
import type { LimitChecks } from './limits.ts';
import { openSubscriptions } from './live/subscriptions.ts';
import { openTransports } from './live/transports.ts';
import type { Connecting } from './live/web-sockets.ts';
import { isComplete, openYoga } from './open-yoga.ts';
import { nameOfOperation, startKnownQuerySpan } from './operation-span.ts';
import { openPersistedDocuments, type PersistedDocuments } from './persisted-documents.ts';
import { PreparedDocument, readRun, renderFor, runKeyOf } from './prepare-run.ts';
import type { RawResults } from './raw-json.ts';
import { readParams } from './read-params.ts';
import { startedRun } from './request-runs.ts';
import type { GraphQLRequest, ServerContext, Trace } from './trace.ts';

/** GraphQL over HTTP: one request in, one response out, without a promise when nothing has to be awaited. */
export interface GraphQLServer {
  handle(request: GraphQLRequest): MaybePromise<HttpResponse>;
  /** Handles a WebSocket upgrade. Returns the status of the response. */
  upgrade(connection: Connecting): number;
}

export const graphqlPath = '/graphql';

/**
 * A request with a single run is prepared after its first response. From then on its run is started here, and the
 * response to a cached result is sent again without Yoga. Yoga handles everything else, and the first response to each
 * result.
 */
export function openGraphQLServer(gateway: GatewayDeps, schema: GraphQLSchema): GraphQLServer {
  const { preparedRuns, bodies } = gateway.core;
  const { config } = gateway.core;
  const persisted = openPersistedDocuments(config);
  const limits = limitChecksOf(config, schema);
  const execute = openExecute(gateway, schema, { persisted, limits });
  const subscriptions = openSubscriptions(gateway, schema, { persisted, limits });
  const transports = openTransports(gateway);
  return {
    upgrade: (connection) => transports.webSockets.upgrade(connection, subscriptions),
    handle(request) {
      const key = requestKey(request, runKeyOf);
      const prepared = key === null ? undefined : preparedRuns.find(key);
      if (prepared === undefined) {
        const streamed = transports.handle(request, subscriptions);
        if (streamed === null) return execute(request, { key });
        return streamed.then((response) => response ?? execute(request, { key }));
      }
      const span =
        gateway.core.tracer === null ? null : startKnownQuerySpan(nameOfPrepared(prepared));
      const run = () => start(gateway, request, prepared);
      const started = span === null ? run() : withinSpan(span, run);
      if (!(started instanceof Promise) && isShared(started)) {
        const rendering = renderingOf(started, acceptedBy(request), prepared.request.render);
        const body = bodies.find(rendering.bodyName, started.rows);
        if (body !== undefined) {
          span?.end();
          return toRepeatedResponse(rendering, body);
        }
      }
      return execute(request, { key, repeated: { prepared, started, span } });
    },
  };
}

/** `repeated`: the document's run, if it has been started. */
type Execute = (
  request: GraphQLRequest,
  known: { readonly key: string | null; readonly repeated?: RepeatedRun },
) => Promise<HttpResponse>;

/** Executes through Yoga, then stores what a repeated request can reuse. */
function openExecute(
  gateway: GatewayDeps,
  schema: GraphQLSchema,
  { persisted, limits }: { readonly persisted: PersistedDocuments; readonly limits: LimitChecks },
): Execute {
  const { config, log } = gateway.core;
  const { publicUrl } = gateway;
  const fetchGraphQL = openYoga<ServerContext>(
    { config, log, publicUrl },
    {
      schema,
      plugins: [cacheDocuments(), limitDocuments(config, limits), readParams(persisted)],
    },
  );
  return async (request, { key, repeated }) => {
    const span = repeated?.span ?? null;
    const trace: Trace = { params: null, executed: null, isOk: false, span };
    const rawResults: RawResults = [];
    const runs = repeated === undefined ? {} : { runs: startedRun(repeated.started) };
    const context = toPlainContext(contextOf(gateway, request, { rawResults, ...runs }));
    const server = { rawResults, trace, gateway: context };
    const response = await fetchGraphQL(request, server);
    if (!isComplete(response, server)) return response;
    if (trace.params !== null) persisted.store(trace.params);
    if (repeated !== undefined) return storeBody(gateway, request, { response, ...repeated });
    const call = key === null || trace.executed === null ? null : readRun(schema, trace.executed);
    if (key !== null && call !== null) {
      const render = renderFor(response.headers['content-type'] ?? '');
      const name = nameOfOperation(trace.executed);
      gateway.core.preparedRuns.store(key, call, new PreparedDocument(render, name));
    }
    return response;
  };
}

/** The response, re-encoded as a repeated request will get it. */
async function storeBody(
  { core }: GatewayDeps,
  request: GraphQLRequest,
  { response, prepared, started }: RepeatedRun & { readonly response: WholeResponse },
): Promise<HttpResponse> {
  const run = await started;
  if (!isShared(run)) return response;
  const rendering = renderingOf(run, acceptedBy(request), prepared.request.render);
  const { bodyName: name, encoding } = rendering;
  const { rows } = run;
  const make = () => response.body;
  const body = await core.bodies.get({ name, encoding, rows, isRepeated: true, make });
  return toRepeatedResponse(rendering, body);
}

interface RepeatedRun {
  readonly prepared: PreparedRequest;
  readonly started: MaybePromise<RunResponse>;
  /** Span of its operation; null when tracing is off. */
  readonly span: Span | null;
}

function nameOfPrepared({ request }: PreparedRequest): string | null {
  return request instanceof PreparedDocument ? request.name : null;
}

/** Never throws: Yoga resolves the field with this run and reports the failure. */
function start(
  gateway: GatewayDeps,
  request: GraphQLRequest,
  { run }: PreparedRequest,
): MaybePromise<RunResponse> {
  try {
    const context = contextOf(gateway, request);
    const started = andThen(context.principal(), (principal) =>
      runEndpoint(gateway.core, principal, { run, caller: context }),
    );
    if (started instanceof Promise) started.catch(() => undefined);
    return started;
  } catch (error) {
    const failed = Promise.reject<RunResponse>(error);
    failed.catch(() => undefined);
    return failed;
  }
}

/** Debug responses and freshly computed ones are only for one caller. */
function isShared(run: RunResponse): boolean {
  return run.renderingSlot !== null;
}

function acceptedBy({ headers }: GraphQLRequest): Accepted {
  return { acceptEncoding: headers.get('accept-encoding'), ifNoneMatch: null };
}

function toRepeatedResponse(
  { status, headers, head }: Rendering,
  body: ResponseBody,
): HttpResponse {
  return { status, headers, head, body };
}

function contextOf(
  gateway: GatewayDeps,
  request: GraphQLRequest,
  own: Pick<Caller, 'rawResults' | 'runs'> = {},
): GatewayContext {
  return createContext(gateway, {
    via: 'graphql',
    authorization: request.headers.get('authorization'),
    source: request,
    remoteAddress: request.remoteAddress,
    ...own,
  });
}
