/** The service's requests and responses, independent of sockets. */
import type { ServiceError } from '../errors/service-error.ts';
import type { EventBody } from './event-stream.ts';
import { type RateState, rateHeaders } from './request-facts.ts';
import type { RequestKeySlot } from './request-key.ts';
import type { ResponseBody } from './response-body.ts';
import type { PreparedHeaders } from './written-headers.ts';

/** Request headers, by lower-case name. `Headers` implements it. */
export interface HeaderReader {
  /** All values of the header, joined by commas; null when it was not sent. */
  get(name: string): string | null;
  has(name: string): boolean;
  entries(): Iterable<[string, string]>;
}

/** The parts of a request that determine its meaning. */
export interface RequestText {
  readonly method: string;
  /** Not decoded. */
  readonly path: string;
  /** The query string with its question mark; empty when there is none. */
  readonly search: string;
  readonly headers: HeaderReader;
  readonly body: Buffer;
  /** Set for a connection whose requests may repeat the same line and headers. */
  readonly keySlot?: RequestKeySlot;
}

export interface HttpRequest extends RequestText {
  /** The body of a request that is passed on as it arrives, iterated at most once; `body` is empty then. */
  readonly upload?: AsyncIterable<Buffer> | null;
  /** Whether the body exceeded the limit; `body` is empty then. */
  readonly isTooLarge: boolean;
  /** Why the request is malformed; absent or null when it is well-formed. */
  readonly malformed?: string | null;
  /** Aborted when the caller disconnects. Created on first read. */
  readonly signal: AbortSignal;
  /** The caller's address; null when the request did not come through a socket. */
  readonly remoteAddress: string | null;
}

export interface HttpResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Set for a response that is sent repeatedly with exactly these headers. */
  readonly head?: PreparedHeaders | undefined;
  /** A stream is iterated once or left with `return`. */
  readonly body: ResponseBody | AsyncIterable<readonly Buffer[]>;
  /** Replaces the body with an event stream, which lasts until either side ends it. */
  readonly events?: EventBody | undefined;
  /** For a stream: called after the last byte. */
  readonly trailers?: (() => Readonly<Record<string, string>>) | undefined;
  /** For a stream: how it ended, `ok` or the code of a failure. Never rejects. */
  readonly outcome?: Promise<string> | undefined;
  /** The error in the body, which may be rendered in another form. */
  readonly error?: ServiceError | undefined;
  /** Values of `Set-Cookie`, one line each. */
  readonly cookies?: readonly string[] | undefined;
}

/** A response whose body is in memory. */
export interface WholeResponse extends HttpResponse {
  readonly body: readonly Buffer[];
}

/** A response ready to be written. */
export interface OutgoingResponse
  extends Pick<HttpResponse, 'status' | 'body' | 'events' | 'trailers'> {
  readonly requestId: string;
  /** Name, value, name, value …; all but the request id. */
  readonly headers: readonly string[];
  /** The same headers as text; null when they are not prepared. */
  readonly headerText: string | null;
  /** Null when the request counts towards no limit. */
  readonly rate: RateState | null;
}

export const requestIdHeader = 'x-request-id';

/** The only header whose values are not joined into one line. */
export const cookieHeader = 'set-cookie';

/** Statuses whose responses have no body. */
export function isEmptyStatus(status: number): boolean {
  return status === 204 || status === 304;
}

export function textResponse(status: number, type: string, text: string): HttpResponse {
  return {
    status,
    headers: { 'content-type': `${type}; charset=utf-8` },
    body: [Buffer.from(text)],
  };
}

export function isStream(body: HttpResponse['body']): body is AsyncIterable<readonly Buffer[]> {
  return typeof body !== 'string' && Symbol.asyncIterator in body;
}

/** A response for callers in the same process, with its bytes in pieces. */
export interface InProcessResponse extends Omit<HttpResponse, 'body'> {
  readonly body: readonly Buffer[] | AsyncIterable<readonly Buffer[]>;
}

export function toInProcessResponse(response: OutgoingResponse): InProcessResponse {
  const { status, headers: flat, body, events, trailers } = response;
  const headers: Record<string, string> = {};
  const cookies: string[] = [];
  for (let at = 0; at < flat.length; at += 2) {
    const [name = '', value = ''] = [flat[at], flat[at + 1]];
    if (name === cookieHeader) cookies.push(value);
    else headers[name] = value;
  }
  headers[requestIdHeader] = response.requestId;
  const rate = response.rate === null ? [] : rateHeaders(response.rate);
  for (let at = 0; at < rate.length; at += 2) headers[rate[at] ?? ''] = rate[at + 1] ?? '';
  const pieces = typeof body === 'string' ? [Buffer.from(body, 'latin1')] : body;
  return { status, headers, cookies, body: pieces, events, trailers };
}
