/**
 * Handles each connection's requests one at a time, in order of arrival. Malformed HTTP gets an error of the catalogue,
 * since Node's own response would have no body. Connections that are too slow or exceed a limit are closed.
 */
import { type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { ServiceError } from '../errors/service-error.ts';
import { errorResponse } from '../http/error-response.ts';
import { requestIdOf } from '../http/request-id.ts';
import { lengthOf } from '../http/response-body.ts';
import type { Log } from '../lib/log.ts';
import { defineMemo } from '../lib/memo.ts';
import { allowedMethods } from './cors.ts';
import { isGraphQLSocket } from './graphql-route.ts';
import { RawIncoming } from './raw-incoming.ts';
import { RequestHead } from './request-head.ts';

export interface ConnectionLimits {
  /** Seconds within which the headers of a request must arrive. */
  readonly headersTimeoutSeconds: number;
  /** Seconds within which a whole request must arrive. */
  readonly requestTimeoutSeconds: number;
  /** Seconds that an idle connection is kept open. */
  readonly keepAliveSeconds: number;
  /** Seconds after which a connection whose caller does not read its response is closed. */
  readonly sendTimeoutSeconds: number;
  readonly maxHeaderBytes: number;
  readonly maxConnections: number;
}

/** One request and its response. */
export interface Exchange {
  readonly head: RequestHead;
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
  /** The caller waits for `100 Continue` before it sends its body. */
  readonly expectsContinue: boolean;
  /** Set by the handler while it is still reading the request. */
  isReading: boolean;
}

/**
 * Never throws. Calls `done` once the response is handed over, synchronously if nothing has to be awaited; never if the
 * connection ends before its request has arrived.
 */
export type Handler = (exchange: Exchange, done: () => void) => void;

/** Maximum number of pipelined requests; no client sends as many. */
export const maxPipelined = 100;
/** Interval over which dropped connections are counted for one log line. */
const dropLogMs = 60_000;

interface Connection {
  readonly waiting: Exchange[];
  current: Exchange | null;
  /** The head of the last request, if it is short. */
  head: RequestHead | null;
  /** The last response, possibly not completely written yet. */
  last: ServerResponse | null;
  readonly log: Log;
  /** Why the connection will be closed after the pending responses; null keeps it open. */
  refusal: ServiceError | null;
}

/** Options of Node's server. */
export function serverTimes(limits: ConnectionLimits) {
  const headersTimeout = limits.headersTimeoutSeconds * 1000;
  const requestTimeout = Math.max(limits.requestTimeoutSeconds * 1000, headersTimeout);
  return {
    headersTimeout,
    requestTimeout,
    keepAliveTimeout: limits.keepAliveSeconds * 1000,
    maxHeaderSize: limits.maxHeaderBytes,
    requireHostHeader: false,
    IncomingMessage: RawIncoming,
    // Avoids the cost of ending a stream for each request without a body.
    optimizeEmptyRequests: true,
    shouldUpgradeCallback: isGraphQLSocket,
    connectionsCheckingInterval: Math.min(5000, Math.max(250, headersTimeout / 4)),
  };
}

/**
 * Passes the requests of each connection to the handler, one at a time. The returned function counts open connections.
 */
export function handleConnections(
  server: Server,
  handler: Handler,
  options: { readonly limits: ConnectionLimits; readonly log: Log },
): () => number {
  const connections = new WeakMap<Duplex, Connection>();
  const connectionOf = (socket: Duplex): Connection => {
    const known = connections.get(socket);
    if (known !== undefined) return known;
    const made: Connection = {
      waiting: [],
      current: null,
      head: null,
      last: null,
      log: options.log,
      refusal: null,
    };
    connections.set(socket, made);
    return made;
  };
  const onRequest =
    (expectsContinue: boolean) =>
    (incoming: IncomingMessage, outgoing: ServerResponse): void => {
      const connection = connectionOf(incoming.socket);
      const head = headOf(connection, incoming);
      const exchange = { head, incoming, outgoing, expectsContinue, isReading: false };
      accept(connection, exchange, handler);
    };
  server.maxConnections = options.limits.maxConnections;
  server.on('request', onRequest(false));
  server.on('checkContinue', onRequest(true));
  server.on('checkExpectation', onRequest(false));
  server.on('connect', (_request: IncomingMessage, socket: Duplex) => {
    ignoreErrors(socket);
    refuse(socket, connectionOf(socket), noTunnel());
  });
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Duplex) => {
    const refusal = toRefusal(error);
    if (refusal === null) socket.destroy();
    else refuse(socket, connectionOf(socket), refusal);
  });
  logDropped(server, options.log);
  return countOpen(server);
}

const headMemo = defineMemo('request head');

function headOf(connection: Connection, incoming: IncomingMessage): RequestHead {
  if (connection.head?.matches(incoming) === true && headMemo.isOn) return connection.head;
  const head = new RequestHead(incoming);
  connection.head = head.isShort() ? head : null;
  return head;
}

