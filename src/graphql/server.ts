import { type GraphQLSchema, NoSchemaIntrospectionCustomRule, parse, Source } from 'graphql';
import { createYoga, type Plugin } from 'graphql-yoga';
import type { HttpResponse } from '../http/message.ts';
import type { ResponseBody } from '../http/response-body.ts';
import type { MaybePromise } from '../lib/maybe-promise.ts';
import type { RunResponse } from '../runs/run-response.ts';
import { createContext, type GatewayContext, type GatewayDeps, toPlainContext } from './context.ts';
import { noErrorCache, openDocumentCache } from './document-cache.ts';
import { toGraphQLError, withoutSuggestions, withShownWords } from './errors.ts';
import { checkLimits, listSizes, requireShallow } from './limits.ts';
import { openPersistedDocuments, type PersistedDocuments } from './persisted-documents.ts';
import { type KnownRun, openKnownRuns } from './prepare-run.ts';
import { type RawResults, spliceRawJson } from './raw-json.ts';
import { readParams } from './read-params.ts';
import { type Start, startOf } from './render-run.ts';
import type { GraphQLRequest, ServerContext, Trace } from './trace.ts';

/** GraphQL over HTTP: one request in, one response out. What needs no waiting is answered at once. */
export interface GraphQLServer {
  handle(request: GraphQLRequest): MaybePromise<HttpResponse>;
}

export const graphqlPath = '/graphql';

/**
 * A request that runs one endpoint and nothing else is known again by its text. Its run is started by the schema's own
 * resolver, and when a kept result answers it, the response that was made of that result before is sent again.
 * Everything else, and the first answer of each result, is made by Yoga.
 */
export function openGraphQLServer(gateway: GatewayDeps, schema: GraphQLSchema): GraphQLServer {
  const persisted = openPersistedDocuments(gateway.core.config);
  const yoga = openYoga(gateway, schema, persisted);
  const runs = openKnownRuns(schema);
  const { bodies: forms } = gateway.core;

  async function ask(
    asked: GraphQLRequest,
    key: string | null,
    started?: Started,
  ): Promise<HttpResponse> {
    const trace: Trace = { params: null, executed: null, isOk: false };
    const rawResults: RawResults = [];
    const given = started?.run;
    const response = await yoga.fetch(toRequest(gateway, asked), {
      rawResults,
      trace,
      asked,
      given,
    });
    const answer = await toAnswer(response, rawResults);
    if (!trace.isOk || answer.status !== 200 || !isPieces(answer.body)) return answer;
    if (trace.params !== null) persisted.keep(trace.params);
    const contentType = answer.headers['content-type'] ?? '';
    if (started !== undefined) return keepForm(asked, { ...answer, body: answer.body }, started);
    if (key !== null && trace.executed !== null) runs.learn(key, trace.executed, contentType);
    return answer;
  }

  /** The form of a run's answer under which it is sent again. */
  async function keepForm(
    asked: GraphQLRequest,
    answer: HttpResponse & { readonly body: readonly Buffer[] },
    { known, run }: Started,
  ): Promise<HttpResponse> {
    const answered = await run;
    if (!isKept(answered)) return answer;
    const start = startOf(known, answered, asked);
    const { name, encoding } = start;
    const { rows } = answered;
    const make = () => answer.body;
    const body = await forms.get({ name, encoding, rows, isRepeated: true, make });
    return toFormAnswer(start, body);
  }

  return {
    handle(asked) {
      const key = runs.keyOf(asked);
      const known = key === null ? undefined : runs.find(key);
      if (known === undefined) return ask(asked, key);
      const run = begin(() => runs.run(known.args, contextOf(gateway, asked)));
      if (!(run instanceof Promise) && isKept(run)) {
        const start = startOf(known, run, asked);
        const body = forms.find(start.name, run.rows);
        if (body !== undefined) return toFormAnswer(start, body);
      }
      return ask(asked, key, { known, run });
    },
  };
}

interface Started {
  readonly known: KnownRun;
  readonly run: MaybePromise<RunResponse>;
}

/** What is thrown at once is told by whoever asks for the run, as what fails later is. */
function begin(run: () => MaybePromise<RunResponse>): MaybePromise<RunResponse> {
  try {
    const started = run();
    if (started instanceof Promise) started.catch(() => undefined);
    return started;
  } catch (error) {
    const failed = Promise.reject<RunResponse>(error);
    failed.catch(() => undefined);
    return failed;
  }
}

