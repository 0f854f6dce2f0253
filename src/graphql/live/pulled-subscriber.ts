import type { GraphQLError } from 'graphql';
import type { ServiceError } from '../../errors/service-error.ts';
import type { Membership, Rendered, Subscriber } from '../../live/channel.ts';
import type { Ending } from '../../live/ending.ts';
import type { Mask } from './wire.ts';

/** The payload of an event: shared JSON, or errors. */
export type Payload = { readonly json: Buffer } | { readonly errors: readonly GraphQLError[] };

/** A subscriber whose events are pulled one by one; each pull gets the newest content. */
export class PulledSubscriber implements Subscriber, AsyncIterableIterator<Payload> {
  /** Set once it has joined. */
  membership: Membership | null = null;
  readonly #mask: Mask;
  readonly #onReconnect: () => void;
  #take: ((result: IteratorResult<Payload>) => void) | null = null;
  #ending: Ending | null = null;
  #isOver = false;

  constructor(mask: Mask, onReconnect: () => void) {
    this.#mask = mask;
    this.#onReconnect = onReconnect;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<IteratorResult<Payload>> {
    return new Promise((take) => {
      this.#take = take;
      if (this.#isOver) this.#give({ done: true, value: undefined });
      else if (this.#ending?.kind !== 'error') this.membership?.catchUp();
      if (this.#ending !== null) this.end(this.#ending);
    });
  }

  async return(): Promise<IteratorResult<Payload>> {
    this.#over();
    this.#give({ done: true, value: undefined });
    return { done: true, value: undefined };
  }

  async throw(): Promise<IteratorResult<Payload>> {
    return this.return();
  }

  isReady(): boolean {
    return this.#take !== null && this.membership !== null;
  }

  send(rendered: Rendered): void {
    this.#give({ value: { json: rendered.data } });
  }

  fail(error: ServiceError): void {
    if (this.isReady()) this.#give({ value: { errors: [this.#mask(error)] } });
  }

  end(ending: Ending): void {
    this.#ending = ending;
    if (this.#take === null) return;
    if (ending.kind === 'reconnect') this.#onReconnect();
    this.#over();
    if (ending.kind === 'error') this.#give({ value: { errors: [this.#mask(ending.error)] } });
    else this.#give({ done: true, value: undefined });
  }

  #give(result: IteratorResult<Payload>): void {
    const take = this.#take;
    this.#take = null;
    take?.(result);
  }

  #over(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.membership?.leave();
  }
}
