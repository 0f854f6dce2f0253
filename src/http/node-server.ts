import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Log } from '../lib/log.ts';
import type { Dispatch } from './dispatch.ts';
import { type HttpRequest, type HttpResponse, isStream } from './message.ts';

/** The sockets of the service. */
export interface HttpListener {
  readonly host: string;
  readonly port: number;
  /** Takes no new request, waits for those in flight at most `graceMs`, then closes what is left. */
  close(graceMs: number): Promise<void>;
}

export interface ListenOptions {
  readonly host: string;
  readonly port: number;
  readonly maxBodyBytes: number;
  readonly log: Log;
}

const headersTimeoutMs = 20_000;
const requestTimeoutMs = 60_000;
const keepAliveMs = 65_000;

/** Throws when the address cannot be listened on. */
export async function listen(dispatch: Dispatch, options: ListenOptions): Promise<HttpListener> {
  const server = createServer({
    headersTimeout: headersTimeoutMs,
    requestTimeout: requestTimeoutMs,
    keepAliveTimeout: keepAliveMs,
    maxHeaderSize: 65_536,
  });
  server.on('request', (incoming: IncomingMessage, outgoing: ServerResponse) => {
    const isClosing = () => !server.listening;
    serve(dispatch, { incoming, outgoing, isClosing }, options.maxBodyBytes).catch(
      (error: unknown) => {
        options.log.error({ err: error }, 'a response could not be written');
        outgoing.destroy();
      },
    );
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port, options.host, () => {
      server.removeListener('error', reject);
      resolve();
    });
  });
  const { address, port } = server.address() as AddressInfo;
  return { host: address, port, close: (graceMs) => close(server, graceMs) };
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

interface Exchange {
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
  /** Whether the server waits for its last answers; the connection is closed behind each then. */
  readonly isClosing: () => boolean;
}

async function serve(dispatch: Dispatch, exchange: Exchange, maxBodyBytes: number): Promise<void> {
  const { incoming, outgoing } = exchange;
  const gone = new AbortController();
  outgoing.on('close', () => {
    if (!outgoing.writableFinished)
      gone.abort(new DOMException('The caller went away.', 'AbortError'));
  });
  outgoing.on('error', () => undefined);
  const body = await readBody(incoming, maxBodyBytes);
  if (body === 'gone') return;
  if (body === 'too_large') outgoing.setHeader('connection', 'close');
  const response = await dispatch(toRequest(incoming, body, gone.signal));
  if (gone.signal.aborted) return;
  if (exchange.isClosing()) outgoing.setHeader('connection', 'close');
  await write(outgoing, response, incoming.method ?? 'GET');
}

function toRequest(
  incoming: IncomingMessage,
  body: Buffer | 'too_large',
  signal: AbortSignal,
): HttpRequest {
  const target = incoming.url ?? '/';
  const at = target.indexOf('?');
  return {
    method: incoming.method ?? 'GET',
    path: at === -1 ? target : target.slice(0, at),
    search: at === -1 ? '' : target.slice(at),
    headers: toHeaders(incoming),
    body: body === 'too_large' ? Buffer.alloc(0) : body,
    isTooLarge: body === 'too_large',
    signal,
    remoteAddress: incoming.socket.remoteAddress ?? null,
  };
}

function toHeaders(incoming: IncomingMessage): Headers {
  const headers = new Headers();
  for (const [name, value] of Object.entries(incoming.headers)) {
    if (value !== undefined) headers.set(name, Array.isArray(value) ? value.join(', ') : value);
  }
  return headers;
}

/** Reads at most `maxBytes`; the rest of a larger body is not waited for. */
function readBody(
  incoming: IncomingMessage,
  maxBytes: number,
): Promise<Buffer | 'too_large' | 'gone'> {
  if (Number(incoming.headers['content-length'] ?? 0) > maxBytes)
    return Promise.resolve('too_large');
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    incoming.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes <= maxBytes) {
        chunks.push(chunk);
        return;
      }
      incoming.pause();
      resolve('too_large');
    });
    incoming.on('end', () => resolve(Buffer.concat(chunks)));
    incoming.on('error', () => resolve('gone'));
    incoming.on('close', () => resolve('gone'));
  });
}

async function write(
  outgoing: ServerResponse,
  response: HttpResponse,
  method: string,
): Promise<void> {
  const { status, headers, body } = response;
  if (isStream(body)) {
    outgoing.writeHead(status, headers);
    for await (const pieces of body) for (const piece of pieces) outgoing.write(piece);
    outgoing.end();
    return;
  }
  const length = body.reduce((sum, piece) => sum + piece.length, 0);
  const hasBody = status !== 204 && status !== 304;
  outgoing.writeHead(status, { ...headers, ...(hasBody ? { 'content-length': length } : {}) });
  if (method === 'HEAD' || !hasBody) {
    outgoing.end();
    return;
  }
  outgoing.cork();
  for (const piece of body) outgoing.write(piece);
  outgoing.uncork();
  outgoing.end();
}
