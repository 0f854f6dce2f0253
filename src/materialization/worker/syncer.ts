/** Claims what is due and syncs it, with an eye on every claim that this process holds. */
import { randomUUID } from 'node:crypto';
import type { MaterializationDeps } from '../deps.ts';
import type { ClaimLease } from '../sync/claim-lease.ts';
import { runSync, type SyncOptions, type SyncOutcome } from '../sync/run-sync.ts';

export interface Syncer {
  /** The sync that is due the longest; null when none is. */
  next(onClaim?: () => void): Promise<SyncOutcome | null>;
  /** Looks at once whether the claims under way still hold. */
  checkClaims(): void;
}

export function openSyncer(
  deps: MaterializationDeps,
  options: Omit<SyncOptions, 'onLease'>,
): Syncer {
  const owner = randomUUID();
  const holders = new Set<ClaimLease>();
  const { leaseMs, stopping } = options;
  return {
    async next(onClaim = () => {}) {
      if (stopping.aborted) return null;
      const now = deps.clock.now();
      const claim = await deps.materializations.claimDueSync({ now, owner, leaseMs });
      if (claim === null) return null;
      onClaim();
      const held: ClaimLease[] = [];
      const onLease = (holder: ClaimLease): void => {
        held.push(holder);
        holders.add(holder);
      };
      try {
        return await runSync(deps, claim, { ...options, onLease });
      } finally {
        for (const holder of held) holders.delete(holder);
      }
    },
    checkClaims() {
      for (const holder of holders) void holder.check();
    },
  };
}
