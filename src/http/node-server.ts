import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { lengthOf } from '../lib/answer-body.ts';
import type { Log } from '../lib/log.ts';
import { andThen, type MaybePromise } from '../lib/maybe-promise.ts';
import {
  type ConnectionLimits,
  type Exchange,
  handleConnections,
  serverTimes,
} from './connections.ts';
import type { Answerer } from './dispatch.ts';
import { type HttpAnswer, isStream, toInProcessAnswer } from './message.ts';
import { SocketRequest } from './socket-request.ts';
import { writeStream } from './write-stream.ts';

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

/** How much of a body that is too large is still taken, so that its sender reads the answer. */
const lingerBytes = 64 * 1024 * 1024;
const lingerMs = 1000;

/** Throws when the address cannot be listened on. */
export async function listen(dispatch: Answerer, options: ListenOptions): Promise<HttpListener> {
  const server = createServer(serverTimes(options.limits));
  const service: Service = { dispatch, options, isClosing: () => !server.listening };
  const handler = (exchange: Exchange): MaybePromise<void> => {
    const failed = (error: unknown): void => {
      options.log.error({ err: error }, 'a response could not be written');
      exchange.outgoing.destroy();
    };
    try {
      const served = serve(service, exchange);
      return served instanceof Promise ? served.catch(failed) : served;
    } catch (error) {
      return failed(error);
    }
  };
  const connections = handleConnections(server, handler, options);
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
  readonly dispatch: Answerer;
  readonly options: ListenOptions;
  /** Whether the server waits for its last answers; the connection is closed behind each then. */
  readonly isClosing: () => boolean;
}

/** Without a body and without anything to wait for, the answer is written before this returns. */
function serve(service: Service, exchange: Exchange): MaybePromise<void> {
  const { incoming, outgoing } = exchange;
  outgoing.on('error', ignore);
  if (!hasBody(incoming)) return answerWith(service, exchange, null);
  exchange.isReading = true;
  return readBody(exchange, service.options.maxBodyBytes).then((body) => {
    if (body === 'gone') return;
    exchange.isReading = body === 'too_large';
    return answerWith(service, exchange, body);
  });
}

const ignore = (): void => undefined;

/** RFC 9112, 6.3: a request without these has no body. */
function hasBody({ headers }: IncomingMessage): boolean {
  return headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined;
}

function answerWith(
  service: Service,
  exchange: Exchange,
  body: Buffer | 'too_large' | null,
): MaybePromise<void> {
  const { incoming, outgoing } = exchange;
  return andThen(service.dispatch(new SocketRequest(incoming, outgoing, body)), (answer) => {
    if (outgoing.destroyed) return;
    const isLast = service.isClosing() || body === 'too_large';
    if (isLast) outgoing.setHeader('connection', 'close');
    const whole = answer.body;
    if (typeof whole !== 'string' || isLast)
      return writeSlowly(service, exchange, { answer, body });
    writeHead(outgoing, answer, whole.length);
    if (incoming.method === 'HEAD' || isEmpty(answer.status)) outgoing.end();
    else outgoing.end(whole, 'latin1');
    return untilTaken(service, outgoing);
  });
}

/** In pieces, as the caller takes them; and behind it whatever is left of a body that was too large. */
async function writeSlowly(
  service: Service,
  exchange: Exchange,
  { answer, body }: { readonly answer: HttpAnswer; readonly body: Buffer | 'too_large' | null },
): Promise<void> {
  const { incoming, outgoing } = exchange;
  const sendTimeoutMs = service.options.limits.sendTimeoutSeconds * 1000;
  await write(outgoing, answer, { isHead: incoming.method === 'HEAD', sendTimeoutMs });
  if (body === 'too_large' && !exchange.expectsContinue) await takeRest(incoming);
  outgoing.end();
  await untilTaken(service, outgoing);
}

function untilTaken({ options }: Service, outgoing: ServerResponse): MaybePromise<void> {
  if (outgoing.writableLength === 0) return;
  return untilMoved(outgoing, 'close', options.limits.sendTimeoutSeconds * 1000);
}

function isEmpty(status: number): boolean {
  return status === 204 || status === 304;
}

function writeHead(
  outgoing: ServerResponse,
  { status, headers }: HttpAnswer,
  length: number | null,
): void {
  const hasLength = length !== null && !isEmpty(status);
  outgoing.writeHead(
    status,
    (hasLength ? [...headers, 'content-length', String(length)] : headers) as string[],
  );
}

/** Reads at most `maxBytes`; the rest of a larger body stays where it is. */
function readBody(
  { incoming, outgoing, expectsContinue }: Exchange,
  maxBytes: number,
): Promise<Buffer | 'too_large' | 'gone'> {
  if (Number(incoming.headers['content-length'] ?? 0) > maxBytes)
    return Promise.resolve('too_large');
  if (expectsContinue) outgoing.writeContinue();
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    const keep = (chunk: Buffer): void => {
      bytes += chunk.length;
      if (bytes <= maxBytes) {
        chunks.push(chunk);
        return;
      }
      incoming.pause();
      incoming.removeListener('data', keep);
      resolve('too_large');
    };
    incoming.on('data', keep);
    incoming.on('end', () => resolve(Buffer.concat(chunks)));
    incoming.on('error', () => resolve('gone'));
    incoming.on('close', () => resolve('gone'));
  });
}

/**
 * Takes in what is still sent, for a while, and throws it away: a connection that is closed with unread
 * bytes is reset, and its caller may lose the answer that says why.
 */
function takeRest(incoming: IncomingMessage): Promise<void> {
  if (incoming.complete || incoming.destroyed) return Promise.resolve();
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, lingerMs);
    const done = (): void => {
      clearTimeout(timer);
      incoming.pause();
      resolve();
    };
    let bytes = 0;
    incoming.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > lingerBytes) done();
    });
    incoming.on('end', done);
    incoming.on('close', done);
    incoming.resume();
  });
}

/** Writes all but the end. */
async function write(
  outgoing: ServerResponse,
  answer: HttpAnswer,
  call: { readonly isHead: boolean; readonly sendTimeoutMs: number },
): Promise<void> {
  const { status, body } = answer;
  if (isStream(body)) {
    const drained = () => untilMoved(outgoing, 'drain', call.sendTimeoutMs);
    const whole = { ...toInProcessAnswer(answer), body };
    return writeStream(outgoing, whole, { isHead: call.isHead, drained });
  }
  writeHead(outgoing, answer, lengthOf(body));
  if (call.isHead || isEmpty(status)) return;
  if (typeof body === 'string') {
    outgoing.write(body, 'latin1');
    return;
  }
  outgoing.cork();
  for (const piece of body) outgoing.write(piece);
  outgoing.uncork();
}

/** Waits while the caller takes its answer; one that takes nothing for that long is disconnected. */
function untilMoved(
  outgoing: ServerResponse,
  event: 'drain' | 'close',
  sendTimeoutMs: number,
): Promise<void> {
  const { socket } = outgoing;
  if (socket === null || outgoing.destroyed) return Promise.resolve();
  // Node destroys a connection whose time runs out while nobody listens for that.
  socket.setTimeout(sendTimeoutMs);
  return new Promise((resolve) => {
    const done = (): void => {
      outgoing.removeListener(event, done);
      outgoing.removeListener('close', done);
      if (event === 'drain') socket.setTimeout(0);
      resolve();
    };
    outgoing.on(event, done);
    outgoing.on('close', done);
  });
}
