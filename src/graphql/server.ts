import { GraphQLError, type GraphQLSchema, NoSchemaIntrospectionCustomRule, parse } from 'graphql';
import { createYoga, type GraphQLParams, type Plugin } from 'graphql-yoga';
import { type ErrorCode, errorType } from '../domain/errors.ts';
import { parseJson } from '../lib/parse-json.ts';
import { createContext, type GatewayContext, type GatewayDeps } from './context.ts';
import { toGraphQLError } from './errors.ts';
import { limitRule } from './limits.ts';
import { type RawResults, spliceRawJson } from './raw-json.ts';

/** GraphQL over HTTP: one request in, one response out. */
export interface GraphQLServer {
  handle(request: Request): Promise<GraphQLAnswer>;
}

export interface GraphQLAnswer {
  readonly status: number;
  readonly headers: Headers;
  /** In pieces, since result bytes are not copied; a stream for incremental answers. */
  readonly body: readonly Buffer[] | AsyncIterable<readonly Buffer[]>;
}

export const graphqlPath = '/graphql';

interface Server {
  readonly rawResults: RawResults;
}

export function openGraphQLServer(gateway: GatewayDeps, schema: GraphQLSchema): GraphQLServer {
  const { config, log } = gateway.core;
  const yoga = createYoga<Server, GatewayContext>({
    schema,
    graphqlEndpoint: graphqlPath,
    graphiql: false,
    landingPage: false,
    cors: false,
    multipart: false,
    batching: false,
    maxRequestBodySize: false,
    healthCheckEndpoint: '/never-asked-for-here',
    logging: false,
    maskedErrors: { maskError: (error) => toGraphQLError(error, log) },
    context: ({ request, rawResults }) =>
      createContext(gateway, {
        door: 'graphql',
        authorization: request.headers.get('authorization'),
        signal: request.signal,
        rawResults,
      }),
    plugins: [limitDocuments(config), readBodies()],
  });
  return {
    async handle(request) {
      const rawResults: RawResults = [];
      return toAnswer(await yoga.fetch(request, { rawResults }), rawResults);
    },
  };
}

async function toAnswer(response: Response, rawResults: RawResults): Promise<GraphQLAnswer> {
  const { status, headers, body } = response;
  const type = headers.get('content-type') ?? '';
  if (body !== null && /^(text\/event-stream|multipart\/mixed)/.test(type)) {
    return { status, headers, body: spliceStream(body, rawResults) };
  }
  return { status, headers, body: spliceRawJson(await response.text(), rawResults) };
}

/** An event is written whole, so no token is ever cut by the end of a chunk. */
async function* spliceStream(
  body: ReadableStream<Uint8Array>,
  rawResults: RawResults,
): AsyncIterable<readonly Buffer[]> {
  for await (const chunk of body)
    yield spliceRawJson(Buffer.from(chunk).toString('utf8'), rawResults);
}

function limitDocuments(config: GatewayDeps['core']['config']): Plugin {
  const rule = limitRule({
    maxDepth: config.maxQueryDepth,
    maxCost: config.maxQueryCost,
    maxAliases: config.maxQueryAliases,
  });
  return {
    onParse({ setParseFn }) {
      setParseFn((source, options) =>
        parse(source, { ...options, maxTokens: config.maxQueryTokens }),
      );
    },
    onValidate({ addValidationRule }) {
      addValidationRule(rule);
      if (!config.introspection) addValidationRule(NoSchemaIntrospectionCustomRule);
    },
  };
}

/**
 * A form can be posted from any page without asking, so GraphQL takes JSON only; and it is read as the
 * REST door reads it, so that whole numbers in variables keep every digit.
 */
function readBodies(): Plugin {
  return {
    onRequestParse({ request, setRequestParser }) {
      if (request.method !== 'POST') return;
      const type = (request.headers.get('content-type') ?? '').trim();
      if (!/^application\/json\b/i.test(type)) {
        throw requestError(
          'unsupported_media_type',
          415,
          'Send the request as Content-Type: application/json.',
        );
      }
      setRequestParser(async (posted) => parseParams(await posted.text()));
    },
  };
}

function parseParams(text: string): GraphQLParams {
  let params: unknown;
  try {
    params = parseJson(text);
  } catch {
    throw requestError(
      'malformed_json',
      400,
      'The body is not JSON, or is nested too deep. Send one JSON object.',
    );
  }
  if (params !== null && typeof params === 'object' && !Array.isArray(params))
    return params as GraphQLParams;
  throw requestError(
    'invalid_input',
    400,
    'The body is a JSON object {query, variables, operationName}.',
  );
}

/** A request that holds no document to speak of; told with a status of its own, whatever the caller accepts. */
function requestError(code: ErrorCode, status: number, message: string): GraphQLError {
  return new GraphQLError(message, {
    extensions: { code, type: errorType(code), attr: null, http: { status } },
  });
}
