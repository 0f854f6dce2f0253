import type { ServerResponse } from 'node:http';
import type { HttpResponse } from '../http/message.ts';

type Pieces = AsyncIterable<readonly Buffer[]>;

/**
 * Writes all but the end of a body that comes in pieces, no faster than the caller takes it. A body that fails is
 * broken off together with the connection, so that the caller cannot take what it has for the whole. Never throws.
 *
 * @param call `drained` waits until the caller has taken what was written, or is gone.
 */
export async function writeStream(
  outgoing: ServerResponse,
  response: Omit<HttpResponse, 'body'> & { readonly body: Pieces },
  call: { readonly isHead: boolean; readonly drained: () => Promise<void> },
): Promise<void> {
  const { status, headers, body, trailers } = response;
  const { trailer: named, ...plain } = headers;
  // HTTP 1.0 has neither chunks nor trailers.
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
    // The failure is logged where the body was made: here the caller is gone, or must not take the rest for the whole.
    outgoing.destroy();
    await pieces.return?.();
  }
}
