import type { IncomingMessage, ServerResponse } from 'node:http';
import type { HeaderReader } from '../lib/header-reader.ts';
import type { HttpRequest } from './message.ts';

const noBody = Buffer.alloc(0);

/**
 * A request of a socket, with what is costly and seldom asked for made when it is. Classes, since getters and methods
 * in an object literal are made anew for each object.
 */
export class SocketRequest implements HttpRequest {
  readonly method: string;
  readonly path: string;
  readonly search: string;
  readonly headers: HeaderReader;
  readonly body: Buffer;
  readonly isTooLarge: boolean;
  readonly malformed?: string;
  readonly #incoming: IncomingMessage;
  readonly #outgoing: ServerResponse;
  #gone: AbortController | undefined = undefined;

  constructor(
    incoming: IncomingMessage,
    outgoing: ServerResponse,
    body: Buffer | 'too_large' | null,
  ) {
    const target = toOriginForm(incoming.url ?? '/');
    const malformed = faultOf(incoming);
    const at = target.indexOf('?');
    this.method = incoming.method ?? 'GET';
    this.path = at === -1 ? target : target.slice(0, at);
    this.search = at === -1 ? '' : target.slice(at);
    this.headers = new SocketHeaders(incoming);
    this.isTooLarge = body === 'too_large';
    this.body = body === null || body === 'too_large' ? noBody : body;
    if (malformed !== null) this.malformed = malformed;
    this.#incoming = incoming;
    this.#outgoing = outgoing;
  }

  get signal(): AbortSignal {
    this.#gone ??= abortedWhenGone(this.#outgoing);
    return this.#gone.signal;
  }

  get remoteAddress(): string | null {
    return this.#incoming.socket.remoteAddress ?? null;
  }
}

/** A proxy may be sent the whole URL; every server has to accept it. Source: RFC 9112, 3.2.2. */
function toOriginForm(target: string): string {
  if (target.startsWith('/')) return target;
  const rest = /^https?:\/\/[^/?#]*(.*)$/is.exec(target)?.[1];
  return rest === undefined ? target : rest.startsWith('/') ? rest : `/${rest}`;
}

const single: ReadonlySet<string> = new Set(['host', 'authorization', 'content-type']);

/**
 * Of two such headers a proxy may believe one and we the other, and a request to nobody may be meant for
 * anybody. Source: RFC 9112, 3.2; RFC 9110, 5.3.
 */
function faultOf({ headers, rawHeaders, httpVersion }: IncomingMessage): string | null {
  if (headers.host === undefined && httpVersion === '1.1') return 'The header host is missing.';
  if (rawHeaders.length === 2 * Object.keys(headers).length) return null;
  const seen = new Set<string>();
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = (rawHeaders[at] ?? '').toLowerCase();
    if (seen.has(name) && single.has(name)) return `The header ${name} is sent twice.`;
    seen.add(name);
  }
  return null;
}

function abortedWhenGone(outgoing: ServerResponse): AbortController {
  const gone = new AbortController();
  const leave = () => {
    if (outgoing.writableFinished) return;
    gone.abort(new DOMException('The caller went away.', 'AbortError'));
  };
  if (outgoing.destroyed) leave();
  else outgoing.on('close', leave);
  return gone;
}

class SocketHeaders implements HeaderReader {
  readonly #headers: IncomingMessage['headers'];

  constructor(incoming: IncomingMessage) {
    this.#headers = incoming.headers;
  }

  get(name: string): string | null {
    const value = this.#headers[name];
    return value === undefined ? null : textOf(value);
  }

  has(name: string): boolean {
    return this.#headers[name] !== undefined;
  }

  *entries(): Iterable<[string, string]> {
    for (const [name, value] of Object.entries(this.#headers)) {
      if (value !== undefined) yield [name, textOf(value)];
    }
  }
}

function textOf(value: string | string[]): string {
  return Array.isArray(value) ? value.join(', ') : value;
}
