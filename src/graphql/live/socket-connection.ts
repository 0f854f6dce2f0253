/** One WebSocket: sends messages, and finds out whether its peer still reads. */
import type { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';
import { untakenBytes } from '../../lib/untaken-bytes.ts';
import type { OpenStream, OpenStreamEntry } from '../../live/open-streams.ts';

/**
 * A ping follows whenever this many bytes were sent. Its answer shows that the peer has read them, which nothing else
 * does: the operating system and proxies hold megabytes. Long messages are sent in pieces of this length.
 */
const pieceBytes = 131_072;

/** How long a client may take to acknowledge a close by the service. */
const closeMs = 2000;
/** RFC 6455: the service is restarting. Clients reconnect. */
const restarting = 1012;

export class SocketConnection implements OpenStream {
  readonly #socket: WebSocket;
  readonly #transport: Duplex;
  readonly #entry: OpenStreamEntry;
  /** Pings are numbered, because a peer may answer only the last of several. */
  #lastPing = 0;
  #lastAnswered = 0;
  /** The last ping that was sent because of `pieceBytes`. */
  #lastAfterPiece = 0;
  /** Without heartbeats. */
  #bytesSincePing = 0;
  /** Whether a pong has come since the last heartbeat. */
  #isAlive = true;

  constructor(
    socket: WebSocket,
    transport: Duplex,
    register: (stream: OpenStream) => OpenStreamEntry,
  ) {
    this.#socket = socket;
    this.#transport = transport;
    this.#entry = register(this);
    socket.on('pong', (data) => this.#hear(data));
    socket.once('close', () => this.#entry.remove());
  }

  /** Resolves when the connection accepts more data, so that a slow reader then gets the newest content. */
  send(message: Buffer): Promise<void> {
    if (this.#socket.readyState !== this.#socket.OPEN) return Promise.resolve();
    return new Promise((resolve) => {
      this.#write(message, () => {
        this.#noteBehind();
        resolve();
      });
      this.#noteBehind();
    });
  }

  /** Pings detect dead connections. Behind unread messages they come late: the timeout is for a peer that reads nothing. */
  beat(): void {
    if (!this.#isAlive && !this.#isBehind()) {
      this.destroy();
      return;
    }
    this.#isAlive = this.#isBehind();
    this.#ping();
  }

  progress(): number {
    return untakenBytes(this.#transport);
  }

  end(): void {
    this.#socket.close(restarting, 'Reconnect.');
    setTimeout(() => this.destroy(), closeMs).unref();
  }

  destroy(): void {
    this.#socket.terminate();
  }

  #write(message: Buffer, done: () => void): void {
    for (let at = 0; at < message.length; at += pieceBytes) {
      const piece = message.subarray(at, at + pieceBytes);
      const fin = at + pieceBytes >= message.length;
      this.#socket.send(piece, { binary: false, fin }, fin ? done : undefined);
      this.#bytesSincePing += piece.length;
      if (this.#bytesSincePing < pieceBytes) continue;
      this.#ping();
      this.#bytesSincePing = 0;
      this.#lastAfterPiece = this.#lastPing;
    }
  }

  #ping(): void {
    this.#lastPing += 1;
    this.#socket.ping(String(this.#lastPing));
  }

  #hear(pong: Buffer): void {
    this.#isAlive = true;
    const number = Number(pong.toString());
    if (!(number > this.#lastAnswered && number <= this.#lastPing)) return;
    this.#lastAnswered = number;
    // The peer has read something, so its timeout begins again.
    this.#entry.setBehind(null);
    this.#noteBehind();
  }

  #isBehind(): boolean {
    return this.#socket.bufferedAmount > 0 || this.#lastAnswered < this.#lastAfterPiece;
  }

  #noteBehind(): void {
    const { readyState, OPEN, bufferedAmount } = this.#socket;
    const isBehind = readyState === OPEN && this.#isBehind();
    this.#entry.setBehind(isBehind ? { length: bufferedAmount } : null);
  }
}
