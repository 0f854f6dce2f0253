/** An open event stream: writes frames, tracks whether its client is slow, and ends once. */
import {
  type EventBody,
  type EventSink,
  type Frame,
  heartbeatFrame,
  toOpeningFrame,
} from '../http/event-stream.ts';
import type { Ending } from './ending.ts';
import type { OpenStream, OpenStreamEntry } from './open-streams.ts';

/** Default delay before a client reconnects. */
const retryMs = 2000;

const openingFrame = toOpeningFrame(retryMs);

/** A base class instead of a component, because there may be many thousands of them. */
export abstract class EventStreamBody implements EventBody, OpenStream {
  readonly #register: (stream: OpenStream) => OpenStreamEntry;
  #sink: EventSink | null = null;
  #entry: OpenStreamEntry | null = null;
  #isBehind = false;
  #isOver = false;

  /** @param register called at the first write. */
  constructor(register: (stream: OpenStream) => OpenStreamEntry) {
    this.#register = register;
  }

  abstract end(ending: Ending): void;
  /** Called once the first bytes are written. */
  protected abstract opened(): void;
  /** The client has read everything that was sent: send it the newest content. */
  protected abstract catchUp(): void;
  /** Called once. */
  protected abstract closed(): void;

  protected get isOpen(): boolean {
    return this.#sink !== null && !this.#isOver;
  }

  protected get isBehind(): boolean {
    return this.#isBehind;
  }

  protected get isOver(): boolean {
    return this.#isOver;
  }

  open(sink: EventSink): void {
    this.#sink = sink;
    this.#entry = this.#register(this);
    sink.onClose(() => this.#close());
    sink.onDrain(() => this.#drained());
    this.write(openingFrame);
    this.opened();
  }

  discard(): void {
    this.#close();
  }

  isReady(): boolean {
    return this.isOpen && !this.#isBehind;
  }

  write(frame: Frame): void {
    if (this.#isOver || this.#sink?.write(frame) !== false) return;
    this.#isBehind = true;
    this.#entry?.setBehind(frame.chunk);
  }

  beat(): void {
    if (this.isReady()) this.write(heartbeatFrame);
  }

  progress(): number {
    return this.#sink?.progress() ?? 0;
  }

  destroy(): void {
    this.#sink?.destroy();
    this.#close();
  }

  /** Ends the stream after its last event, if there is one. */
  protected finish(last: Frame | null): void {
    if (last !== null) this.#sink?.write(last);
    this.#sink?.end();
    this.#close();
  }

  #drained(): void {
    if (!this.#isBehind || this.#isOver) return;
    this.#isBehind = false;
    this.#entry?.setBehind(null);
    this.catchUp();
  }

  #close(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#entry?.remove();
    this.closed();
  }
}
