import type { IncomingMessage, ServerResponse } from 'node:http';
import { ServiceError } from '../errors/service-error.ts';
import type { HttpRequest } from '../http/message.ts';
import type { RequestKeySlot } from '../http/request-key.ts';
import type { Exchange } from './connections.ts';
import { type Body, streamBody } from './request-body.ts';
import type { RequestHead } from './request-head.ts';

const noBody = Buffer.alloc(0);

/**
 * A request from a socket. Expensive, rarely used members are created on first read. A class, because an object literal
 * would recreate its getters and methods for each object.
 */
export class SocketRequest implements HttpRequest {
  readonly method: string;
  readonly path: string;
  readonly search: string;
  readonly headers: RequestHead;
  readonly body: Buffer;
  readonly upload: AsyncIterable<Buffer> | null;
  readonly isTooLarge: boolean;
  readonly malformed: string | null;
  readonly keySlot: RequestKeySlot;
  readonly #incoming: IncomingMessage;
  readonly #outgoing: ServerResponse;
  #gone: AbortController | undefined = undefined;

  constructor(exchange: Exchange, body: Body) {
    const { head, incoming, outgoing } = exchange;
    this.method = head.method;
    this.path = head.path;
    this.search = head.search;
    this.headers = head;
    this.isTooLarge = body === 'too_large';
    this.body = body === null || typeof body === 'string' ? noBody : body;
    this.upload = body === 'stream' ? streamBody(exchange) : null;
    this.malformed = head.malformed;
    this.keySlot = head.keySlot;
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

function abortedWhenGone(outgoing: ServerResponse): AbortController {
  const gone = new AbortController();
  const leave = () => {
    if (outgoing.writableFinished) return;
    gone.abort(new ServiceError('query_cancelled', 'The caller went away.'));
  };
  if (outgoing.destroyed) leave();
  else outgoing.on('close', leave);
  return gone;
}
