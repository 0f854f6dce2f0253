/** One event stream with several subscriptions: GraphQL over SSE in single connection mode. */
import type { ServiceError } from '../../errors/service-error.ts';
import { toEventFrame } from '../../http/event-stream.ts';
import type { Membership, Rendered, Subscriber } from '../../live/channel.ts';
import type { Ending } from '../../live/ending.ts';
import { EventStreamBody } from '../../live/event-stream-body.ts';
import type { OpenStream, OpenStreamEntry } from '../../live/open-streams.ts';
import { RefusedSubscription } from './subscriptions.ts';
import { errorsJson, type Mask } from './wire.ts';

export interface MultiplexedStreamOptions {
  readonly mask: Mask;
  readonly register: (stream: OpenStream) => OpenStreamEntry;
  readonly onEnd: () => void;
}

export class MultiplexedStream extends EventStreamBody {
  readonly #options: MultiplexedStreamOptions;
  readonly #operations = new Map<string, Operation>();

  constructor(options: MultiplexedStreamOptions) {
    super(options.register);
    this.#options = options;
  }

  has(id: string): boolean {
    return this.#operations.has(id);
  }

  /** Starts a subscription under the id; a refusal becomes an event of the operation. */
  async run(
    id: string,
    follow: (operation: StreamOperation) => Promise<Membership>,
  ): Promise<void> {
    const operation = new Operation(this, id, this.#options.mask);
    this.#operations.set(id, operation);
    try {
      const membership = await follow(operation);
      operation.membership = membership;
      if (this.isOver || this.#operations.get(id) !== operation) membership.leave();
      else operation.catchUp();
    } catch (error) {
      if (!(error instanceof RefusedSubscription)) throw error;
      // The client may have stopped it meanwhile, and given its id to another operation.
      if (this.#operations.get(id) === operation) operation.refuse(error);
    }
  }

  stop(id: string): void {
    this.#operations.get(id)?.leave();
    this.#operations.delete(id);
  }

  /** Without `complete`, the client reconnects. */
  end(_ending: Ending): void {
    this.finish(null);
  }

  protected override opened(): void {
    this.catchUp();
  }

  protected override catchUp(): void {
    for (const operation of this.#operations.values()) if (this.isReady()) operation.catchUp();
  }

  protected override closed(): void {
    for (const id of [...this.#operations.keys()]) this.stop(id);
    this.#options.onEnd();
  }
}

export interface StreamOperation extends Subscriber {
  /** Converts its errors. */
  mask: Mask;
  /** Aborted when the operation is stopped. */
  readonly signal: AbortSignal;
}

class Operation implements StreamOperation {
  membership: Membership | null = null;
  mask: Mask;
  readonly #stopping = new AbortController();
  readonly #stream: MultiplexedStream;
  readonly #id: string;
  #ending: Ending | null = null;

  constructor(stream: MultiplexedStream, id: string, mask: Mask) {
    this.#stream = stream;
    this.#id = id;
    this.mask = mask;
  }

  get signal(): AbortSignal {
    return this.#stopping.signal;
  }

  /** Also cancels a first run that nobody else waits for. */
  leave(): void {
    this.membership?.leave();
    this.#stopping.abort();
  }

  isReady(): boolean {
    return this.membership !== null && this.#stream.isReady();
  }

  send(rendered: Rendered): void {
    this.#next(rendered.data);
  }

  catchUp(): void {
    this.membership?.catchUp();
    if (this.#ending !== null) this.end(this.#ending);
  }

  fail(error: ServiceError): void {
    if (this.isReady()) this.#next(errorsJson([this.mask(error)]));
  }

  refuse({ errors }: RefusedSubscription): void {
    this.#next(errorsJson(errors));
    this.#complete();
  }

  end(ending: Ending): void {
    this.#ending = ending;
    if (this.membership === null) return;
    if (ending.kind === 'reconnect') {
      this.#stream.end(ending);
      return;
    }
    if (ending.kind === 'error') this.#next(errorsJson([this.mask(ending.error)]));
    this.#complete();
  }

  #next(payload: Buffer): void {
    const data = [Buffer.from(`{"id":${JSON.stringify(this.#id)},"payload":`), payload, closing];
    this.#stream.write(toEventFrame({ event: 'next', data }));
  }

  #complete(): void {
    const data = [Buffer.from(JSON.stringify({ id: this.#id }))];
    this.#stream.write(toEventFrame({ event: 'complete', data }));
    this.#stream.stop(this.#id);
  }
}

const closing = Buffer.from('}');
