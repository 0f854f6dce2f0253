import type { GraphQLSchema } from 'graphql';
import { type Principal, requireProject, requireScope } from '../access/principal.ts';
import { ServiceError, toServiceError } from '../errors/service-error.ts';
import { createContext, type GatewayContext, type GatewayDeps } from '../graphql/context.ts';
import type { DataGraph } from '../graphql/data-graph/data-graph.ts';
import { readSchemaText } from '../graphql/data-graph/introspection/read-schema-text.ts';
import { logFailure } from '../graphql/errors.ts';
import { prepareDocuments } from '../graphql/prepared-documents.ts';
import { ifNoneMatchOf, readIfMatch } from '../http/conditional.ts';
import { errorResponse } from '../http/error-response.ts';
import type { HttpResponse, RequestText } from '../http/message.ts';
import { currentFacts } from '../http/request-facts.ts';
import { requestKey } from '../http/request-key.ts';
import { wrongMethodResponse } from '../http/wrong-method.ts';
import { andThen, type MaybePromise } from '../lib/maybe-promise.ts';
import { explainUnknownInput } from '../runs/explain-unknown-input.ts';
import type { PreparedRequest, PreparedRun, Render } from '../runs/prepared-runs.ts';
import { runEndpoint } from '../runs/run-endpoint.ts';
import { runQuery } from '../runs/run-query.ts';
import type { RunResponse } from '../runs/run-response.ts';
import { unsavedName } from '../runs/unsaved-query.ts';
import { loadRows } from '../tables/load-rows.ts';
import { type Found, openRouteMatcher } from './match-route.ts';
import { documents, operations } from './operations/all.ts';
import { type ParsedInput, readInput, runKeyOf } from './read-input.ts';
import { respondJson, revisionsOf } from './render-json.ts';
import {
  type RunRenderer,
  renderForced,
  renderRun,
  respondEmpty,
  respondRun,
} from './render-run.ts';
import { respondText } from './render-text.ts';
import type { Route, RouteCall, RouteResult } from './route.ts';
import { uploadOf } from './row-upload.ts';
import { streamRun } from './stream-run.ts';
import { UnknownInputError } from './wire-input.ts';

/** A request as the REST interface reads it. */
interface RestRequest extends RequestText {
  /** Aborted when the caller disconnects. Created on first read. */
  readonly signal: AbortSignal;
  /** The body of an upload, as it arrives; absent or null when `body` is complete. */
  readonly upload?: AsyncIterable<Buffer> | null;
  /** The caller's address; null when there is no socket. */
  readonly remoteAddress: string | null;
}

export interface RestServer {
  /** Never throws: every failure is a response. Returns no promise when nothing has to be awaited. */
  handle(request: RestRequest): MaybePromise<RestResponse>;
}

interface RestResponse extends HttpResponse {
  /** The operation that responded, for metrics; `unknown` when none did. */
  readonly operation: string;
}

/** The REST interface: each operation parses its input and executes documents of the GraphQL schema. */
export function openRestServer(
  gateway: GatewayDeps,
  schema: GraphQLSchema,
  dataGraph: DataGraph,
): RestServer {
  const { preparedRuns } = gateway.core;
  const match = openRouteMatcher(operations);
  const respondTo = openRows(gateway, schema, dataGraph);
  return {
    handle(request) {
      const key = requestKey(request, runKeyOf);
      const prepared = key === null ? undefined : preparedRuns.find(key);
      if (prepared !== undefined)
        return finish(gateway, prepared.request.operation, () =>
          repeatRun(gateway, request, prepared),
        );
      const found = match(request.method, request.path);
      if (found.kind === 'unknown')
        return { ...errorResponse(unknownPath()), operation: 'unknown' };
      if (found.kind === 'wrong_method')
        return { ...wrongMethodResponse(request.method, found.allow), operation: 'unknown' };
      currentFacts()?.noteTarget(found.params.projectId, found.params.name);
      return finish(gateway, found.row.id, () => respondTo(request, found, key));
    },
  };
}

/** Repeats a prepared request. */
function repeatRun(
  gateway: GatewayDeps,
  request: RestRequest,
  { run, request: { render } }: PreparedRequest,
): MaybePromise<HttpResponse> {
  currentFacts()?.noteTarget(run.call.projectId, run.call.name);
  const ran = runPrepared(gateway, contextOf(gateway, request), run);
  return andThen(ran, (response) =>
    respondRun(response, gateway.core.bodies, readerOf(request, render)),
  );
}

function runPrepared(
  { core }: GatewayDeps,
  context: GatewayContext,
  run: PreparedRun,
): MaybePromise<RunResponse> {
  return andThen(context.principal(), (principal) =>
    runEndpoint(core, principal, { run, caller: context }),
  );
}

type RespondTo = (
  request: RestRequest,
  found: Found<Route>,
  key: string | null,
) => MaybePromise<HttpResponse>;

