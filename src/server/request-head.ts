import type { IncomingMessage } from 'node:http';
import type { HeaderReader } from '../http/message.ts';
import { RequestKeySlot } from '../http/request-key.ts';

/** Longer heads are parsed each time, to bound a connection's memory. */
const maxHeldLength = 4096;

/**
 * The request line and headers. Clients repeat them, so identical ones on a connection are parsed once, and values
 * derived from them are stored on this object.
 */
export class RequestHead implements HeaderReader {
  readonly method: string;
  readonly path: string;
  readonly search: string;
  /** Why the request is malformed; null when it is well-formed. */
  readonly malformed: string | null;
  readonly hasBody: boolean;
  readonly keySlot = new RequestKeySlot();
  readonly #url: string | undefined;
  readonly #version: string;
  readonly #raw: readonly string[];
  readonly #headers: IncomingMessage['headers'];

  constructor(incoming: IncomingMessage) {
    const target = toOriginForm(incoming.url ?? '/');
    const at = target.indexOf('?');
    this.method = incoming.method ?? 'GET';
    this.path = at === -1 ? target : target.slice(0, at);
    this.search = at === -1 ? '' : target.slice(at);
    this.malformed = malformationOf(incoming);
    this.hasBody = hasBody(incoming);
    this.#url = incoming.url;
    this.#version = incoming.httpVersion;
    this.#raw = incoming.rawHeaders;
    this.#headers = incoming.headers;
  }

  /** Whether the request has the same line and headers. */
  matches({ url, method, httpVersion, rawHeaders }: IncomingMessage): boolean {
    const raw = this.#raw;
    if (url !== this.#url || method !== this.method || rawHeaders.length !== raw.length)
      return false;
    for (let at = raw.length - 1; at >= 0; at -= 1) if (rawHeaders[at] !== raw[at]) return false;
    return httpVersion === this.#version;
  }

  /** Whether it is short enough to be stored for the next request. */
  isShort(): boolean {
    let length = this.#url?.length ?? 0;
    for (const text of this.#raw) length += text.length;
    return length <= maxHeldLength;
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

/** RFC 9112, 6.3: a request without these has no body. */
function hasBody({ headers }: IncomingMessage): boolean {
  return headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined;
}

/** Clients send proxies the absolute URL, which every server has to accept. Source: RFC 9112, 3.2.2. */
function toOriginForm(target: string): string {
  if (target.startsWith('/')) return target;
  const rest = /^https?:\/\/[^/?#]*(.*)$/is.exec(target)?.[1];
  return rest === undefined ? target : rest.startsWith('/') ? rest : `/${rest}`;
}

const single: ReadonlySet<string> = new Set(['host', 'authorization', 'content-type']);

/**
 * If such a header is repeated, a proxy may use one and this server the other; without `Host` the target is ambiguous.
 * Source: RFC 9112, 3.2; RFC 9110, 5.3.
 */
function malformationOf({ headers, rawHeaders, httpVersion }: IncomingMessage): string | null {
  if (headers.host === undefined && httpVersion === '1.1') return 'The header Host is missing.';
  if (rawHeaders.length === 2 * Object.keys(headers).length) return null;
  const seen = new Set<string>();
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = (rawHeaders[at] ?? '').toLowerCase();
    if (seen.has(name) && single.has(name)) return `The header ${name} is sent more than once.`;
    seen.add(name);
  }
  return null;
}

function textOf(value: string | string[]): string {
  return Array.isArray(value) ? value.join(', ') : value;
}
