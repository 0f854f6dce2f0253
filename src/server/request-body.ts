/** Request bodies from a socket. */
import type { IncomingMessage } from 'node:http';
import { defineMemo } from '../lib/memo.ts';
import type { Exchange } from './connections.ts';
import { RawIncoming, type TakeBody } from './raw-incoming.ts';

/** `stream`: the operation reads it itself. */
export type Body = Buffer | 'too_large' | 'stream' | null;

/** How much of a too large body is read and discarded, so that its sender can read the response. */
const lingerBytes = 64 * 1024 * 1024;
const lingerMs = 1000;

/**
 * Reads at most `maxBytes`; the rest of a larger body stays unread. Calls back at most once; `gone` means that the
 * caller disconnected.
 */
export function readBody(
  { incoming, outgoing, expectsContinue, head }: Exchange,
  maxBytes: number,
  done: (body: Buffer | 'too_large' | 'gone') => void,
): void {
  if (Number(head.get('content-length') ?? 0) > maxBytes) {
    done('too_large');
    return;
  }
  if (expectsContinue) outgoing.writeContinue();
  const gathered = new GatheredBody();
  let bytes = 0;
  let isDone = false;
  const end = (body: Buffer | 'too_large' | 'gone'): void => {
    if (isDone) return;
    isDone = true;
    stop();
    done(body);
  };
  const take: TakeBody = (piece) => {
    bytes += piece?.length ?? 0;
    if (bytes > maxBytes) end('too_large');
    else if (piece === null) end(gathered.body());
    else gathered.add(piece);
    return bytes <= maxBytes;
  };
  const stop = readPieces(incoming, take, () => end('gone'));
}

const bodyMemo = defineMemo('body from the parser');

/**
 * Passes the body on until stopped: directly from the parser, unless some of it has already arrived. The parser does
 * not report a broken connection; `gone` does.
 */
function readPieces(incoming: IncomingMessage, take: TakeBody, gone: () => void): () => void {
  if (
    bodyMemo.isOn &&
    incoming instanceof RawIncoming &&
    incoming.readableLength === 0 &&
    !incoming.complete
  ) {
    incoming.takeBody(take);
    return () => incoming.takeBody(null);
  }
  const onData = (piece: Buffer): void => {
    if (!take(piece)) incoming.pause();
  };
  incoming.on('data', onData);
  incoming.on('end', () => take(null));
  incoming.on('error', gone);
  incoming.on('close', gone);
  return () => incoming.removeListener('data', onData);
}

/** Copies pieces, however small they are, since each keeps the memory that it was received in. A body of one piece is that piece. */
class GatheredBody {
  #bytes: Buffer = noBytes;
  #length = 0;

  add(piece: Buffer): void {
    if (this.#length === 0) this.#bytes = piece;
    else this.#append(piece);
    this.#length += piece.length;
  }

  body(): Buffer {
    return this.#bytes.subarray(0, this.#length);
  }

  #append(piece: Buffer): void {
    const needed = this.#length + piece.length;
    if (this.#bytes.length < needed) {
      const larger = Buffer.allocUnsafe(2 * needed);
      this.#bytes.copy(larger, 0, 0, this.#length);
      this.#bytes = larger;
    }
    piece.copy(this.#bytes, this.#length);
  }
}

const noBytes = Buffer.alloc(0);

/**
 * The body as a stream with backpressure. Stopping early leaves the connection open, so that a response can be sent.
 */
export async function* streamBody({
  incoming,
  outgoing,
  expectsContinue,
}: Exchange): AsyncIterable<Buffer> {
  if (expectsContinue) outgoing.writeContinue();
  yield* incoming.iterator({ destroyOnReturn: false });
}

/**
 * Reads and discards the rest of the body for a while: closing a connection with unread bytes resets it, and the caller
 * may lose the response.
 */
export function discardRest(incoming: IncomingMessage): Promise<void> {
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
