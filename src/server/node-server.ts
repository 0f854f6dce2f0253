import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Connecting } from '../graphql/live/web-sockets.ts';
import type { OutgoingResponse } from '../http/message.ts';
import type { Log } from '../lib/log.ts';
import type { MaybePromise } from '../lib/maybe-promise.ts';
import { isRowUpload } from '../rest/row-upload.ts';
import {
  type ConnectionLimits,
  type Exchange,
  type Handler,
  handleConnections,
  ignoreErrors,
  serverTimes,
} from './connections.ts';
import type { Dispatcher } from './dispatch.ts';
import { type Body, discardRest, readBody } from './request-body.ts';
import { SocketRequest } from './socket-request.ts';
import { writeEvents } from './write-events.ts';
import {
  isWhole,
  keepAliveLines,
  untilProgress,
  write,
  writePrepared,
  writeWhole,
} from './write-response.ts';

/** The sockets of the service. */
export interface HttpListener {
  readonly host: string;
  readonly port: number;
  /** Number of open connections, including idle ones. */
  connections(): number;
  /** From now on each response closes its connection, so that keep-alive clients reconnect to another process. */
  drain(): void;
  /**
   * Stops accepting requests, waits up to `graceMs` for those in flight, also for those whose caller has left, then
   * closes all connections.
   */
  close(graceMs: number): Promise<void>;
}

export interface ListenOptions {
  readonly host: string;
  readonly port: number;
  readonly maxBodyBytes: number;
  readonly limits: ConnectionLimits;
  readonly log: Log;
  /** Handles a WebSocket upgrade. */
  readonly upgrade: (connection: Connecting) => void;
}

/** Throws when it cannot listen on the address. */
export async function listen(dispatch: Dispatcher, options: ListenOptions): Promise<HttpListener> {
  const server = createServer(serverTimes(options.limits));
  let isDraining = false;
  const service: Service = {
    dispatch,
    options,
    ending: keepAliveLines(options.limits.keepAliveSeconds),
    isClosing: () => isDraining || !server.listening,
    inFlight: openInFlight(),
  };
  server.on('upgrade', (request, socket, head) => {
    ignoreErrors(socket);
    options.upgrade({ request, socket, head });
  });
  const connections = handleConnections(server, handlerOf(service), options);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port, options.host, () => {
      server.removeListener('error', reject);
      resolve();
    });
  });
  const { address, port } = server.address() as AddressInfo;
  return {
    host: address,
    port,
    connections,
    drain() {
      isDraining = true;
    },
    close: (graceMs) => close(server, service.inFlight, graceMs),
  };
}

async function close(server: Server, inFlight: InFlight, graceMs: number): Promise<void> {
  const late = Promise.withResolvers<void>();
  const deadline = setTimeout(() => {
    server.closeAllConnections();
    late.resolve();
  }, graceMs);
  const closed = new Promise<void>((resolve) => {
    server.close(() => resolve());
  });
  server.closeIdleConnections();
  await closed;
  // The connection of a caller who has left is closed, and what was begun for it may not be: it may be half stored.
  await Promise.race([inFlight.settled(), late.promise]);
  clearTimeout(deadline);
}

/** Counts the requests that have begun and not ended, whether or not their callers still wait. */
interface InFlight {
  begin(): void;
  end(): void;
  /** Resolves when there is none. Called once. */
  settled(): Promise<void>;
}

function openInFlight(): InFlight {
  let count = 0;
  const none = Promise.withResolvers<void>();
  let isAwaited = false;
  const tell = () => {
    if (isAwaited && count === 0) none.resolve();
  };
  return {
    begin() {
      count += 1;
    },
    end() {
      count -= 1;
      tell();
    },
    settled() {
      isAwaited = true;
      tell();
      return none.promise;
    },
  };
}

interface Service {
  readonly dispatch: Dispatcher;
  readonly options: ListenOptions;
  /** The last header lines of a response on a keep-alive connection. */
  readonly ending: string;
  /** Whether the server is draining or shutting down; each connection is then closed after its response. */
  readonly isClosing: () => boolean;
  readonly inFlight: InFlight;
}

/** Without a request body and without anything to await, the response is written before this returns. */
function handlerOf(service: Service): Handler {
  return (exchange, done) => {
    const { outgoing } = exchange;
    const failed = (error: unknown): void => {
      service.options.log.error({ err: error }, 'a response could not be written');
      outgoing.destroy();
    };
    const whenWritten = async (responded: Promise<void>): Promise<void> => {
      service.inFlight.begin();
      try {
        await responded.catch(failed);
      } finally {
        service.inFlight.end();
      }
      done();
    };
    const respondTo = (body: Body): void => {
      try {
        const responded = respond(service, exchange, body);
        if (responded instanceof Promise) void whenWritten(responded);
        else done();
      } catch (error) {
        failed(error);
        done();
      }
    };
    if (!exchange.head.hasBody) return respondTo(null);
    exchange.isReading = true;
    if (isRowUpload(exchange.head.method, exchange.head.path)) return respondTo('stream');
    readBody(exchange, service.options.maxBodyBytes, (body) => {
      if (body === 'gone') return done();
      exchange.isReading = body === 'too_large';
      respondTo(body);
    });
  };
}

const ignore = (): void => undefined;

function respond(service: Service, exchange: Exchange, body: Body): MaybePromise<void> {
  const { outgoing } = exchange;
  const responded = service.dispatch(new SocketRequest(exchange, body));
  if (responded instanceof Promise) {
    outgoing.on('error', ignore);
    return responded.then((response) => send(service, exchange, { response, body }));
  }
  return send(service, exchange, { response: responded, body });
}

interface Sending {
  readonly response: OutgoingResponse;
  readonly body: Body;
}

function send(service: Service, exchange: Exchange, sending: Sending): MaybePromise<void> {
  const { outgoing } = exchange;
  const { response, body } = sending;
  if (outgoing.destroyed) return response.events?.discard();
  if (response.events !== undefined) return writeEvents(outgoing, response, response.events);
  const isUnread = body === 'too_large' || (body === 'stream' && !exchange.incoming.complete);
  const isLast = service.isClosing() || isUnread;
  if (isLast) outgoing.setHeader('connection', 'close');
  if (isLast || !isWhole(response)) return writeSlowly(service, exchange, sending);
  if (!writePrepared(outgoing, response, service.ending)) writeWhole(outgoing, response);
  return untilSent(service, outgoing);
}

/** Writes in pieces as the caller reads them, then discards the rest of a request body that was too large. */
async function writeSlowly(
  service: Service,
  { incoming, outgoing, expectsContinue }: Exchange,
  { response, body }: Sending,
): Promise<void> {
  const sendTimeoutMs = service.options.limits.sendTimeoutSeconds * 1000;
  outgoing.on('error', ignore);
  await write(outgoing, response, { isHead: incoming.method === 'HEAD', sendTimeoutMs });
  // A caller that waits for `100 Continue` has not sent anything yet.
  const isWaiting = expectsContinue && !incoming.readableDidRead;
  if (typeof body === 'string' && !isWaiting) await discardRest(incoming);
  outgoing.end();
  await untilSent(service, outgoing);
}

function untilSent({ options }: Service, outgoing: ServerResponse): MaybePromise<void> {
  if (outgoing.writableLength === 0) return;
  return untilProgress(outgoing, 'close', options.limits.sendTimeoutSeconds * 1000);
}
