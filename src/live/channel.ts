/** The subscribers of one representation of a source: each content is rendered once, and all get the same bytes. */
import { type ServiceError, toServiceError } from '../errors/service-error.ts';
import { andThen, type MaybePromise } from '../lib/maybe-promise.ts';
import { type Ending, reconnect } from './ending.ts';
import type { Holding } from './held-bytes.ts';
import type { Content, Follower, Source } from './source.ts';

/** One content in one representation. */
export interface Rendered {
  /** Tag of the content. */
  readonly tag: string;
  /** JSON on one line. */
  readonly data: Buffer;
  /** A shorter message for subscribers whose content has that tag; null when there is none. */
  readonly changes: { readonly since: string; readonly data: Buffer } | null;
  /** Additional bytes retained for rendering the next content; absent for none. */
  readonly keptBytes?: number;
}

/** Renders contents. Called once for each, in order. */
export type RenderContent<C extends Content> = (content: C) => MaybePromise<Omit<Rendered, 'tag'>>;

export interface Subscriber {
  /** False while its connection accepts no more data. */
  isReady(): boolean;
  /** @param has the tag of the last content that it was sent, or claims to have; null for none. */
  send(rendered: Rendered, has: string | null): void;
  fail(error: ServiceError): void;
  end(ending: Ending): void;
}

export interface Membership {
  /** Sends the newest content, if the subscriber does not have it. Call it when the subscriber is ready again. */
  catchUp(): void;
  leave(): void;
}

export interface Channel {
  /** Renders the newest content. Throws rendering errors. */
  ready(): MaybePromise<void>;
  /**
   * Keeps the channel and its source open. A subscriber joins before anything is awaited, so that it misses nothing;
   * until it is ready nothing is sent to it.
   *
   * @param has the tag of the content that the subscriber claims to have.
   */
  join(subscriber: Subscriber, follower: Follower, has: string | null): Membership;
}

export interface ChannelOptions<C extends Content> {
  readonly source: Source<C>;
  readonly render: RenderContent<C>;
  /** Memory accounting of the rendered content. */
  readonly holding: Holding;
  /** Converts a failure to the form sent to subscribers. */
  readonly toFailure: (error: ServiceError) => ServiceError;
  /** Called with the number of contents that a slow subscriber was never sent. */
  readonly onSkip: (count: number) => void;
  readonly onSend: (count: number) => void;
  readonly onEmpty: () => void;
}

interface Member {
  readonly subscriber: Subscriber;
  has: string | null;
  /** Whether the last that it was sent is a failure. */
  isFailed: boolean;
  /** Contents that arrived while it was slow. */
  missed: number;
}

/** Number of subscribers written to before other work gets its turn. */
const turnSize = 500;

export function openChannel<C extends Content>(options: ChannelOptions<C>): Channel {
  const channel = new SourceChannel(options);
  return {
    ready: () => channel.ready(),
    join: (subscriber, follower, has) => channel.join(subscriber, follower, has),
  };
}

class SourceChannel<C extends Content> {
  readonly #options: ChannelOptions<C>;
  readonly #members = new Set<Member>();
  readonly #stopListening: () => void;
  #rendered: Rendered | null = null;
  /** Tag of the last rendered content. */
  #tag: string | null = null;
  /** Renderings run one after another, since one may describe changes since the previous one. */
  #rendering: Promise<void> | null = null;
  #pass = 0;
  #isClosed = false;
  /** Whether the last read of the source failed, so that its newest content is from before. */
  #isFailing = false;
  /** Why it has ended, for callers that are about to join. */
  #failure: ServiceError | null = null;

