/** A running sync, and why one ends for good. */
import type { SyncClaim } from '../../store/sync-records.ts';
import type { MaterializationDeps } from '../deps.ts';

/** The query cannot be materialized; the message is the reason. */
export class MaterializationRefused extends Error {
  /** Whether no run may read the served table any more: its plan is wrong, or is refused now. */
  readonly dropsServed: boolean;

  constructor(reason: string, dropsServed = false) {
    super(reason);
    this.dropsServed = dropsServed;
  }
}

export interface Sync {
  readonly deps: MaterializationDeps;
  readonly claim: SyncClaim;
  /** A table name that was never used before. */
  readonly table: string;
  /** Maximum clock difference between two processes. */
  readonly skewMs: number;
  readonly signal: AbortSignal;
}