function openRows(gateway: GatewayDeps, schema: GraphQLSchema, dataGraph: DataGraph): RespondTo {
  const prepared = prepareDocuments(schema, documents);
  return (request, { row, params }, key) => {
    const context = contextOf(gateway, request);
    return andThen(context.principal(), (principal) => {
      requireScope(principal, row.scope);
      if (params.projectId !== '') requireProject(principal, params.projectId);
      const parsed = readInputOf(request, row);
      if (parsed instanceof UnknownInputError)
        return refuseInput(gateway, principal, { params, error: parsed });
      currentFacts()?.noteTarget(null, null, parsed.input.version);
      if (parsed.isStream) return streamRun(gateway, request, { ...parsed, principal, params });
      const render = parsed.isForced ? renderForced : renderRun;
      const call: RouteCall = {
        params,
        input: parsed.input,
        valueSource: parsed.valueSource,
        projectId: () => requireProject(principal, params.projectId),
        ifMatch: () => revisionsOf(readIfMatch(request.headers.get('if-match'))),
        url: () => new URL(gateway.publicUrl() + request.path + request.search),
        run: (name, variables) => prepared.run(name, variables, context),
        runEndpoint: () =>
          runPrepared(
            gateway,
            context,
            prepareRun(gateway, { row, params, ...parsed, render }, key),
          ),
        runQuery: ({ query, input }) => {
          const { projectId } = params;
          const { valueSource } = parsed;
          const unsaved = {
            projectId,
            name: unsavedName,
            input,
            valueSource,
            via: 'rest',
          } as const;
          const run = gateway.core.preparedRuns.prepare(unsaved);
          return runQuery(gateway.core, principal, { run, query, caller: context });
        },
        readSchemaText: (fields) => {
          const { projectId } = params;
          return readSchemaText(dataGraph, gateway.core, { principal, projectId, fields });
        },
        loadRows: (given) =>
          loadRows(gateway.core, principal, { ...params, ...given, upload: uploadOf(request) }),
      };
      return andThen(row.respond(call), (result) =>
        respond(gateway, request, { row, result, render, context }),
      );
    });
  };
}

/** The input; for a run with an unknown one, the error, which its endpoint may explain. */
function readInputOf(request: RestRequest, row: Route): ParsedInput | UnknownInputError {
  try {
    return readInput(request, row);
  } catch (error) {
    if (row.takesVariables === true && error instanceof UnknownInputError) return error;
    throw error;
  }
}

async function refuseInput(
  { core }: GatewayDeps,
  principal: Principal,
  { params, error }: { readonly params: Found<Route>['params']; readonly error: UnknownInputError },
): Promise<never> {
  const { input, isInBody } = error;
  const explained = await explainUnknownInput(core, principal, { ...params, input, isInBody });
  if (explained === null) throw error;
  throw new ServiceError('invalid_input', explained, { attr: error.attr });
}

function prepareRun(
  { core }: GatewayDeps,
  {
    row,
    params,
    input,
    valueSource,
    render,
  }: Found<Route> & ParsedInput & { readonly render: Render },
  key: string | null,
): PreparedRun {
  const { projectId, name } = params;
  const call = { projectId, name, input, valueSource, via: 'rest' } as const;
  if (key === null) return core.preparedRuns.prepare(call);
  const request = { operation: row.id, render };
  return core.preparedRuns.store(key, call, request).run;
}

interface Responded {
  readonly row: Route;
  readonly result: RouteResult;
  /** Only set for a run. */
  readonly render: Render;
  readonly context: GatewayContext;
}

function respond(
  { core }: GatewayDeps,
  request: RestRequest,
  { row, result, render, context }: Responded,
): MaybePromise<HttpResponse> {
  if (result.kind === 'run') return respondRun(result.run, core.bodies, readerOf(request, render));
  if (result.kind === 'empty') return respondEmpty(row.status);
  if (result.kind === 'text') return respondText(request, result, core.bodies);
  const rendered = { ...result, rawResults: context.rawResults };
  return respondJson(request, result.status ?? row.status, rendered);
}

/** The work's response, or the error's if it fails. */
function finish(
  { core }: GatewayDeps,
  operation: string,
  work: () => MaybePromise<HttpResponse>,
): MaybePromise<RestResponse> {
  const done = (response: HttpResponse): RestResponse => {
    const { status, headers, head, body, events, trailers, outcome, error } = response;
    return { status, headers, head, body, events, trailers, outcome, error, operation };
  };
  const failed = (error: unknown): RestResponse => {
    const failure = toServiceError(error);
    logFailure(failure, core.log);
    return done(errorResponse(failure));
  };
  try {
    const response = work();
    return response instanceof Promise ? response.then(done).catch(failed) : done(response);
  } catch (error) {
    return failed(error);
  }
}

function contextOf(gateway: GatewayDeps, request: RestRequest): GatewayContext {
  return createContext(gateway, {
    via: 'rest',
    authorization: request.headers.get('authorization'),
    source: request,
    remoteAddress: request.remoteAddress,
  });
}

function readerOf(request: RestRequest, render: Render): RunRenderer {
  const acceptEncoding = request.headers.get('accept-encoding');
  return { acceptEncoding, ifNoneMatch: ifNoneMatchOf(request), render };
}

function unknownPath(): ServiceError {
  return new ServiceError(
    'not_found',
    'This path does not exist. /api/docs lists the paths of the REST interface.',
  );
}
