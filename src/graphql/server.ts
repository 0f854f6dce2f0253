import type { GraphQLSchema } from 'graphql';
import { createYoga, type Plugin } from 'graphql-yoga';
import type { HttpResponse, WholeResponse } from '../http/message.ts';
import type { Accepted, Rendering } from '../http/rendering.ts';
import { currentFacts } from '../http/request-facts.ts';
import { requestKey } from '../http/request-key.ts';
import type { ResponseBody } from '../http/response-body.ts';
import { andThen, type MaybePromise } from '../lib/maybe-promise.ts';
import { type PreparedRequest, renderingOf } from '../runs/prepared-runs.ts';
import { runEndpoint } from '../runs/run-endpoint.ts';
import type { RunResponse } from '../runs/run-response.ts';
import {
  type Caller,
  createContext,
  type GatewayContext,
  type GatewayDeps,
  toPlainContext,
} from './context.ts';
import { noErrorCache, openDocumentCache } from './document-cache.ts';
import { toGraphQLError, withoutSuggestions } from './errors.ts';
import { limitDocuments } from './limit-documents.ts';
import { openPersistedDocuments, type PersistedDocuments } from './persisted-documents.ts';
import { executedBy, readRun, renderFor, runKeyOf } from './prepare-run.ts';
import { type RawResults, spliceRawJson } from './raw-json.ts';
import { readParams } from './read-params.ts';
import { startedRun } from './request-runs.ts';
import type { GraphQLRequest, ServerContext, Trace } from './trace.ts';

/** GraphQL over HTTP: one request in, one response out, without a promise when nothing has to be waited for. */
export interface GraphQLServer {
  handle(request: GraphQLRequest): MaybePromise<HttpResponse>;
}

export const graphqlPath = '/graphql';

/**
 * A request that runs one endpoint and nothing else is prepared after its first response. From then on its run is
 * started here, and the response to a cached result is sent again without Yoga. Yoga handles everything else, and the
 * first response to each result.
 */
export function openGraphQLServer(gateway: GatewayDeps, schema: GraphQLSchema): GraphQLServer {
  const { preparedRuns, bodies } = gateway.core;
  const execute = openExecute(gateway, schema);
  return {
    handle(request) {
      const key = requestKey(request, runKeyOf);
      const prepared = key === null ? undefined : preparedRuns.find(key);
      if (prepared === undefined) return execute(request, { key });
      const started = start(gateway, request, prepared);
      if (!(started instanceof Promise) && isShared(started)) {
        const rendering = renderingOf(started, acceptedBy(request), prepared.render);
        const body = bodies.find(rendering.bodyName, started.rows);
        if (body !== undefined) return toRepeatedResponse(rendering, body);
      }
      return execute(request, { key, repeated: { prepared, started } });
    },
  };
}

/** `repeated`: the run of the document, where it has been started. */
type Execute = (
  request: GraphQLRequest,
  known: { readonly key: string | null; readonly repeated?: RepeatedRun },
) => Promise<HttpResponse>;

