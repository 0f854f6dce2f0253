/** Something that changes and is followed: the result of a run, a status. It is read once, whoever follows it. */
import type { Principal } from '../access/principal.ts';
import type { ServiceError } from '../errors/service-error.ts';
import type { MaybePromise } from '../lib/maybe-promise.ts';

export interface Content {
  /** Another for another content. */
  readonly tag: string;
}

/** Whoever follows it, or is about to. */
export interface Follower {
  readonly principal: () => Principal;
  /** How often it is read again without a known change; null: as it comes. */
  readonly intervalSeconds: number | null;
}

export interface SourceListener<C extends Content> {
  /** Called for each content that differs from the one before. */
  onContent(content: C): void;
  /** It could not be read, and will be tried again. Called once while the code stays the same. */
  onFailure(error: ServiceError): void;
  /**
   * There will be no more. With an error: what is followed is gone, or no longer what was asked for; with null: it has
   * come to its end.
   */
  onEnd(error: ServiceError | null): void;
}

export interface Source<C extends Content> {
  readonly projectId: number;
  /** Of the endpoint that it is about; null: of none. */
  readonly name: string | null;
  /** The newest content; null before the first. */
  newest(): C | null;
  /** Reads the first content on behalf of the caller, unless there is one. Throws what reading throws. */
  ready(caller: FirstReader): MaybePromise<void>;
  /** Keeps the source open and up to date, from before its first content on. The returned function ends that. */
  follow(follower: Follower): () => void;
  listen(listener: SourceListener<C>): () => void;
  /** What it shows may have changed. */
  refresh(): void;
  /** Refreshes what is due. */
  tick(now: Date): void;
}

/** Of a reader that cannot say what it has, and must not be sent what is older. */
export const unknownContent = 'unknown';

export interface FirstReader {
  readonly principal: Principal;
  readonly signal: AbortSignal | undefined;
  /** The tag of the content that the reader has, perhaps of another process; `unknownContent`, or null: none. */
  readonly has: string | null;
}
