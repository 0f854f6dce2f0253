/** Spec-compliant GraphQL over HTTP through Yoga, with our limits, errors and result bytes. */
import type { GraphQLError } from 'graphql';
import { createYoga, type Plugin, type YogaServerOptions } from 'graphql-yoga';
import type { Config } from '../config/config.ts';
import { toServiceError } from '../errors/service-error.ts';
import type { HttpResponse, WholeResponse } from '../http/message.ts';
import { currentFacts } from '../http/request-facts.ts';
import type { Log } from '../lib/log.ts';
import { withinSpan } from '../tracing/span.ts';
import type { GatewayContext } from './context.ts';
import { graphqlErrorResponse } from './error-response.ts';
import { toGraphQLError, withoutSuggestions } from './errors.ts';
import { mediaTypeOf } from './media-type.ts';
import { startOperationSpan } from './operation-span.ts';
import { executedBy } from './prepare-run.ts';
import { type RawResults, spliceRawJson } from './raw-json.ts';
import type { GraphQLRequest, ServerContext } from './trace.ts';

export interface YogaDeps {
  readonly config: Pick<Config, 'introspection'>;
  readonly log: Log;
  readonly publicUrl: () => string;
}

type Options = YogaServerOptions<ServerContext, GatewayContext>;

/** Executes one request. The body's result bytes are spliced in; see raw-json.ts. */
export type FetchGraphQL<Context extends ServerContext> = (
  request: GraphQLRequest,
  context: Context,
) => Promise<HttpResponse>;

/** The path used for calling Yoga, whatever the request's own path is. */
const yogaPath = '/graphql';

export function openYoga<Context extends ServerContext>(
  { config, log, publicUrl }: YogaDeps,
  given: Pick<Options, 'schema' | 'plugins'>,
): FetchGraphQL<Context> {
  const shown = config.introspection ? (error: Error) => error : withoutSuggestions;
  const yoga = createYoga<ServerContext, GatewayContext>({
    ...given,
    // It would retain invalid documents with their errors; plugins cache the valid ones.
    parserAndValidationCache: false,
    graphqlEndpoint: yogaPath,
    graphiql: false,
    landingPage: false,
    cors: false,
    multipart: false,
    batching: false,
    maxRequestBodySize: false,
    healthCheckEndpoint: '/unused-health-check',
    logging: false,
    maskedErrors: { maskError: (error) => shown(toGraphQLError(error, log)) },
    context: (server) => server.gateway,
    plugins: [...(given.plugins ?? []), traceExecution()],
  });
  return async (request, context) => {
    let accept: string;
    try {
      // Yoga would find out only after it has executed the document.
      accept = mediaTypeOf(request.headers.get('accept'));
    } catch (error) {
      const refusal = toServiceError(error);
      context.trace.span?.end(refusal.code);
      return graphqlErrorResponse(refusal);
    }
    const fetched = await yoga.fetch(toRequest(publicUrl(), request, accept), context);
    // Nothing was executed.
    context.trace.span?.end();
    return toResponse(fetched, context.rawResults);
  };
}

/** Records the executed document, whether it succeeded and the codes of its errors. */
function traceExecution(): Plugin<ServerContext> {
  return {
    onResultProcess({ result }) {
      const facts = currentFacts();
      if (facts !== null && 'errors' in result) facts.codes = codesOf(result.errors ?? []);
    },
    onExecute({ args, executeFn, setExecuteFn }) {
      const { trace } = args.contextValue as unknown as ServerContext;
      trace.executed = executedBy(args);
      const span = trace.span ?? startOperationSpan(args);
      trace.span = null;
      if (span !== null) setExecuteFn((given) => withinSpan(span, () => executeFn(given)));
      return {
        onExecuteDone({ result }) {
          trace.isOk = 'data' in result && result.errors === undefined;
          span?.end('errors' in result ? failureOf(result.errors ?? []) : undefined);
        },
      };
    },
  };
}

/** The code of the first error, which has none yet at the point where it was thrown. */
function failureOf([first]: readonly GraphQLError[]): string | undefined {
  if (first === undefined) return undefined;
  const { code } = first.extensions;
  return typeof code === 'string' ? code : toServiceError(first.originalError ?? first).code;
}

/** Distinct codes, as the caller sees them. */
function codesOf(
  errors: readonly { readonly extensions?: Readonly<Record<string, unknown>> | undefined }[],
): readonly string[] {
  const codes = errors.map(({ extensions: { code } = {} }) => code);
  return [...new Set(codes.map((code) => (typeof code === 'string' ? code : 'error')))];
}

function toRequest(publicUrl: string, request: GraphQLRequest, accept: string): Request {
  const { search, headers, body, signal } = request;
  // The response body is dropped when it is written.
  const method = request.method === 'HEAD' ? 'GET' : request.method;
  const hasBody = method !== 'GET' && body.length > 0;
  // A path of the public URL is not part of those that the service knows.
  return new Request(new URL(`${yogaPath}${search}`, publicUrl), {
    method,
    headers: [...[...headers.entries()].filter(([name]) => name !== 'accept'), ['accept', accept]],
    signal,
    ...(hasBody ? { body: new Uint8Array(body) } : {}),
  });
}

async function toResponse(response: Response, rawResults: RawResults): Promise<HttpResponse> {
  const { status, body } = response;
  // Yoga's header names are not in lower case.
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

/** Whether the document completed without an error and the response is in memory. */
export function isComplete(
  response: HttpResponse,
  { trace }: ServerContext,
): response is WholeResponse {
  return trace.isOk && response.status === 200 && Array.isArray(response.body);
}

/** Yoga writes each event as one chunk, so no token is split between chunks. */
async function* spliceStream(
  body: ReadableStream<Uint8Array>,
  rawResults: RawResults,
): AsyncIterable<readonly Buffer[]> {
  for await (const chunk of body)
    yield spliceRawJson(Buffer.from(chunk).toString('utf8'), rawResults);
}
