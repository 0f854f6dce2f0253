/** A subscriber on an event stream of its own. */
import type { ServiceError } from '../errors/service-error.ts';
import {
  type EventBody,
  type EventSink,
  type Frame,
  heartbeatFrame,
  toOpeningFrame,
} from '../http/event-stream.ts';
import type { Membership, Rendered, Subscriber } from './channel.ts';
import type { Ending } from './ending.ts';
import type { OpenStream, OpenStreamEntry } from './open-streams.ts';

/** The events of a protocol. */
export interface EventWire {
  readonly content: (rendered: Rendered, has: string | null) => Frame;
  readonly failure: (error: ServiceError) => Frame;
  /** The last event; null: none. */
  readonly ending: (ending: Ending) => Frame | null;
}

export interface EventSubscriberOptions {
  readonly wire: EventWire;
  /** Called when it is written to for the first time. */
  readonly register: (stream: OpenStream) => OpenStreamEntry;
  /** Called once, when the stream has ended: with the code of the error that ended it, or `ok`. */
  readonly onEnd: (outcome: string) => void;
}

/** How long a client waits before it connects again, unless it is told otherwise. */
const retryMs = 2000;

export const openingFrame = toOpeningFrame(retryMs);

/** A class, because there may be many thousands of them. */
export class EventSubscriber implements Subscriber, OpenStream, EventBody {
  /** Set once it has joined. */
  membership: Membership | null = null;
  readonly #options: EventSubscriberOptions;
  #sink: EventSink | null = null;
  #entry: OpenStreamEntry | null = null;
  #isBehind = false;
  #ending: Ending | null = null;
  #isOver = false;

  constructor(options: EventSubscriberOptions) {
    this.#options = options;
  }

  open(sink: EventSink): void {
    this.#sink = sink;
    this.#entry = this.#options.register(this);
    sink.onClose(() => this.#over());
    sink.onDrain(() => this.#drained());
    this.#write(openingFrame);
    if (this.isReady() && this.#ending?.kind !== 'error') this.membership?.catchUp();
    if (this.#ending !== null) this.end(this.#ending);
  }

  discard(): void {
    this.#over();
  }

  isReady(): boolean {
    return this.#sink !== null && !this.#isBehind;
  }

  send(rendered: Rendered, has: string | null): void {
    this.#write(this.#options.wire.content(rendered, has));
  }

  fail(error: ServiceError): void {
    if (this.isReady()) this.#write(this.#options.wire.failure(error));
  }

  beat(): void {
    if (this.isReady()) this.#write(heartbeatFrame);
  }

  end(ending: Ending): void {
    this.#ending ??= ending;
    const sink = this.#sink;
    if (sink === null || this.#isOver) return;
    // Whoever is behind would be told no sooner than it has read the rest.
    if (this.#isBehind) {
      this.destroy();
      return;
    }
    const last = this.#options.wire.ending(this.#ending);
    if (last !== null) sink.write(last);
    sink.end();
    this.#over();
  }

  destroy(): void {
    this.#sink?.destroy();
    this.#over();
  }

  #write(frame: Frame): void {
    if (this.#sink?.write(frame) !== false) return;
    this.#isBehind = true;
    this.#entry?.setBehind(frame.chunk);
  }

  #drained(): void {
    if (!this.#isBehind || this.#isOver) return;
    this.#isBehind = false;
    this.#entry?.setBehind(null);
    this.membership?.catchUp();
  }

  #over(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#entry?.remove();
    this.membership?.leave();
    this.#options.onEnd(this.#ending?.kind === 'error' ? this.#ending.error.code : 'ok');
  }
}
