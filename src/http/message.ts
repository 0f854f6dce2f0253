/** A request and a response as the parts of the service exchange them, whatever carries them. */
import type { AnswerBody } from '../lib/answer-body.ts';
import type { HeaderReader } from '../lib/header-reader.ts';

export interface HttpRequest {
  readonly method: string;
  /** As it was sent: not decoded, not normalised. */
  readonly path: string;
  /** The query string with its question mark; empty when there is none. */
  readonly search: string;
  readonly headers: HeaderReader;
  readonly body: Buffer;
  /** Whether the body was larger than is accepted; `body` is empty then. */
  readonly isTooLarge: boolean;
  /** Why it can be answered by nothing but a refusal; absent when it can. */
  readonly malformed?: string;
  /** Aborted when the caller goes away. Made when it is first asked for. */
  readonly signal: AbortSignal;
  /** The caller's address; null when the request did not come through a socket. */
  readonly remoteAddress: string | null;
}

export interface HttpResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** A stream is iterated once or left with `return`. */
  readonly body: AnswerBody | AsyncIterable<readonly Buffer[]>;
  /** Of a stream: asked when all of it has passed. */
  readonly trailers?: (() => Readonly<Record<string, string>>) | undefined;
}

/** A response as it goes out. */
export interface HttpAnswer extends Pick<HttpResponse, 'status' | 'body' | 'trailers'> {
  /** Name, value, name, value …: what a socket takes without another look. */
  readonly headers: readonly string[];
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

/** An answer in the form in which parts of the service hand theirs over, its bytes in pieces. */
export interface InProcessAnswer extends Omit<HttpResponse, 'body'> {
  readonly body: readonly Buffer[] | AsyncIterable<readonly Buffer[]>;
}

export function toInProcessAnswer(answer: HttpAnswer): InProcessAnswer {
  const { status, headers: flat, body, trailers } = answer;
  const headers: Record<string, string> = {};
  for (let at = 0; at < flat.length; at += 2) headers[flat[at] ?? ''] = flat[at + 1] ?? '';
  const pieces = typeof body === 'string' ? [Buffer.from(body, 'latin1')] : body;
  return { status, headers, body: pieces, trailers };
}
