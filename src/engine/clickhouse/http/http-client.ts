/**
 * The engine's HTTP interface: one request, one complete response. Every wait has a timeout.
 *
 * Throws EngineError for an error response of the engine, ServiceError `engine_unavailable` when it cannot be reached,
 * `query_too_large` beyond `maxBytes`, and `query_cancelled` when the signal is aborted.
 */
import {
  type ClientRequest,
  Agent as HttpAgent,
  request as httpRequest,
  type IncomingMessage,
  type RequestOptions,
} from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import type { Readable } from 'node:stream';
import { urlToHttpOptions } from 'node:url';
import { ServiceError } from '../../../errors/service-error.ts';
import type { EngineStats } from '../../engine-stats.ts';
import { EngineError } from '../errors/engine-error.ts';
import { failure, unavailable } from '../errors/failures.ts';
import type { EngineNodes } from './engine-nodes.ts';
import { type EngineRequest, toMessage } from './request-message.ts';
import { noStats, readSummary } from './summary.ts';

export type { EngineRequest };

export interface EngineResponse {
  readonly body: Buffer;
  readonly stats: EngineStats;
  /** Set for a streamed request, whose body is read from it. */
  readonly incoming?: IncomingMessage;
}

export interface EngineClient {
  send(request: EngineRequest): Promise<EngineResponse>;
  /** Absent when the engine has one address. */
  readonly nodes?: EngineNodes;
  /** Closes idle connections; busy ones close after their request, and so do later ones. */
  retire(): void;
  /** Closes all connections, including those in use. */
  close(): void;
}

export interface EngineClientOptions {
  readonly url: string;
  /** Waits for a restarting local engine. Absent for a server, which the service does not restart. */
  readonly whenReady?: (timeoutMs: number) => Promise<boolean>;
  /** How long a request waits for the engine to take it; the default is 3 s. */
  readonly recoveryMs?: number | undefined;
  /** When false, each request opens its own connection. */
  readonly keepAlive?: boolean;
}

const DEFAULT_MAX_BYTES = 64 * 1024 * 1024;
const CONNECT_TIMEOUT_MS = 10_000;
const RECOVERY_MS = 3000;
const RETRY_PAUSE_MS = 10;
const MAX_IDLE_SOCKETS = 64;

/**
 * @param isFresh whether to open a new connection, because an idle keep-alive connection may have died with the engine.
 */
type Send = (request: EngineRequest, isFresh: boolean) => Promise<EngineResponse>;

export function openEngineClient(options: EngineClientOptions): EngineClient {
  const isTls = options.url.startsWith('https:');
  const agentOptions = { keepAlive: options.keepAlive ?? true, maxFreeSockets: MAX_IDLE_SOCKETS };
  const agent = isTls ? new HttpsAgent(agentOptions) : new HttpAgent(agentOptions);
  const start = isTls ? httpsRequest : httpRequest;
  const url = new URL(options.url);
  const { protocol, hostname, port } = urlToHttpOptions(url);
  const address = { protocol, hostname, port };
  const basePath = url.pathname.replace(/\/$/, '');
  const send: Send = (request, isFresh) =>
    new Promise((resolve, reject) => {
      const used = isFresh ? false : agent;
      exchange({ start, agent: used, address, basePath, request, resolve, reject });
    });
  return {
    send: (request) => sendWithRecovery(send, request, options),
    retire() {
      agent.maxFreeSockets = 0;
      for (const idle of Object.values(agent.freeSockets))
        for (const socket of idle ?? []) socket.destroy();
    },
    close: () => agent.destroy(),
  };
}

/** The connection failed before any part of a response arrived. */
class ConnectionLost extends Error {
  /** True when the request certainly never reached the engine. */
  readonly isUnsent: boolean;

  constructor(cause: NodeJS.ErrnoException) {
    super(lostBy(cause), { cause });
    this.isUnsent = cause.code === 'ECONNREFUSED' || cause.code === 'ENOTFOUND';
  }
}

