import type { IncomingMessage, ServerResponse } from 'node:http';
import type { HttpRequest } from '../http/message.ts';
import type { RequestKeySlot } from '../http/request-key.ts';
import type { RequestHead } from './request-head.ts';

const noBody = Buffer.alloc(0);

/**
 * A request from a socket. Costly and rarely used members are created on first read. A class, because getters and
 * methods in an object literal are created anew for each object.
 */
export class SocketRequest implements HttpRequest {
  readonly method: string;
  readonly path: string;
  readonly search: string;
  readonly headers: RequestHead;
  readonly body: Buffer;
  readonly isTooLarge: boolean;
  readonly malformed: string | null;
  readonly keySlot: RequestKeySlot;
  readonly #incoming: IncomingMessage;
  readonly #outgoing: ServerResponse;
  #gone: AbortController | undefined = undefined;

  constructor({ head, incoming, outgoing }: SocketParts, body: Buffer | 'too_large' | null) {
    this.method = head.method;
    this.path = head.path;
    this.search = head.search;
    this.headers = head;
    this.isTooLarge = body === 'too_large';
    this.body = body === null || body === 'too_large' ? noBody : body;
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

interface SocketParts {
  readonly head: RequestHead;
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
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
