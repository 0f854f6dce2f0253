/**
 * The syncs of materializations: what is due is claimed, then completed, failed or let go. Every
 * transition is one transaction on the condition that the claim still holds, and says whether it happened.
 */
import type { PrismaClient } from '../generated/prisma/client.ts';
import type { Actor } from '../model/actor.ts';
import { translateErrors } from './prisma-errors.ts';
import { type StoredTableStore, storedTableStore } from './stored-tables.ts';
import { claimDueSync, registerTable, renewClaim } from './sync-claim.ts';
import type { CompletedSync, FailedSync, SyncClaim, SyncLease } from './sync-records.ts';
import {
  cancelSync,
  completeSync,
  failSync,
  releaseClaim,
  repairFutureSyncs,
  requestSync,
} from './sync-transitions.ts';

export interface MaterializationStore extends StoredTableStore {
  /** The longest due one that nobody works on, or whose claim has run out; null when there is none. */
  claimDueSync(claim: {
    readonly now: Date;
    readonly owner: string;
    readonly leaseMs: number;
  }): Promise<SyncClaim | null>;
  /** Before a table is made at the engine. False when the claim is lost: then it must not be made. */
  registerTable(claim: SyncClaim, registered: Omit<SyncLease, 'leaseMs'>): Promise<boolean>;
  /** Extends the claim, and with it the life of the table being built. False when it is lost. */
  renewClaim(claim: SyncClaim, lease: SyncLease): Promise<boolean>;
  /** From its commit on, runs read the new table. False when the claim is lost: then nothing changed. */
  completeSync(claim: SyncClaim, completed: CompletedSync): Promise<boolean>;
  /** The table that is served stays, unless said otherwise. False when the claim is lost: then nothing changed. */
  failSync(claim: SyncClaim, failed: FailedSync): Promise<boolean>;
  /** Gives the sync back, due as before. False when the claim is lost. */
  releaseClaim(claim: SyncClaim): Promise<boolean>;
  /** Makes the next sync due now; one under way is followed by another. False when it is off. */
  requestSync(
    statusId: string,
    asked: { readonly now: Date; readonly by?: Actor },
  ): Promise<boolean>;
  /** Makes due what a clock that was ahead has put off: what says that it was synced or tried after `latest`. */
  repairFutureSyncs(times: { readonly now: Date; readonly latest: Date }): Promise<number>;
  /** Takes the claim of the sync under way away; the next comes by the cadence. False when none is under way. */
  cancelSync(
    statusId: string,
    cancelled: { readonly now: Date; readonly nextSyncAt: Date; readonly by?: Actor },
  ): Promise<boolean>;
}

export function openMaterializationStore(deps: {
  readonly prisma: PrismaClient;
}): MaterializationStore {
  const { prisma } = deps;
  return translateErrors<MaterializationStore>({
    ...storedTableStore(prisma),
    claimDueSync: (claim) => claimDueSync(prisma, claim),
    registerTable: (claim, registered) => registerTable(prisma, claim, registered),
    renewClaim: (claim, lease) => renewClaim(prisma, claim, lease),
    completeSync: (claim, completed) => completeSync(prisma, claim, completed),
    failSync: (claim, failed) => failSync(prisma, claim, failed),
    releaseClaim: (claim) => releaseClaim(prisma, claim),
    requestSync: (statusId, asked) => requestSync(prisma, statusId, asked),
    repairFutureSyncs: (times) => repairFutureSyncs(prisma, times),
    cancelSync: (statusId, cancelled) => cancelSync(prisma, statusId, cancelled),
  });
}
