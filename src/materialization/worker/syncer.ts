/** Claims and runs due syncs, and keeps the leases of this process. */
import { randomUUID } from 'node:crypto';
import { clockSkewMs } from '../../model/materialization-state.ts';
import type { HeldClaim, SyncClaim } from '../../store/sync-records.ts';
import type { MaterializationDeps } from '../deps.ts';
import type { ClaimLease } from '../sync/claim-lease.ts';
import { runSync, type SyncOptions, type SyncOutcome } from '../sync/run-sync.ts';
import { openClaimWatch } from './claim-watch.ts';

export interface Syncer {
  /** Runs the sync that has been due longest; null if none is due. */
  next(onClaim?: () => void): Promise<SyncOutcome | null>;
  /** Renews the claims of running syncs immediately. */
  checkClaims(): void;
}

export function openSyncer(
  deps: MaterializationDeps,
  options: Omit<SyncOptions, 'leases'> & { readonly silentMs: number },
): Syncer {
  const owner = randomUUID();
  const leases = new Set<ClaimLease>();
  const { leaseMs, stopping } = options;
  /** Workers whose clock seemed wrong. */
  const ahead = new Set<string>();
  const watch = openClaimWatch({ clock: deps.clock, silentMs: options.silentMs });

  /** Checks other processes' claims only when nothing else is due. */
  async function claimNext(): Promise<SyncClaim | null> {
    const { materializations } = deps;
    const now = deps.clock.now();
    const due = await materializations.claimDueSync({ now, owner, leaseMs });
    if (due !== null) return due;
    const abandoned = await findAbandoned(now);
    if (abandoned.length === 0) return null;
    return materializations.claimDueSync({ now, owner, leaseMs, abandoned });
  }

  /**
   * Claims that end later than any valid one could: made by a wrong clock, probably long ago. Only once per worker,
   * because one that goes on is alive, and two whose clocks differ would take each other's claims without end.
   */
  function takeImpossible(claims: readonly HeldClaim[], now: Date): readonly string[] {
    const latest = now.getTime() + leaseMs + clockSkewMs;
    const found = claims.filter(
      (claim) => claim.until.getTime() > latest && claim.owner !== owner && !ahead.has(claim.owner),
    );
    for (const claim of found) ahead.add(claim.owner);
    return found.map(({ syncId }) => syncId);
  }

  async function findAbandoned(now: Date): Promise<readonly string[]> {
    try {
      const claims = await deps.materializations.listClaims(now);
      return [...watch.see(claims), ...takeImpossible(claims, now)];
    } catch (error) {
      watch.forget();
      throw error;
    }
  }

  return {
    async next(onClaim = () => {}) {
      if (stopping.aborted) return null;
      const claim = await claimNext();
      if (claim === null) return null;
      onClaim();
      return runSync(deps, claim, { ...options, leases });
    },
    checkClaims() {
      for (const lease of leases) void lease.check();
    },
  };
}
