import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { OutgoingResponse } from '../http/message.ts';
import type { Log } from '../lib/log.ts';
import type { MaybePromise } from '../lib/maybe-promise.ts';
import {
  type ConnectionLimits,
  type Exchange,
  type Handler,
  handleConnections,
  serverTimes,
} from './connections.ts';
import type { Dispatcher } from './dispatch.ts';
import { type Body, readBody, takeRest } from './request-body.ts';
import { SocketRequest } from './socket-request.ts';
import {
  isWhole,
  keptConnection,
  untilMoved,
  write,
  writeKept,
  writeWhole,
} from './write-response.ts';

/** The sockets of the service. */
export interface HttpListener {
  readonly host: string;
  readonly port: number;
  /** Open now, idle ones included. */
  connections(): number;
  /** Takes no new request, waits for those in flight at most `graceMs`, then closes what is left. */
  close(graceMs: number): Promise<void>;
}

export interface ListenOptions {
  readonly host: string;
  readonly port: number;
  readonly maxBodyBytes: number;
  readonly limits: ConnectionLimits;
  readonly log: Log;
}

/** Throws when the address cannot be listened on. */
export async function listen(dispatch: Dispatcher, options: ListenOptions): Promise<HttpListener> {
  const server = createServer(serverTimes(options.limits));
  const service: Service = {
    dispatch,
    options,
    ending: keptConnection(options.limits.keepAliveSeconds),
    isClosing: () => !server.listening,
  };
  const connections = handleConnections(server, handlerOf(service), options);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port, options.host, () => {
      server.removeListener('error', reject);
      resolve();
    });
  });
  const { address, port } = server.address() as AddressInfo;
  return { host: address, port, connections, close: (graceMs) => close(server, graceMs) };
}

function close(server: Server, graceMs: number): Promise<void> {
  return new Promise((resolve) => {
    const deadline = setTimeout(() => server.closeAllConnections(), graceMs);
    server.close(() => {
      clearTimeout(deadline);
      resolve();
    });
    server.closeIdleConnections();
  });
}

interface Service {
  readonly dispatch: Dispatcher;
  readonly options: ListenOptions;
  /** The last lines of a head on a connection that stays. */
  readonly ending: string;
  /** Whether the server waits for its last answers; the connection is closed behind each then. */
  readonly isClosing: () => boolean;
}

/** Without a body and without anything to wait for, the answer is written before this returns. */
function handlerOf(service: Service): Handler {
  return (exchange, done) => {
    const { outgoing } = exchange;
    const failed = (error: unknown): void => {
      service.options.log.error({ err: error }, 'a response could not be written');
      outgoing.destroy();
    };
    const answer = (body: Body): void => {
      try {
        const answered = answerWith(service, exchange, body);
        if (answered instanceof Promise) void answered.catch(failed).then(done);
        else done();
      } catch (error) {
        failed(error);
        done();
      }
    };
    if (!exchange.head.hasBody) return answer(null);
    exchange.isReading = true;
    readBody(exchange, service.options.maxBodyBytes, (body) => {
      if (body === 'gone') return done();
      exchange.isReading = body === 'too_large';
      answer(body);
    });
  };
}

const ignore = (): void => undefined;

function answerWith(service: Service, exchange: Exchange, body: Body): MaybePromise<void> {
  const { outgoing } = exchange;
  const answered = service.dispatch(new SocketRequest(exchange, body));
  if (answered instanceof Promise) {
    outgoing.on('error', ignore);
    return answered.then((answer) => send(service, exchange, { answer, body }));
  }
  return send(service, exchange, { answer: answered, body });
}

interface Sending {
  readonly answer: OutgoingResponse;
  readonly body: Body;
}

function send(service: Service, exchange: Exchange, sending: Sending): MaybePromise<void> {
  const { outgoing } = exchange;
  const { answer, body } = sending;
  if (outgoing.destroyed) return;
  const isLast = service.isClosing() || body === 'too_large';
  if (isLast) outgoing.setHeader('connection', 'close');
  if (isLast || !isWhole(answer)) return writeSlowly(service, exchange, sending);
  if (!writeKept(outgoing, answer, service.ending)) writeWhole(outgoing, answer);
  return untilTaken(service, outgoing);
}

/** In pieces, as the caller takes them; and behind it whatever is left of a body that was too large. */
async function writeSlowly(
  service: Service,
  { incoming, outgoing, expectsContinue }: Exchange,
  { answer, body }: Sending,
): Promise<void> {
  const sendTimeoutMs = service.options.limits.sendTimeoutSeconds * 1000;
  outgoing.on('error', ignore);
  await write(outgoing, answer, { isHead: incoming.method === 'HEAD', sendTimeoutMs });
  if (body === 'too_large' && !expectsContinue) await takeRest(incoming);
  outgoing.end();
  await untilTaken(service, outgoing);
}

function untilTaken({ options }: Service, outgoing: ServerResponse): MaybePromise<void> {
  if (outgoing.writableLength === 0) return;
  return untilMoved(outgoing, 'close', options.limits.sendTimeoutSeconds * 1000);
}