/** A debug answer is its caller's alone, and one that was computed for its caller is not asked for again. */
function isKept(run: RunResponse): boolean {
  return run.isCached && run.debug === null;
}

function toFormAnswer({ headers, head }: Start, body: ResponseBody): HttpResponse {
  return { status: 200, headers, head, body };
}

function contextOf(
  gateway: GatewayDeps,
  asked: GraphQLRequest,
  rawResults: RawResults = [],
): GatewayContext {
  return createContext(gateway, {
    via: 'graphql',
    authorization: asked.headers.get('authorization'),
    source: asked,
    rawResults,
    remoteAddress: asked.remoteAddress,
  });
}

function toRequest(gateway: GatewayDeps, asked: GraphQLRequest): Request {
  const { method, search, headers, body, signal } = asked;
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
    healthCheckEndpoint: '/never-asked-for-here',
    logging: false,
    parserAndValidationCache: { documentCache: openDocumentCache(), errorCache: noErrorCache },
    maskedErrors: { maskError: (error) => shown(toGraphQLError(error, log)) },
    context: ({ rawResults, asked, given }) => ({
      ...toPlainContext(contextOf(gateway, asked, rawResults)),
      ...(given === undefined ? {} : { given }),
    }),
    plugins: [limitDocuments(config, schema), readParams(persisted), traceExecution()],
  });
}

/** Notes what ran, and whether it ran well. */
function traceExecution(): Plugin<ServerContext> {
  return {
    onExecute({ args }) {
      const { trace } = args.contextValue as unknown as ServerContext;
      const { document, operationName, variableValues } = args;
      const variables = (variableValues ?? {}) as Readonly<Record<string, unknown>>;
      trace.executed = { document, operationName, variables };
      return {
        onExecuteDone({ result }) {
          trace.isOk = 'data' in result && result.errors === undefined;
        },
      };
    },
  };
}

async function toAnswer(response: Response, rawResults: RawResults): Promise<HttpResponse> {
  const { status, body } = response;
  // Its headers come with their names as they were written.
  const all = [...response.headers].map(([name, value]) => [name.toLowerCase(), value] as const);
  const headers = Object.fromEntries(all.filter(([name]) => name !== 'content-length'));
  const type = headers['content-type'] ?? '';
  if (body !== null && /^(text\/event-stream|multipart\/mixed)/.test(type)) {
    return { status, headers, body: spliceStream(body, rawResults) };
  }
  return { status, headers, body: spliceRawJson(await response.text(), rawResults) };
}

function isPieces(body: HttpResponse['body']): body is readonly Buffer[] {
  return Array.isArray(body);
}

/** An event is written whole, so no token is ever cut by the end of a chunk. */
async function* spliceStream(
  body: ReadableStream<Uint8Array>,
  rawResults: RawResults,
): AsyncIterable<readonly Buffer[]> {
  for await (const chunk of body)
    yield spliceRawJson(Buffer.from(chunk).toString('utf8'), rawResults);
}

function limitDocuments(config: GatewayDeps['core']['config'], schema: GraphQLSchema): Plugin {
  const sizes = listSizes(schema);
  const limits = {
    maxDepth: config.maxQueryDepth,
    maxCost: config.maxQueryCost,
    maxAliases: config.maxQueryAliases,
    maxRuns: config.maxQueryRuns,
  };
  return {
    onParse({ setParseFn }) {
      const maxTokens = config.maxQueryTokens;
      setParseFn((text, options) => {
        const source = typeof text === 'string' ? new Source(text) : text;
        requireShallow(source, maxTokens);
        return parse(source, { ...options, maxTokens });
      });
      return ({ result, replaceParseResult }) => {
        if (result instanceof Error) replaceParseResult(withShownWords(result));
      };
    },
    onValidate({ params, addValidationRule, setResult }) {
      const refusals = checkLimits(params.documentAST, limits, sizes);
      if (refusals.length > 0) setResult([...refusals]);
      else if (!config.introspection) addValidationRule(NoSchemaIntrospectionCustomRule);
      return ({ valid, result, setResult: answer }) => {
        if (valid) return;
        const errors = (result as readonly Error[]).map(withShownWords);
        answer(config.introspection ? errors : errors.map(withoutSuggestions));
      };
    },
  };
}
