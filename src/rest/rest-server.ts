import type { GraphQLSchema } from 'graphql';
import { requireScope } from '../access/principal.ts';
import { ServiceError, toServiceError } from '../errors/service-error.ts';
import { createContext, type GatewayDeps } from '../graphql/context.ts';
import { logFailure } from '../graphql/errors.ts';
import { prepareDocuments } from '../graphql/prepared-documents.ts';
import { runByField } from '../graphql/run-field.ts';
import { errorResponse } from '../http/error-response.ts';
import type { HttpResponse } from '../http/message.ts';
import type { RequestText } from '../http/request-text.ts';
import { andThen, type MaybePromise } from '../lib/maybe-promise.ts';
import { type Found, openRouteMatcher } from './match-route.ts';
import { documents, operations } from './operations/all.ts';
import { openParsedInputs, type ParsedInput, type ParsedInputs, readInput } from './read-input.ts';
import { respondEmpty, respondJson, respondRun } from './render-run.ts';
import type { Route, RouteCall, RouteResult } from './route.ts';

/** A request as the REST door reads it. */
export interface RestRequest extends RequestText {
  /** Aborted when the caller goes away. Costs something to ask for. */
  readonly signal: AbortSignal;
  /** The caller's; null when there is no socket. */
  readonly remoteAddress: string | null;
}

export interface RestServer {
  /** Never throws: every failure is an answer. What needs no waiting is answered at once. */
  handle(request: RestRequest): MaybePromise<RestResponse>;
}

export interface RestResponse extends HttpResponse {
  /** The row that answered, for metrics; `unknown` when none did. */
  readonly operation: string;
}

/** The documented surface: each row reads its input and asks the schema, which decides everything. */
export function openRestServer(gateway: GatewayDeps, schema: GraphQLSchema): RestServer {
  const match = openRouteMatcher(operations);
  const readings = openParsedInputs();
  const answer = openAnswers(gateway, schema, readings);
  return {
    handle(request) {
      const key = readings.keyOf(request);
      const known = key === null ? undefined : readings.find(key);
      if (known !== undefined) return answer(request, known, { key, known });
      const found = match(request.method, request.path);
      if (found.kind === 'unknown')
        return { ...errorResponse(unknownPath()), operation: 'unknown' };
      if (found.kind === 'wrong_method')
        return { ...wrongMethod(request, found.allow), operation: 'unknown' };
      return answer(request, found, { key, known: null });
    },
  };
}

interface Asked {
  /** Of the reading; null when it is not kept. */
  readonly key: string | null;
  readonly known: ParsedInput | null;
}

type Answers = (
  request: RestRequest,
  found: Found<Route>,
  asked: Asked,
) => MaybePromise<RestResponse>;

function openAnswers(gateway: GatewayDeps, schema: GraphQLSchema, readings: ParsedInputs): Answers {
  const prepared = prepareDocuments(schema, documents);
  const runEndpoint = runByField(schema);

  function answer(
    request: RestRequest,
    { row, params }: Found<Route>,
    { key, known }: Asked,
  ): MaybePromise<HttpResponse> {
    const context = createContext(gateway, {
      via: 'rest',
      authorization: request.headers.get('authorization'),
      source: request,
      remoteAddress: request.remoteAddress,
    });
    return andThen(context.principal(), (principal) => {
      requireScope(principal, row.scope);
      const reading = known ?? { row, params, ...readInput(request, row) };
      // Kept once it is known that the text can be read, and only for rows that are asked for over and over.
      if (known === null && key !== null && row.takesVariables === true)
        readings.keep(key, reading);
      context.valueSource = reading.valueSource;
      const call: RouteCall = {
        params,
        input: reading.input,
        context,
        url: () => new URL(gateway.publicUrl() + request.path + request.search),
        run: (name, variables) => prepared.run(name, variables, context),
        runEndpoint,
      };
      return andThen(row.respond(call), (given) => write(row, given, request));
    });
  }

  function write(row: Route, given: RouteResult, request: RestRequest): MaybePromise<HttpResponse> {
    if (given.kind === 'run') {
      const acceptEncoding = request.headers.get('accept-encoding');
      const reader = { ifNoneMatch: ifNoneMatch(request), acceptEncoding };
      return respondRun(given.run, gateway.core.bodies, reader);
    }
    if (given.kind === 'empty') return respondEmpty(row.status);
    return respondJson(row.status, given.body);
  }

  return (request, found, asked) => {
    const operation = found.row.id;
    const done = ({ status, headers, head, body, trailers }: HttpResponse): RestResponse => ({
      status,
      headers,
      head,
      body,
      trailers,
      operation,
    });
    const failed = (error: unknown): RestResponse => {
      const failure = toServiceError(error);
      logFailure(failure, gateway.core.log);
      return done(errorResponse(failure));
    };
    try {
      const answered = answer(request, found, asked);
      return answered instanceof Promise ? answered.then(done).catch(failed) : done(answered);
    } catch (error) {
      return failed(error);
    }
  };
}

/** Only a read can be told that nothing changed. */
function ifNoneMatch({ method, headers }: RestRequest): string | null {
  return method === 'GET' || method === 'HEAD' ? headers.get('if-none-match') : null;
}

function unknownPath(): ServiceError {
  return new ServiceError(
    'not_found',
    'There is nothing at this path. /api/docs lists the paths of the REST interface.',
  );
}

function wrongMethod(request: RestRequest, allow: readonly string[]): HttpResponse {
  const allowed = { allow: allow.join(', ') };
  if (request.method === 'OPTIONS') return respondEmpty(204, allowed);
  const error = new ServiceError('method_not_allowed', `This path takes ${allow.join(', ')}.`);
  return errorResponse(error, allowed);
}
