/** Server-sent events: their bytes, and the connections that they are written to. Source: WHATWG HTML, 9.2. */

/** Bytes sent to many connections, framed once. */
export interface Frame {
  /** As an HTTP/1.1 chunk. */
  readonly chunk: Buffer;
  /** Without the chunk framing; shares its memory. */
  readonly plain: Buffer;
}

const chunkEnd = Buffer.from('\r\n');

export function toFrame(pieces: readonly Buffer[]): Frame {
  const length = pieces.reduce((sum, piece) => sum + piece.length, 0);
  const head = Buffer.from(`${length.toString(16)}\r\n`);
  const chunk = Buffer.concat([head, ...pieces, chunkEnd]);
  return { chunk, plain: chunk.subarray(head.length, head.length + length) };
}

export interface StreamEvent {
  readonly event: string;
  /** What the client sends as `Last-Event-ID` when it reconnects. */
  readonly id?: string;
  /** JSON. */
  readonly data: readonly Buffer[];
}

const eventEnd = Buffer.from('\n\n');

export function toEventFrame({ event, id, data }: StreamEvent): Frame {
  const idLine = id === undefined ? '' : `id: ${id}\n`;
  const head = Buffer.from(`${idLine}event: ${event}\ndata: `);
  return toFrame([head, ...data.map(onOneLine), eventEnd]);
}

/** A line break would end the data. In JSON it can only be white space between values. */
function onOneLine(json: Buffer): Buffer {
  if (!json.includes(0x0a) && !json.includes(0x0d)) return json;
  return Buffer.from(json).map((byte) => (byte === 0x0a || byte === 0x0d ? 0x20 : byte)) as Buffer;
}

/** Keeps proxies and clients from treating a silent connection as dead. */
export const heartbeatFrame = toFrame([Buffer.from(':\n\n')]);

/** The first bytes; some browsers report a stream as open only after these. */
export function toOpeningFrame(retryMs: number): Frame {
  return toFrame([Buffer.from(`:\nretry: ${retryMs}\n\n`)]);
}

/** The connection of a stream. */
export interface EventSink {
  /** False when the reader is slow. Data written before `onDrain` calls back is queued. */
  write(frame: Frame): boolean;
  onDrain(listener: () => void): void;
  /** Changes when the reader takes some of the queued data. */
  progress(): number;
  onClose(listener: () => void): void;
  /** Ends the response after the data written so far. */
  end(): void;
  /** Closes the connection at once. */
  destroy(): void;
}

/**
 * The body of a long-lived response: its producer writes to the connection. Exactly one of the methods is called, once.
 */
export interface EventBody {
  /** Called when the head is sent. */
  open(sink: EventSink): void;
  /** Called instead if the caller has disconnected or sent HEAD. */
  discard(): void;
}

/** Caches must not store a stream, proxies must not compress or buffer it, and the connection ends with it. */
export const eventHeaders: Readonly<Record<string, string>> = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-store, no-transform',
  'x-accel-buffering': 'no',
  connection: 'close',
  vary: 'Authorization, Accept',
};
