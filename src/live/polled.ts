/** A source without change notifications: polled about once a second, for all of its subscribers together. */
import type { Principal } from '../access/principal.ts';
import { type ServiceError, toServiceError } from '../errors/service-error.ts';
import { isPassing } from './ending.ts';
import { Listeners } from './listeners.ts';
import type { Content, FirstReader, Follower, Source, SourceListener } from './source.ts';

export interface PolledContent<T> extends Content {
  readonly value: T;
}

export interface Polled<T> {
  readonly projectId: number;
  readonly name: string | null;
  readonly read: (principal: Principal) => Promise<T>;
  /** Seconds until the next read; null after the last value. */
  readonly next: (value: T) => number | null;
}

/** @param nowMs a monotonic clock. */
export function openPolled<T>(
  nowMs: () => number,
  polled: Polled<T>,
  onClose: () => void,
): Source<PolledContent<T>> {
  return new PolledSource(nowMs, polled, onClose);
}

const retrySeconds = 5;

class PolledSource<T> implements Source<PolledContent<T>> {
  readonly projectId: number;
  readonly name: string | null;
  readonly #nowMs: () => number;
  readonly #polled: Polled<T>;
  readonly #onClose: () => void;
  readonly #followers = new Set<Follower>();
  readonly #listeners = new Listeners<PolledContent<T>>();
  #newest: PolledContent<T> | null = null;
  #reads = 0;
  #isReading = false;
  #isDirty = false;
  #dueAt = Number.POSITIVE_INFINITY;

  constructor(nowMs: () => number, polled: Polled<T>, onClose: () => void) {
    this.projectId = polled.projectId;
    this.name = polled.name;
    this.#nowMs = nowMs;
    this.#polled = polled;
    this.#onClose = onClose;
  }

  newest(): PolledContent<T> | null {
    return this.#newest;
  }

  async ready({ principal }: FirstReader): Promise<void> {
    try {
      // Each joining subscriber is authorized and gets the current state.
      await this.#read(principal);
    } catch (error) {
      // Others still follow, and the read may have taken the place of theirs: the next tick reads for them.
      this.#dueAt = this.#nowMs();
      throw error;
    }
  }

  follow(follower: Follower): () => void {
    this.#followers.add(follower);
    return () => {
      if (this.#followers.delete(follower) && this.#followers.size === 0) this.#close();
    };
  }

  listen(listener: SourceListener<PolledContent<T>>): () => void {
    return this.#listeners.add(listener);
  }

  tick(nowMs: number): void {
    if (nowMs >= this.#dueAt) this.refresh();
  }

  refresh(): void {
    this.#isDirty = true;
    if (!this.#isReading) void this.#readWhileDirty();
  }

  async #readWhileDirty(): Promise<void> {
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
    // A later read has started, so this result is outdated.
    if (number < this.#reads && this.#newest !== null) return;
    const seconds = this.#polled.next(value);
    this.#newest = { value, tag: String(number) };
    if (seconds !== null) this.#dueAt = this.#nowMs() + seconds * 1000;
    this.#listeners.hearSuccess();
    this.#listeners.hearContent(this.#newest);
    if (seconds === null) this.#end(null);
  }

  #fail(error: ServiceError): void {
    if (!isPassing(error)) {
      this.#end(error);
      return;
    }
    this.#dueAt = this.#nowMs() + retrySeconds * 1000;
    this.#listeners.hearFailure(error);
  }

  #end(error: ServiceError | null): void {
    this.#listeners.hearEnd(error);
    this.#close();
  }

  #close(): void {
    this.#dueAt = Number.POSITIVE_INFINITY;
    this.#onClose();
  }
}