/** Starts the request, or queues it until the previous one has its response. */
function accept(connection: Connection, exchange: Exchange, handler: Handler): void {
  if (connection.refusal !== null) return;
  const isFree = connection.current === null && connection.waiting.length === 0;
  if (isFree && isWritten(connection.last)) {
    begin(connection, exchange, handler);
    return;
  }
  connection.waiting.push(exchange);
  if (isFree) connection.last?.once('close', () => beginWaiting(connection, handler));
  if (connection.waiting.length <= maxPipelined) return;
  connection.waiting.pop();
  exchange.incoming.socket.pause();
  connection.refusal = malformed(
    `A connection may have at most ${maxPipelined} pipelined requests.`,
  );
}

/** A direct write to the socket must wait for the previous response. */
function isWritten(response: ServerResponse | null): boolean {
  return response === null || response.writableFinished || response.destroyed;
}

function beginWaiting(connection: Connection, handler: Handler): void {
  const next = connection.waiting.shift();
  if (next !== undefined) begin(connection, next, handler);
}

function begin(connection: Connection, exchange: Exchange, handler: Handler): void {
  connection.current = exchange;
  handler(exchange, () => {
    const { outgoing } = exchange;
    connection.last = outgoing;
    const hasMore = connection.waiting.length > 0 || connection.refusal !== null;
    if (hasMore && !isWritten(outgoing))
      outgoing.once('close', () => takeNext(connection, exchange, handler));
    else takeNext(connection, exchange, handler);
  });
}

/** Starts the next queued request, or closes the connection if it was refused. */
function takeNext(connection: Connection, { incoming }: Exchange, handler: Handler): void {
  const { socket } = incoming;
  if (socket.destroyed) return;
  const next = connection.waiting.shift();
  if (connection.refusal !== null && (next === undefined || !isComplete(next)))
    end(socket, connection.refusal, connection.log);
  else if (next !== undefined) begin(connection, next, handler);
  else connection.current = null;
}

/** Whether the whole request has arrived. */
function isComplete({ head, incoming }: Exchange): boolean {
  return incoming.complete || !head.hasBody;
}

/** Refuses the connection after the responses to its earlier requests. */
function refuse(socket: Duplex, connection: Connection, refusal: ServiceError): void {
  const { current } = connection;
  connection.refusal ??= refusal;
  if (current !== null && (!current.isReading || isComplete(current))) return;
  if (current === null && connection.waiting.length > 0) return;
  if (current === null && connection.last !== null && !isWritten(connection.last)) {
    connection.last.once('close', () => end(socket, refusal, connection.log));
    return;
  }
  if (current?.outgoing.headersSent === true) socket.destroy();
  else end(socket, refusal, connection.log);
}

/** Writes the refusal directly to the socket, logs it, then closes the connection. */
function end(socket: Duplex, refusal: ServiceError, log: Log): void {
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  const { status, headers, body } = errorResponse(refusal);
  const requestId = requestIdOf(null);
  log.info({ requestId, status, operation: 'refused', code: refusal.code }, 'request');
  const lines = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? 'Refused'}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    `content-length: ${lengthOf(body)}`,
    ...(status === 405 ? [`allow: ${allowedMethods}`] : []),
    `x-request-id: ${requestId}`,
    'x-content-type-options: nosniff',
    'connection: close',
  ];
  ignoreErrors(socket);
  socket.end(Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`), ...body]), () => {
    (socket as Socket).destroySoon();
  });
}

/**
 * Node takes its own listener off a socket that it hands over. The error of a client that disconnects would then end the
 * process; `close` follows it.
 */
export function ignoreErrors(socket: Duplex): void {
  socket.on('error', () => undefined);
}

const malformed = (detail: string) => new ServiceError('malformed_request', detail);

/** The error for a code of Node's parser; null when the caller has disconnected. */
function toRefusal({ code }: NodeJS.ErrnoException): ServiceError | null {
  switch (code) {
    case 'ECONNRESET':
    case 'EPIPE':
      return null;
    case 'HPE_HEADER_OVERFLOW':
      return new ServiceError('headers_too_large', 'The request line and headers are too long.');
    case 'HPE_CHUNK_EXTENSIONS_OVERFLOW':
      return new ServiceError('body_too_large', 'The chunk extensions are too long.');
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new ServiceError('request_timeout', 'The request did not arrive in time.');
    default:
      return malformed('This is not a valid HTTP/1.1 request.');
  }
}

function noTunnel(): ServiceError {
  return new ServiceError('method_not_allowed', 'This is not a proxy: CONNECT is not accepted.');
}

function countOpen(server: Server): () => number {
  let open = 0;
  server.on('connection', (socket: Socket) => {
    open += 1;
    socket.once('close', () => {
      open -= 1;
    });
  });
  return () => open;
}

/** Logs one line per interval, not one per connection, in case of an attack. */
function logDropped(server: Server, log: Log): void {
  let dropped = 0;
  let since = 0;
  server.on('drop', () => {
    dropped += 1;
    const now = performance.now();
    if (since !== 0 && now - since < dropLogMs) return;
    log.warn({ dropped }, 'connections past MAX_CONNECTIONS were closed');
    dropped = 0;
    since = now;
  });
}
