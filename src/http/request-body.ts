/** Bodies of requests, from a socket. */
import type { IncomingMessage } from 'node:http';
import type { Exchange } from './connections.ts';

export type Body = Buffer | 'too_large' | null;

/** How much of a body that is too large is still taken, so that its sender reads the answer. */
const lingerBytes = 64 * 1024 * 1024;
const lingerMs = 1000;

/** Reads at most `maxBytes`; the rest of a larger body stays where it is. Told once; `gone`: there will be none. */
export function readBody(
  { incoming, outgoing, expectsContinue, head }: Exchange,
  maxBytes: number,
  tell: (body: Buffer | 'too_large' | 'gone') => void,
): void {
  if (Number(head.get('content-length') ?? 0) > maxBytes) {
    tell('too_large');
    return;
  }
  if (expectsContinue) outgoing.writeContinue();
  let first: Buffer | null = null;
  let more: Buffer[] | null = null;
  let bytes = 0;
  let isTold = false;
  const end = (body: Buffer | 'too_large' | 'gone'): void => {
    if (isTold) return;
    isTold = true;
    tell(body);
  };
  const keep = (chunk: Buffer): void => {
    bytes += chunk.length;
    if (bytes > maxBytes) {
      incoming.pause();
      incoming.removeListener('data', keep);
      end('too_large');
    } else if (first === null) first = chunk;
    else if (more === null) more = [first, chunk];
    else more.push(chunk);
  };
  incoming.on('data', keep);
  incoming.on('end', () => end(more === null ? (first ?? noBytes) : Buffer.concat(more)));
  incoming.on('error', () => end('gone'));
  incoming.on('close', () => end('gone'));
}

const noBytes = Buffer.alloc(0);

/**
 * Takes in what is still sent, for a while, and throws it away: a connection that is closed with unread
 * bytes is reset, and its caller may lose the answer that says why.
 */
export function takeRest(incoming: IncomingMessage): Promise<void> {
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
