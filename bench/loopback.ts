/** Requests to a server in this process, through Node's own parser but past the kernel. */
import type { Server } from 'node:http';
import { Duplex } from 'node:stream';

export interface Loopback {
  /** Resolves in the turn of the event loop after the response was written. */
  ask(request: Buffer): Promise<void>;
  close(): void;
}

/** A connection whose other end is `onResponse`. */
class LoopbackSocket extends Duplex {
  onResponse: () => void = () => undefined;

  constructor() {
    // As sockets do: texts are not made bytes before they are written.
    super({ decodeStrings: false });
  }

  override _read(): void {}

  override _write(_chunk: unknown, _encoding: string, done: () => void): void {
    done();
    this.onResponse();
  }

  override _writev(_chunks: unknown, done: () => void): void {
    done();
    this.onResponse();
  }
}

export function openLoopback(server: Server): Loopback {
  const socket = new LoopbackSocket();
  server.emit('connection', socket);
  return {
    ask: (request) =>
      new Promise<void>((resolve) => {
        socket.onResponse = () => setImmediate(resolve);
        socket.push(request);
      }),
    close: () => socket.destroy(),
  };
}
