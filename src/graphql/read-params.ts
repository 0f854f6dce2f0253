import { GraphQLError } from 'graphql';
import type { GraphQLParams, Plugin } from 'graphql-yoga';
import { type ErrorCode, errorType } from '../errors/service-error.ts';
import {
  encodedBodyMessage,
  isJsonType,
  isUnencoded,
  jsonFault,
  notJsonTypeMessage,
  parseJsonBytes,
} from '../http/json-body.ts';
import type { RequestText } from '../http/message.ts';
import { parseJson } from '../lib/parse-json.ts';
import type { PersistedDocuments } from './persisted-documents.ts';
import type { ServerContext } from './trace.ts';

/**
 * Accepts only JSON, because any page can post a form without a CORS preflight. The body is parsed as in REST, so that
 * whole numbers in variables keep every digit.
 */
export function readParams(persisted: PersistedDocuments): Plugin<ServerContext> {
  return {
    onRequestParse({ request, setRequestParser, serverContext }) {
      const { trace } = serverContext as unknown as ServerContext;
      const complete = (params: GraphQLParams): GraphQLParams => {
        trace.params = params;
        return persisted.complete(params);
      };
      if (request.method === 'GET') {
        setRequestParser(({ url }) => complete(paramsOfUrl(new URL(url).searchParams)));
        return;
      }
      if (request.method !== 'POST') return;
      requireUnencoded(request.headers.get('content-encoding'));
      if (!isJsonType(request.headers.get('content-type'))) {
        throw requestError('unsupported_media_type', 415, notJsonTypeMessage);
      }
      setRequestParser(async (posted) => complete(parseParams(await posted.arrayBuffer())));
    },
  };
}

/** The parameters of a request, before a hash is replaced by its document. Throws a GraphQLError. */
export function paramsOf({ method, search, headers, body }: RequestText): GraphQLParams {
  if (method === 'GET') return paramsOfUrl(new URLSearchParams(search));
  requireUnencoded(headers.get('content-encoding'));
  if (!isJsonType(headers.get('content-type')))
    throw requestError('unsupported_media_type', 415, notJsonTypeMessage);
  return parseParams(body);
}

function parseParams(body: ArrayBuffer | Buffer): GraphQLParams {
  const params = parseOr(() => parseJsonBytes(body));
  if (params !== null && typeof params === 'object' && !Array.isArray(params))
    return params as GraphQLParams;
  throw requestError(
    'invalid_input',
    400,
    'The body must be a JSON object {query, variables, operationName}.',
  );
}

/** The same for GET; refuses repeated parameters. */
function paramsOfUrl(search: URLSearchParams): GraphQLParams {
  const names = ['query', 'operationName', 'variables', 'extensions'] as const;
  const twice = names.find((name) => search.getAll(name).length > 1);
  if (twice !== undefined)
    throw requestError('invalid_input', 400, `${twice} is given more than once.`);
  const readObject = (name: string): Record<string, unknown> | undefined => {
    const text = search.get(name);
    if (text === null || text === '') return undefined;
    return parseOr(() => parseJson(text), `${name} must be a JSON object.`) as Record<
      string,
      unknown
    >;
  };
  return {
    query: search.get('query') ?? '',
    ...(search.has('operationName') ? { operationName: search.get('operationName') ?? '' } : {}),
    variables: readObject('variables') ?? {},
    extensions: readObject('extensions') ?? {},
  };
}

/** @param refusal for a text that is not JSON. */
function parseOr(read: () => unknown, refusal?: string): unknown {
  try {
    return read();
  } catch (error) {
    const { code, message } = jsonFault(error, refusal);
    throw requestError(code, 400, message);
  }
}

function requireUnencoded(coding: string | null): void {
  if (isUnencoded(coding)) return;
  throw requestError('unsupported_media_type', 415, encodedBodyMessage);
}

/** An error in the request around the document: it has its own HTTP status, whatever the `Accept` header. */
function requestError(code: ErrorCode, status: number, message: string): GraphQLError {
  return new GraphQLError(message, {
    extensions: { code, type: errorType(code), attr: null, http: { status } },
  });
}
