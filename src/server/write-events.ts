import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { EventBody, EventSink, Frame } from '../http/event-stream.ts';
import type { OutgoingResponse } from '../http/message.ts';
import { untakenBytes } from '../lib/untaken-bytes.ts';
import { writeHead } from './write-response.ts';

/** Writes a long-lived response. Resolves when its connection is closed. */
export function writeEvents(
  outgoing: ServerResponse,
  response: OutgoingResponse,
  events: EventBody,
): Promise<void> {
  const { socket } = outgoing;
  writeHead(outgoing, response, null);
  if (outgoing.req.method === 'HEAD' || socket === null) {
    events.discard();
    outgoing.end();
    return Promise.resolve();
  }
  outgoing.flushHeaders();
  return new Promise((resolve) => {
    outgoing.once('close', resolve);
    events.open(new SocketSink(outgoing, socket));
  });
}

/**
 * Writes to the socket itself: the events are already framed as chunks, once for all recipients, and Node would frame
 * them for each connection.
 */
class SocketSink implements EventSink {
  readonly #outgoing: ServerResponse;
  readonly #socket: Socket;
  /** HTTP/1.0 has no chunks, so its response ends with the connection. */
  readonly #isChunked: boolean;

  constructor(outgoing: ServerResponse, socket: Socket) {
    this.#outgoing = outgoing;
    this.#socket = socket;
    this.#isChunked = outgoing.chunkedEncoding;
    outgoing.on('error', ignore);
  }

  write(frame: Frame): boolean {
    if (!this.#socket.writable) return false;
    return this.#socket.write(this.#isChunked ? frame.chunk : frame.plain);
  }

  onDrain(listener: () => void): void {
    this.#socket.on('drain', listener);
  }

  progress(): number {
    return untakenBytes(this.#socket);
  }

  onClose(listener: () => void): void {
    this.#outgoing.once('close', listener);
  }

  end(): void {
    this.#outgoing.end();
  }

  destroy(): void {
    this.#outgoing.destroy();
  }
}

const ignore = (): void => undefined;
