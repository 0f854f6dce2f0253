/** Claims due syncs and runs them, and knows the leases of this process. */
import { randomUUID } from 'node:crypto';
import type { MaterializationDeps } from '../deps.ts';
import type { ClaimLease } from '../sync/claim-lease.ts';
import { runSync, type SyncOptions, type SyncOutcome } from '../sync/run-sync.ts';

export interface Syncer {
  /** Runs the sync that has been due the longest; null when none is. */
  next(onClaim?: () => void): Promise<SyncOutcome | null>;
  /** Renews the claims of running syncs at once. */
  checkClaims(): void;
}

export function openSyncer(
  deps: MaterializationDeps,
  options: Omit<SyncOptions, 'leases'>,
): Syncer {
  const owner = randomUUID();
  const leases = new Set<ClaimLease>();
  const { leaseMs, stopping } = options;
  return {
    async next(onClaim = () => {}) {
      if (stopping.aborted) return null;
      const now = deps.clock.now();
      const claim = await deps.materializations.claimDueSync({ now, owner, leaseMs });
      if (claim === null) return null;
      onClaim();
      return runSync(deps, claim, { ...options, leases });
    },
    checkClaims() {
      for (const lease of leases) void lease.check();
    },
  };
}