/** Node's own words name neither what was expected nor that another server may be there. */
function lostBy({ message, code = '' }: NodeJS.ErrnoException): string {
  if (message === 'socket hang up')
    return 'the connection was closed without a response (socket hang up): ClickHouse has stopped, or the port is not that of its HTTP interface';
  return code.startsWith('HPE_')
    ? `what answers there is not HTTP (${message}): the port is not that of the HTTP interface of ClickHouse`
    : message;
}

/** Whether a request failed because it could not reach the engine. */
export function isUnsent(error: unknown): boolean {
  return error instanceof Error && error.cause instanceof ConnectionLost && error.cause.isUnsent;
}

/**
 * Retries a request that never reached the engine while the engine comes back; retries one that was lost on the way
 * only when it is repeatable.
 */
async function sendWithRecovery(
  send: Send,
  request: EngineRequest,
  { whenReady, recoveryMs = RECOVERY_MS }: EngineClientOptions,
): Promise<EngineResponse> {
  const deadline = performance.now() + recoveryMs;
  let repeats = request.repeatable === true && request.rows === undefined ? 1 : 0;
  for (let isFresh = false; ; isFresh = true) {
    try {
      return await send(request, isFresh);
    } catch (error) {
      if (!(error instanceof ConnectionLost)) throw error;
      const left = deadline - performance.now();
      const isLocal = whenReady !== undefined && request.rows === undefined;
      if (left <= 0 || (error.isUnsent ? !isLocal : repeats === 0))
        throw failure('unavailable', { internal: error.message, cause: error });
      if (!error.isUnsent) repeats -= 1;
      // The connection may fail a moment before the child's exit is noticed.
      await new Promise((resolve) => setTimeout(resolve, RETRY_PAUSE_MS));
      if (whenReady !== undefined && !(await whenReady(left))) throw unavailable(error.message);
      if (request.signal?.aborted) throw failure('cancelled');
      request.stop?.throwIfAborted();
    }
  }
}

/** The engine accepted the request but did not respond in time. */
export class NoResponseError extends ServiceError {
  constructor() {
    super('engine_unavailable', 'The engine is unavailable. Try again shortly.', {
      retryAfterSeconds: 1,
      internal: 'no response in time',
    });
  }
}

interface Exchange {
  readonly start: typeof httpRequest;
  readonly agent: HttpAgent | false;
  /** The engine's URL, parsed once. */
  readonly address: RequestOptions;
  readonly basePath: string;
  readonly request: EngineRequest;
  readonly resolve: (response: EngineResponse) => void;
  readonly reject: (error: unknown) => void;
}

function exchange(x: Exchange): void {
  const { request } = x;
  if (request.signal?.aborted) {
    x.reject(failure('cancelled'));
    return;
  }
  const message = toMessage(request);
  const outgoing = x.start({
    ...x.address,
    path: x.basePath + message.path,
    method: 'POST',
    agent: x.agent,
    headers: message.headers,
  });
  const outcome = settleOnce(x, outgoing);
  watch(request, outgoing, outcome);
  let hasResponse = false;
  outgoing.on('error', (error) => {
    // An engine that refuses an upload responds and closes: use its response and ignore the broken pipe.
    if (!hasResponse) outcome.failed(new ConnectionLost(error));
  });
  outgoing.once('response', (incoming) => {
    hasResponse = true;
    if (request.isStreamed === true && isSuccess(incoming)) {
      outcome.done({ body: Buffer.alloc(0), stats: noStats, incoming });
      return;
    }
    receive(incoming, request.maxBytes ?? DEFAULT_MAX_BYTES, outcome);
  });
  if (request.rows === undefined) outgoing.end(message.body);
  else {
    if (message.body !== '') outgoing.write(message.body);
    upload(request.rows, outgoing, outcome.failed);
  }
}