  constructor(options: ChannelOptions<C>) {
    this.#options = options;
    this.#stopListening = options.source.listen({
      onContent: () => void this.#publish(),
      onFailure: (error) => this.#fail(options.toFailure(error)),
      onEnd: (error) => void this.#endAfterLast(error),
    });
  }

  ready(): MaybePromise<void> {
    if (this.#failure !== null) throw this.#failure;
    if (this.#rendering !== null) return this.#rendering.then(() => this.ready());
    const content = this.#options.source.newest();
    if (content === null || content.tag === this.#tag) return;
    const rendering = andThen(this.#options.render(content), (rendered) => {
      // If the bytes are equal, the difference is not part of this representation.
      if (this.#rendered?.data.equals(rendered.data) !== true) {
        this.#options.holding.hold(this.#isClosed ? 0 : bytesOf(rendered));
        this.#rendered = { ...rendered, tag: content.tag };
      }
      this.#tag = content.tag;
    });
    if (!(rendering instanceof Promise)) return;
    this.#rendering = rendering.finally(() => {
      this.#rendering = null;
    });
    return this.#rendering.then(() => this.ready());
  }

  join(subscriber: Subscriber, follower: Follower, has: string | null): Membership {
    const member: Member = { subscriber, has, isFailed: false, missed: 0 };
    const unfollow = this.#options.source.follow(follower);
    this.#members.add(member);
    return {
      catchUp: () => this.#catchUp(member),
      leave: () => {
        this.#leave(member);
        unfollow();
      },
    };
  }

  #fail(failure: ServiceError): void {
    this.#isFailing = true;
    for (const member of this.#members) {
      // A slow subscriber still shows its last content.
      if (!member.subscriber.isReady()) continue;
      member.isFailed = true;
      member.subscriber.fail(failure);
    }
  }

  async #publish(): Promise<void> {
    try {
      await this.ready();
    } catch (error) {
      // The representation can no longer be rendered, for example changes by a key that is no longer unique.
      const failure = toServiceError(error);
      this.#failure = failure;
      // Another process, or this one later, may have enough memory.
      this.#end(failure.code === 'too_many_streams' ? reconnect : this.#failed(failure));
      return;
    }
    this.#isFailing = false;
    this.#pass += 1;
    const pass = this.#pass;
    let left = turnSize;
    for (const member of this.#members) {
      this.#offer(member);
      left -= 1;
      if (left > 0) continue;
      await new Promise<void>((turn) => setImmediate(turn));
      // A later pass already sends newer content to all.
      if (pass !== this.#pass) return;
      left = turnSize;
    }
  }

  #offer(member: Member): void {
    if (member.subscriber.isReady()) this.#catchUp(member);
    else if (this.#rendered !== null && this.#rendered.tag !== member.has) member.missed += 1;
  }

  #catchUp(member: Member): void {
    const rendered = this.#rendered;
    if (member.missed > 1) this.#options.onSkip(member.missed - 1);
    member.missed = 0;
    // After a failure the same content is sent again, once a read has succeeded.
    const isRecovered = member.isFailed && !this.#isFailing;
    if (rendered === null || (rendered.tag === member.has && !isRecovered)) return;
    const { has } = member;
    member.has = rendered.tag;
    member.isFailed = false;
    member.subscriber.send(rendered, has);
    this.#options.onSend(1);
  }

  #leave(member: Member): void {
    if (this.#members.delete(member) && this.#members.size === 0) this.#close();
  }

  /** A slow subscriber does not get the last content. */
  async #endAfterLast(error: ServiceError | null): Promise<void> {
    if (error === null) await this.#publish();
    this.#end(error === null ? { kind: 'complete' } : this.#failed(error));
  }

  #failed(error: ServiceError): Ending {
    return { kind: 'error', error: this.#options.toFailure(error) };
  }

  #end(ending: Ending): void {
    for (const { subscriber } of [...this.#members]) subscriber.end(ending);
    this.#members.clear();
    this.#close();
  }

  #close(): void {
    this.#isClosed = true;
    this.#options.holding.hold(0);
    this.#stopListening();
    this.#options.onEmpty();
  }
}

/** Doubled, because the frame holds a second copy. */
function bytesOf({ data, changes, keptBytes = 0 }: Omit<Rendered, 'tag'>): number {
  return 2 * (data.length + (changes?.data.length ?? 0)) + keptBytes;
}
