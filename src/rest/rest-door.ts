import type { GraphQLResolveInfo, GraphQLSchema } from 'graphql';
import type { RunAnswer } from '../core/run/run-answer.ts';
import { ServiceError, toServiceError } from '../domain/errors.ts';
import { hasScope } from '../domain/scope.ts';
import { createContext, type GatewayDeps } from '../graphql/context.ts';
import { logFailure } from '../graphql/errors.ts';
import { prepareDocuments } from '../graphql/prepared.ts';
import { parseJson } from '../lib/parse-json.ts';
import { documents } from './documents.ts';
import { type Match, openRouteMatcher } from './match-route.ts';
import {
  type RestResponse,
  respondEmpty,
  respondError,
  respondJson,
  respondRun,
} from './respond.ts';
import type { Route, RouteAnswer, RouteCall } from './route.ts';
import { routes } from './routes.ts';
import { readBody, readQuery } from './wire-input.ts';
import { takeVariables } from './wire-variables.ts';

/** A request as the REST door reads it. */
export interface RestRequest {
  readonly method: string;
  /** Not decoded. */
  readonly path: string;
  /** The query string with its question mark; empty when there is none. */
  readonly search: string;
  readonly headers: Headers;
  readonly body: Buffer;
  /** Aborted when the caller goes away. */
  readonly signal: AbortSignal;
}

export interface RestDoor {
  /** Never throws: every failure is an answer. */
  handle(request: RestRequest): Promise<RestAnswer>;
}

export interface RestAnswer extends RestResponse {
  /** The row that answered, for metrics; `unknown` when none did. */
  readonly operation: string;
}

type Found = Extract<Match<Route>, { kind: 'found' }>;

/** The documented surface: each row reads its input and asks the schema, which decides everything. */
export function openRestDoor(gateway: GatewayDeps, schema: GraphQLSchema): RestDoor {
  const match = openRouteMatcher(routes);
  const prepared = prepareDocuments(schema, documents);
  const resolveRun = runResolver(schema);

  async function answer(request: RestRequest, { row, params }: Found): Promise<RestResponse> {
    const context = createContext(gateway, {
      door: 'rest',
      authorization: request.headers.get('authorization'),
      signal: request.signal,
    });
    const principal = await context.principal();
    if (!hasScope(principal.scopes, row.scope)) {
      throw new ServiceError(
        'permission_denied',
        `The API key is missing the required scope '${row.scope}'.`,
      );
    }
    const call: RouteCall = {
      ...readInput(request, row),
      params,
      context,
      url: new URL(gateway.publicUrl() + request.path + request.search),
      run: (name, variables) => prepared.run(name, variables, context),
      runEndpoint: (args, { valueForm }) => resolveRun(args, { ...context, valueForm }),
    };
    return write(row, await row.answer(call), request);
  }

  return {
    async handle(request) {
      const found = match(request.method, request.path);
      if (found.kind === 'unknown') return { ...respondError(unknownPath()), operation: 'unknown' };
      if (found.kind === 'wrong_method')
        return { ...wrongMethod(request, found.allow), operation: 'unknown' };
      try {
        return { ...(await answer(request, found)), operation: found.row.id };
      } catch (error) {
        const failure = toServiceError(error);
        logFailure(failure, gateway.core.log);
        return { ...respondError(failure), operation: found.row.id };
      }
    },
  };
}

/** The schema's own resolver of runEndpoint, so that a run by REST is the run by GraphQL, without a document. */
function runResolver(schema: GraphQLSchema): (args: object, context: object) => Promise<RunAnswer> {
  const resolve = schema.getQueryType()?.getFields().runEndpoint?.resolve;
  if (resolve === undefined) throw new Error('the schema has no runEndpoint');
  return async (args, context) =>
    (await resolve(undefined, args, context, {} as GraphQLResolveInfo)) as RunAnswer;
}

/** A body wins over the query string; a null in it says nothing where the query string says something. */
function readInput(request: RestRequest, row: Route): Pick<RouteCall, 'input' | 'valueForm'> {
  const params = new URLSearchParams(request.search);
  const taken =
    row.takesVariables === true ? takeVariables(params) : { variables: undefined, rest: params };
  const query = {
    ...readQuery(taken.rest, row.query),
    ...(taken.variables === undefined ? {} : { variables: taken.variables }),
  };
  const body = row.body === null ? {} : readBody(parseBody(request), row.body);
  const given = Object.entries(body).filter(
    ([name, value]) => value !== null || !Object.hasOwn(query, name),
  );
  const input = { ...query, ...Object.fromEntries(given) };
  const fromText = taken.variables !== undefined && input.variables === taken.variables;
  return { input, valueForm: fromText ? 'text' : 'json' };
}

function parseBody(request: RestRequest): unknown {
  if (request.body.length === 0) return {};
  const type = request.headers.get('content-type') ?? '';
  if (!/^application\/json\s*(;|$)/i.test(type.trim())) {
    throw new ServiceError(
      'unsupported_media_type',
      'Send the body as Content-Type: application/json.',
    );
  }
  try {
    return parseJson(decoder.decode(request.body));
  } catch {
    throw new ServiceError(
      'malformed_json',
      'The body is not JSON, or is nested too deep. Send one JSON object.',
    );
  }
}

const decoder = new TextDecoder('utf-8', { fatal: true });

function write(row: Route, answer: RouteAnswer, request: RestRequest): RestResponse {
  if (answer.kind === 'run') return respondRun(answer.run, ifNoneMatch(request));
  if (answer.kind === 'empty') return respondEmpty(row.status);
  return respondJson(answer.status ?? row.status, answer.body);
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

function wrongMethod(request: RestRequest, allow: readonly string[]): RestResponse {
  const allowed = { allow: allow.join(', ') };
  if (request.method === 'OPTIONS') return respondEmpty(204, allowed);
  const error = new ServiceError('method_not_allowed', `This path takes ${allow.join(', ')}.`);
  const response = respondError(error);
  return { ...response, headers: { ...response.headers, ...allowed } };
}
