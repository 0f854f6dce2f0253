/** A request and a response as the parts of the service exchange them, whatever carries them. */

export interface HttpRequest {
  readonly method: string;
  /** As it was sent: not decoded, not normalised. */
  readonly path: string;
  /** The query string with its question mark; empty when there is none. */
  readonly search: string;
  readonly headers: Headers;
  readonly body: Buffer;
  /** Whether the body was larger than is accepted; `body` is empty then. */
  readonly isTooLarge: boolean;
  /** Aborted when the caller goes away. */
  readonly signal: AbortSignal;
  /** The caller's address; null when the request did not come through a socket. */
  readonly remoteAddress: string | null;
}

export interface HttpResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: readonly Buffer[] | AsyncIterable<readonly Buffer[]>;
}

export function textResponse(status: number, type: string, text: string): HttpResponse {
  return {
    status,
    headers: { 'content-type': `${type}; charset=utf-8` },
    body: [Buffer.from(text)],
  };
}

export function isStream(body: HttpResponse['body']): body is AsyncIterable<readonly Buffer[]> {
  return Symbol.asyncIterator in body;
}