interface Outcome {
  readonly done: (response: EngineResponse) => void;
  /** Also closes the connection. */
  readonly failed: (error: unknown) => void;
  /** Runs once when the request settles. */
  readonly onEnd: (cleanUp: () => void) => void;
}

function settleOnce(x: Exchange, outgoing: ClientRequest): Outcome {
  const cleanUps: (() => void)[] = [];
  let isSettled = false;
  const settle = (finish: () => void) => {
    if (isSettled) return;
    isSettled = true;
    for (const cleanUp of cleanUps) cleanUp();
    finish();
  };
  return {
    done: (response) => settle(() => x.resolve(response)),
    failed: (error) => {
      settle(() => x.reject(error));
      outgoing.destroy();
      x.request.rows?.destroy();
    },
    onEnd: (cleanUp) => cleanUps.push(cleanUp),
  };
}

/** Applies the caller's signal and the two deadlines. */
function watch(request: EngineRequest, outgoing: ClientRequest, outcome: Outcome): void {
  const onAbort = () => outcome.failed(failure('cancelled'));
  request.signal?.addEventListener('abort', onAbort, { once: true });
  outcome.onEnd(() => request.signal?.removeEventListener('abort', onAbort));
  const onStop = () => outcome.failed(request.stop?.reason);
  request.stop?.addEventListener('abort', onStop, { once: true });
  outcome.onEnd(() => request.stop?.removeEventListener('abort', onStop));
  const wholeTimer = setTimeout(() => outcome.failed(new NoResponseError()), request.timeoutMs);
  outcome.onEnd(() => clearTimeout(wholeTimer));
  outgoing.once('socket', (socket) => {
    if (!socket.connecting) return;
    const late = () => outcome.failed(unavailable('no connection in time'));
    const connectTimer = setTimeout(late, CONNECT_TIMEOUT_MS);
    outcome.onEnd(() => clearTimeout(connectTimer));
    socket.once('connect', () => clearTimeout(connectTimer));
  });
}

function upload(rows: Readable, outgoing: ClientRequest, giveUp: (error: unknown) => void): void {
  rows.once('error', giveUp);
  rows.pipe(outgoing);
}

function receive(incoming: IncomingMessage, maxBytes: number, outcome: Outcome): void {
  const chunks: Buffer[] = [];
  let size = 0;
  incoming.on('data', (chunk: Buffer) => {
    size += chunk.length;
    chunks.push(chunk);
    if (size > maxBytes) outcome.failed(failure('tooLarge'));
  });
  incoming.once('error', (error) => outcome.failed(unavailable(error.message)));
  incoming.once('aborted', () => outcome.failed(unavailable('the response was interrupted')));
  incoming.once('end', () => {
    const body = chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks);
    if (isSuccess(incoming)) {
      outcome.done({ body, stats: readSummary(incoming.headers['x-clickhouse-summary']) });
    } else {
      const code = Number(incoming.headers['x-clickhouse-exception-code'] ?? 0);
      outcome.failed(new EngineError(code, errorText(incoming, body)));
    }
  });
}

/** A page or an object is of a proxy, or of another kind of server: it says nothing that its status does not. */
function errorText({ statusCode, statusMessage = '', headers }: IncomingMessage, body: Buffer) {
  const text = body.toString('utf8');
  const isEngines =
    headers['x-clickhouse-exception-code'] !== undefined || /\bCode: \d+/.test(text);
  if (isEngines || !/^\s*[<{]/.test(text)) return text;
  const status = `${statusCode} ${statusMessage}`.trim();
  return `HTTP ${status}, which is not an answer of ClickHouse: a proxy has given it, or the address is that of another server`;
}

function isSuccess({ statusCode, headers }: IncomingMessage): boolean {
  const isPage = headers['content-type']?.startsWith('text/html') === true;
  return statusCode === 200 && headers['x-clickhouse-exception-code'] === undefined && !isPage;
}