/** Executes by Yoga, then stores what a repeated request can reuse. */
function openExecute(gateway: GatewayDeps, schema: GraphQLSchema): Execute {
  const persisted = openPersistedDocuments(gateway.core.config);
  const yoga = openYoga(gateway, schema, persisted);
  return async (request, { key, repeated }) => {
    const trace: Trace = { params: null, executed: null, isOk: false };
    const rawResults: RawResults = [];
    const runs = repeated === undefined ? {} : { runs: startedRun(repeated.started) };
    const context = toPlainContext(contextOf(gateway, request, { rawResults, ...runs }));
    const server = { rawResults, trace, gateway: context };
    const fetched = await yoga.fetch(toRequest(gateway, request), server);
    const response = await toResponse(fetched, rawResults);
    if (!trace.isOk || response.status !== 200 || !isWhole(response)) return response;
    if (trace.params !== null) persisted.store(trace.params);
    if (repeated !== undefined) return storeBody(gateway, request, { response, ...repeated });
    const call = key === null || trace.executed === null ? null : readRun(schema, trace.executed);
    if (key !== null && call !== null) {
      const render = renderFor(response.headers['content-type'] ?? '');
      gateway.core.preparedRuns.store(key, call, { operation: 'graphql', render });
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
  const rendering = renderingOf(run, acceptedBy(request), prepared.render);
  const { bodyName: name, encoding } = rendering;
  const { rows } = run;
  const make = () => response.body;
  const body = await core.bodies.get({ name, encoding, rows, isRepeated: true, make });
  return toRepeatedResponse(rendering, body);
}

interface RepeatedRun {
  readonly prepared: PreparedRequest;
  readonly started: MaybePromise<RunResponse>;
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

/** Debug responses and freshly computed ones are for one caller only. */
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

function toRequest(gateway: GatewayDeps, request: GraphQLRequest): Request {
  const { method, search, headers, body, signal } = request;
  const hasBody = method !== 'GET' && method !== 'HEAD' && body.length > 0;
  return new Request(`${gateway.publicUrl()}${graphqlPath}${search}`, {
    method,
    headers: [...headers.entries()],
    signal,
    ...(hasBody ? { body: new Uint8Array(body) } : {}),
  });
}

function openYoga(gateway: GatewayDeps, schema: GraphQLSchema, persisted: PersistedDocuments) {
  const { config, log } = gateway.core;
  const shown = config.introspection ? (error: Error) => error : withoutSuggestions;
  return createYoga<ServerContext, GatewayContext>({
    schema,
    graphqlEndpoint: graphqlPath,
    graphiql: false,
    landingPage: false,
    cors: false,
    multipart: false,
    batching: false,
    maxRequestBodySize: false,
    healthCheckEndpoint: '/unused-health-check',
    logging: false,
    parserAndValidationCache: { documentCache: openDocumentCache(), errorCache: noErrorCache },
    maskedErrors: { maskError: (error) => shown(toGraphQLError(error, log)) },
    context: (server) => server.gateway,
    plugins: [limitDocuments(config, schema), readParams(persisted), traceExecution()],
  });
}

/** Records the executed document, whether it succeeded and the codes of its errors. */
function traceExecution(): Plugin<ServerContext> {
  return {
    onResultProcess({ result }) {
      const facts = currentFacts();
      if (facts !== null && 'errors' in result) facts.codes = codesOf(result.errors ?? []);
    },
    onExecute({ args }) {
      const { trace } = args.contextValue as unknown as ServerContext;
      trace.executed = executedBy(args);
      return {
        onExecuteDone({ result }) {
          trace.isOk = 'data' in result && result.errors === undefined;
        },
      };
    },
  };
}

/** Each code once, as the caller sees it. */
function codesOf(
  errors: readonly { readonly extensions?: Readonly<Record<string, unknown>> | undefined }[],
): readonly string[] {
  return [...new Set(errors.map(({ extensions }) => String(extensions?.code ?? 'error')))];
}

async function toResponse(response: Response, rawResults: RawResults): Promise<HttpResponse> {
  const { status, body } = response;
  // Yoga's headers are not in lower case.
  const all = [...response.headers].map(([name, value]) => [name.toLowerCase(), value] as const);
  const headers: Readonly<Record<string, string>> = {
    'cache-control': 'no-store',
    ...Object.fromEntries(all.filter(([name]) => name !== 'content-length')),
  };
  const type = headers['content-type'] ?? '';
  if (body !== null && /^(text\/event-stream|multipart\/mixed)/.test(type)) {
    return { status, headers, body: spliceStream(body, rawResults) };
  }
  return { status, headers, body: spliceRawJson(await response.text(), rawResults) };
}

function isWhole(response: HttpResponse): response is WholeResponse {
  return Array.isArray(response.body);
}

/** Yoga writes each event as one chunk, so no token is split between chunks. */
async function* spliceStream(
  body: ReadableStream<Uint8Array>,
  rawResults: RawResults,
): AsyncIterable<readonly Buffer[]> {
  for await (const chunk of body)
    yield spliceRawJson(Buffer.from(chunk).toString('utf8'), rawResults);
}
