import type { Clock } from '../../lib/clock.ts';
import type { HeldClaim } from '../../store/sync-records.ts';

/**
 * Notices claims that are no longer renewed, because their process died. It compares what it saw with what it sees, so
 * that it needs no clock but its own: those of two processes differ.
 */
export interface ClaimWatch {
  /**
   * Takes all claims of this moment, forgets those that are gone, and returns the ids of the syncs whose claims have been
   * the same for `silentMs`.
   */
  see(claims: readonly HeldClaim[]): readonly string[];
  /** The claims could not be read, so a claim may have been renewed unseen: each begins anew. */
  forget(): void;
}

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

  /** A time from the future (the clock was set back) begins anew. */
  function sinceOf({ syncId, until }: HeldClaim, now: number): number {
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
