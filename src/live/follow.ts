import type { Principal } from '../access/principal.ts';
import type { Membership, Subscriber } from './channel.ts';
import { stopping } from './ending.ts';
import type { KeyWatches } from './key-watches.ts';
import type { Content } from './source.ts';
import type { Sources, Wanted } from './sources.ts';
import type { StreamLimits } from './stream-limits.ts';

/** The subscriber, and the content that it already has. */
export interface FollowCaller {
  readonly principal: Principal;
  /** The header that authenticated the principal. */
  readonly authorization: string;
  /** Aborted when the caller disconnects before the first content. */
  readonly signal: AbortSignal | undefined;
  /** The tag of the content that the subscriber has; `unknownContent`, or null for none. */
  readonly has: string | null;
}

export interface Follow<C extends Content> extends Wanted<C> {
  /** A project that the caller may see. */
  readonly projectId: number;
  readonly intervalSeconds: number | null;
}

export interface FollowDeps {
  readonly sources: Sources;
  readonly limits: StreamLimits;
  readonly keys: KeyWatches;
  readonly isStopping: () => boolean;
}

/**
 * Resolves when the subscriber has joined and the first content can be sent. Throws reading errors, `too_many_streams`,
 * and `service_unavailable` while the process is stopping.
 */
export async function followSource<C extends Content>(
  { sources, limits, keys, isStopping }: FollowDeps,
  follow: Follow<C>,
  { caller, subscriber }: { readonly caller: FollowCaller; readonly subscriber: Subscriber },
): Promise<Membership> {
  if (isStopping()) throw stopping();
  const { projectId, intervalSeconds } = follow;
  const { principal, authorization, signal, has } = caller;
  const release = limits.enter(principal, projectId);
  const key = keys.watch(authorization, principal);
  const unwatch = key.add({ projectId, end: (ending) => subscriber.end(ending) });
  const { source, channel } = sources.find(follow);
  const membership = channel.join(subscriber, { principal: key.principal, intervalSeconds }, has);
  const leave = (): void => {
    membership.leave();
    unwatch();
    release();
  };
  try {
    await source.ready({ principal, signal, has });
    await channel.ready();
    await key.check();
    return { catchUp: membership.catchUp, leave };
  } catch (error) {
    leave();
    throw error;
  }
}
