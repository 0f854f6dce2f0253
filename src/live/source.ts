/** Something that changes and has subscribers: the result of a run, or a status. It is read once for all of them. */
import type { Principal } from '../access/principal.ts';
import type { ServiceError } from '../errors/service-error.ts';
import type { MaybePromise } from '../lib/maybe-promise.ts';

export interface Content {
  /** Differs for different contents. */
  readonly tag: string;
}

/** A subscriber, or a caller about to become one. */
export interface Follower {
  readonly principal: () => Principal;
  /** Interval of reads without a known change; null for none. */
  readonly intervalSeconds: number | null;
}

export interface SourceListener<C extends Content> {
  /** Called for each content that differs from the previous one, and for the first after a failure. */
  onContent(content: C): void;
  /** A read failed and will be retried. Called once while the code stays the same. */
  onFailure(error: ServiceError): void;
  /**
   * No more contents follow. With an error, the source is gone or no longer what was requested; with null, it has ended
   * regularly.
   */
  onEnd(error: ServiceError | null): void;
}

export interface Source<C extends Content> {
  readonly projectId: number;
  /** Name of the endpoint; null when it belongs to none. */
  readonly name: string | null;
  /** The newest content; null before the first. */
  newest(): C | null;
  /** Reads the first content on behalf of the caller, unless there is one. Throws reading errors. */
  ready(caller: FirstReader): MaybePromise<void>;
  /** Keeps the source open and up to date, starting before its first content. The returned function ends that. */
  follow(follower: Follower): () => void;
  listen(listener: SourceListener<C>): () => void;
  /** Its content may have changed. */
  refresh(): void;
  /** Refreshes what is due at this time of the monotonic clock. */
  tick(nowMs: number): void;
}

/** Tag of a reader that cannot name its content, and must not be sent anything older. */
export const unknownContent = 'unknown';

export interface FirstReader {
  readonly principal: Principal;
  readonly signal: AbortSignal | undefined;
  /** The tag of the reader's content, perhaps from another process; `unknownContent`, or null for none. */
  readonly has: string | null;
}
