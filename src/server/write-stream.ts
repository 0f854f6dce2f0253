import type { ServerResponse } from 'node:http';
import type { HttpResponse } from '../http/message.ts';

type Pieces = AsyncIterable<readonly Buffer[]>;

/**
 * Writes everything but the end of a streamed body, no faster than the caller reads. If the body fails, the connection
 * is destroyed, so that the caller cannot mistake a part for the whole. Never throws.
 *
 * @param call `drained` waits until the caller has read what was written, or has disconnected.
 */
export async function writeStream(
  outgoing: ServerResponse,
  response: Omit<HttpResponse, 'body'> & { readonly body: Pieces },
  call: { readonly isHead: boolean; readonly drained: () => Promise<void> },
): Promise<void> {
  const { status, headers, body, trailers } = response;
  const { trailer: named, ...plain } = headers;
  // HTTP/1.0 has neither chunks nor trailers.
  const trailer = outgoing.req.httpVersionMinor >= 1 ? named : undefined;
  const pieces = body[Symbol.asyncIterator]();
  if (call.isHead) {
    await pieces.return?.();
    outgoing.writeHead(status, plain);
    return;
  }
  const onClose = () => void pieces.return?.();
  outgoing.once('close', onClose);
  try {
    outgoing.writeHead(status, trailer === undefined ? plain : headers);
    for (let next = await pieces.next(); next.done !== true; next = await pieces.next()) {
      for (const piece of next.value) if (!outgoing.write(piece)) await call.drained();
      if (outgoing.destroyed) throw new Error('the connection is closed');
    }
    outgoing.removeListener('close', onClose);
    if (trailer !== undefined) outgoing.addTrailers(trailers?.() ?? {});
  } catch {
    // The body's producer has already logged the failure. To HTTP/1.0, the end of the connection is that of the body.
    if (outgoing.req.httpVersionMinor === 0) outgoing.socket?.resetAndDestroy();
    outgoing.destroy();
    await pieces.return?.();
  }
}
