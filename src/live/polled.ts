/** A source that nothing tells of its changes: it is read again every second or so, once for all who follow it. */
import type { Principal } from '../access/principal.ts';
import { type ServiceError, toServiceError } from '../errors/service-error.ts';
import type { Clock } from '../lib/clock.ts';
import type { MaybePromise } from '../lib/maybe-promise.ts';
import { isPassing } from './ending.ts';
import type { Content, FirstReader, Follower, Source, SourceListener } from './source.ts';

export interface PolledContent<T> extends Content {
  readonly value: T;
}

export interface Polled<T> {
  readonly projectId: number;
  readonly name: string | null;
  readonly read: (principal: Principal) => Promise<T>;
  /** Seconds until it is read again; null: that was the last value. */
  readonly next: (value: T) => number | null;
}

export function openPolled<T>(
  clock: Clock,
  polled: Polled<T>,
  onClose: () => void,
): Source<PolledContent<T>> {
  const { projectId, name } = polled;
  const source = new PolledSource(clock, polled, onClose);
  return {
    projectId,
    name,
    newest: () => source.newest,
    ready: (caller) => source.ready(caller),
    follow: (follower) => source.follow(follower),
    listen(listener) {
      source.listeners.add(listener);
      return () => source.listeners.delete(listener);
    },
    refresh: () => void source.refresh(),
    tick: (now) => source.tick(now),
  };
}

const retrySeconds = 5;

class PolledSource<T> {
  newest: PolledContent<T> | null = null;
  readonly listeners = new Set<SourceListener<PolledContent<T>>>();
  readonly #clock: Clock;
  readonly #polled: Polled<T>;
  readonly #onClose: () => void;
  readonly #followers = new Set<Follower>();
  #reads = 0;
  #isReading = false;
  #isDirty = false;
  #lastFailure: string | null = null;
  #dueAt = Number.POSITIVE_INFINITY;

  constructor(clock: Clock, polled: Polled<T>, onClose: () => void) {
    this.#clock = clock;
    this.#polled = polled;
    this.#onClose = onClose;
  }

  ready({ principal }: FirstReader): MaybePromise<void> {
    // Everyone who joins is checked, and gets the state of now.
    return this.#read(principal);
  }

  follow(follower: Follower): () => void {
    this.#followers.add(follower);
    return () => {
      if (this.#followers.delete(follower) && this.#followers.size === 0) this.#close();
    };
  }

  tick(now: Date): void {
    if (now.getTime() >= this.#dueAt) void this.refresh();
  }

  async refresh(): Promise<void> {
    this.#isDirty = true;
    if (this.#isReading) return;
    this.#isReading = true;
    while (this.#isDirty) {
      this.#isDirty = false;
      const [follower] = this.#followers;
      if (follower !== undefined)
        await this.#read(follower.principal()).catch((error: unknown) =>
          this.#fail(toServiceError(error)),
        );
    }
    this.#isReading = false;
  }

  async #read(principal: Principal): Promise<void> {
    this.#reads += 1;
    const number = this.#reads;
    this.#dueAt = Number.POSITIVE_INFINITY;
    const value = await this.#polled.read(principal);
    // A later read has begun since, and tells more.
    if (number < this.#reads && this.newest !== null) return;
    const seconds = this.#polled.next(value);
    this.#lastFailure = null;
    this.newest = { value, tag: String(number) };
    if (seconds !== null) this.#dueAt = this.#clock.now().getTime() + seconds * 1000;
    for (const listener of this.listeners) listener.onContent(this.newest);
    if (seconds === null) this.#end(null);
  }

  #fail(error: ServiceError): void {
    if (!isPassing(error)) {
      this.#end(error);
      return;
    }
    this.#dueAt = this.#clock.now().getTime() + retrySeconds * 1000;
    if (this.#lastFailure === error.code) return;
    this.#lastFailure = error.code;
    for (const listener of this.listeners) listener.onFailure(error);
  }

  #end(error: ServiceError | null): void {
    for (const listener of [...this.listeners]) listener.onEnd(error);
    this.#close();
  }

  #close(): void {
    this.#dueAt = Number.POSITIVE_INFINITY;
    this.#onClose();
  }
}
