import { Readable } from 'node:stream';
import {
  cookieHeader,
  type InProcessResponse,
  isEmptyStatus,
  isStream,
  toInProcessResponse,
} from '../http/message.ts';
import { isRowUpload } from '../rest/row-upload.ts';
import type { Dispatcher } from './dispatch.ts';
import { openEventPipe } from './event-pipe.ts';

/** The service without a socket: the same responses to web-standard requests. */
export function openFetch(
  dispatch: Dispatcher,
  maxBodyBytes: number,
): (request: Request) => Promise<Response> {
  return async (request) => {
    const url = new URL(request.url);
    const isUpload = request.body !== null && isRowUpload(request.method, url.pathname);
    const body = isUpload ? noBody : Buffer.from(await request.arrayBuffer());
    const isTooLarge = body.length > maxBodyBytes;
    const response = await dispatch({
      method: request.method,
      path: url.pathname,
      search: url.search,
      headers: request.headers,
      body: isTooLarge ? noBody : body,
      upload: isUpload ? toBuffers(request) : null,
      isTooLarge,
      signal: request.signal,
      remoteAddress: null,
    });
    const result = toResponse(toInProcessResponse(response), request.method);
    requestOf.set(result, request);
    return result;
  };
}

const noBody = Buffer.alloc(0);

async function* toBuffers({ body }: Request): AsyncIterable<Buffer> {
  for await (const bytes of body ?? []) yield Buffer.from(bytes);
}

/** Keeps the request alive as long as its response, because a garbage-collected request no longer reports an abort. */
const requestOf = new WeakMap<Response, Request>();

function toResponse(response: InProcessResponse, method: string): Response {
  const { status, body, events } = response;
  const headers = new Headers(response.headers);
  for (const cookie of response.cookies ?? []) headers.append(cookieHeader, cookie);
  if (events !== undefined && method !== 'HEAD')
    return new Response(openEventPipe(events), { status, headers });
  events?.discard();
  if (method === 'HEAD' || isEmptyStatus(status)) {
    if (isStream(body)) void body[Symbol.asyncIterator]().return?.();
    return new Response(null, { status, headers });
  }
  if (!isStream(body))
    return new Response(new Uint8Array(Buffer.concat(body)), { status, headers });
  const stream = Readable.toWeb(Readable.from(flatten(body))) as ReadableStream<Uint8Array>;
  return new Response(stream, { status, headers });
}

async function* flatten(body: AsyncIterable<readonly Buffer[]>): AsyncIterable<Uint8Array> {
  for await (const pieces of body) yield* pieces;
}
