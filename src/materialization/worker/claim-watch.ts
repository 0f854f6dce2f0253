import type { Clock } from '../../lib/clock.ts';
import type { HeldClaim } from '../../store/sync-records.ts';

/**
 * Detects claims that are no longer renewed because their process died. It only compares successive observations by
 * its own clock, since clocks of different processes differ.
 */
export interface ClaimWatch {
  /**
   * Takes all current claims, forgets those that are gone, and returns the sync ids of claims unchanged for
   * `silentMs`.
   */
  see(claims: readonly WatchedClaim[]): readonly string[];
  /** Restarts the observation of every claim. Needed after a failed read, since claims may have been renewed unseen. */
  forget(): void;
}

type WatchedClaim = Pick<HeldClaim, 'syncId' | 'until'>;

interface Seen {
  readonly until: number;
  readonly since: number;
}

export function openClaimWatch(options: {
  readonly clock: Clock;
  readonly silentMs: number;
}): ClaimWatch {
  const { clock, silentMs } = options;
  let seen: ReadonlyMap<string, Seen> = new Map();

  /** Starts again at `now` if the clock was set back. */
  function sinceOf({ syncId, until }: WatchedClaim, now: number): number {
    const before = seen.get(syncId);
    const isSame = before !== undefined && before.until === until.getTime();
    return isSame && before.since <= now ? before.since : now;
  }

  return {
    see(claims) {
      const now = clock.now().getTime();
      seen = new Map(
        claims.map((claim) => [
          claim.syncId,
          { until: claim.until.getTime(), since: sinceOf(claim, now) },
        ]),
      );
      return [...seen].filter(([, { since }]) => now - since >= silentMs).map(([id]) => id);
    },
    forget() {
      seen = new Map();
    },
  };
}
