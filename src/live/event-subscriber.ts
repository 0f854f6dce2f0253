/** A subscriber with its own event stream. */
import type { ServiceError } from '../errors/service-error.ts';
import type { Frame } from '../http/event-stream.ts';
import type { Membership, Rendered, Subscriber } from './channel.ts';
import type { Ending } from './ending.ts';
import { EventStreamBody } from './event-stream-body.ts';
import type { OpenStream, OpenStreamEntry } from './open-streams.ts';

/** The event frames of a protocol. */
export interface EventWire {
  readonly content: (rendered: Rendered, has: string | null) => Frame;
  readonly failure: (error: ServiceError) => Frame;
  /** The last event; null for none. */
  readonly ending: (ending: Ending) => Frame | null;
}

export interface EventSubscriberOptions {
  readonly wire: EventWire;
  /** Called at the first write. */
  readonly register: (stream: OpenStream) => OpenStreamEntry;
  /** Called once when the stream has ended, with the code of the error that ended it, or `ok`. */
  readonly onEnd: (outcome: string) => void;
}

export class EventSubscriber extends EventStreamBody implements Subscriber {
  /** Set once it has joined. */
  membership: Membership | null = null;
  readonly #options: EventSubscriberOptions;
  #ending: Ending | null = null;

  constructor(options: EventSubscriberOptions) {
    super(options.register);
    this.#options = options;
  }

  send(rendered: Rendered, has: string | null): void {
    this.write(this.#options.wire.content(rendered, has));
  }

  fail(error: ServiceError): void {
    if (this.isReady()) this.write(this.#options.wire.failure(error));
  }

  end(ending: Ending): void {
    this.#ending ??= ending;
    if (!this.isOpen) return;
    // A slow client would receive the ending only after it has read the rest.
    if (this.isBehind) this.destroy();
    else this.finish(this.#options.wire.ending(this.#ending));
  }

  protected override opened(): void {
    if (this.isReady() && this.#ending?.kind !== 'error') this.catchUp();
    if (this.#ending !== null) this.end(this.#ending);
  }

  protected override catchUp(): void {
    this.membership?.catchUp();
  }

  protected override closed(): void {
    this.membership?.leave();
    this.#options.onEnd(this.#ending?.kind === 'error' ? this.#ending.error.code : 'ok');
  }
}
