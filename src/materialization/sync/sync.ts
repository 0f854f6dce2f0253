/** A running sync, and why one ends for good. */
import type { SyncClaim } from '../../store/sync-records.ts';
import type { MaterializationDeps } from '../deps.ts';

/** The query cannot be materialized; the message is the reason. */
export class MaterializationRefused extends Error {
  /** Whether the served table was made by the same plan and is therefore wrong too. */
  readonly isOfServed: boolean;

  constructor(reason: string, isOfServed = false) {
    super(reason);
    this.isOfServed = isOfServed;
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
