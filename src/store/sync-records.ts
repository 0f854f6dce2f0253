import type { MaterializationPlan } from '../model/materialization-plan.ts';
import type { ColumnRecord, JsonObject } from './endpoint-record.ts';

/** A sync on which only this owner works, until its claim expires. */
export interface SyncClaim {
  readonly statusId: string;
  /** Identifies the sync in the history, and its query at the engine. */
  readonly syncId: string;
  readonly startedAt: Date;
  /** Since when it was due; the stored time differs after a request during the sync. */
  readonly dueAt: Date;
  readonly projectId: number;
  readonly endpointId: string;
  readonly endpointName: string;
  readonly versionId: string;
  readonly version: number;
  readonly query: JsonObject;
  readonly columns: readonly ColumnRecord[];
  readonly syncFrequency: string;
  /** Maximum rows of the stored table; null for the server's default. */
  readonly maxRows: number | null;
  /** Failures since the last success. */
  readonly attempts: number;
  /** The plan that built the last table. */
  readonly plan: MaterializationPlan | null;
  /** The last comparison of materialized with inline; null for never. */
  readonly proved: ProvedTable | null;
  /** By the last sync; null for never. */
  readonly measured: MeasuredRead | null;
}

export interface ProvedTable {
  readonly at: Date;
  readonly rows: number;
}

/** Engine milliseconds for the same values. */
export interface MeasuredRead {
  readonly readMs: number;
  readonly inlineMs: number;
}

/** The claim of a running sync, of any process. */
export interface HeldClaim {
  readonly syncId: string;
  /** The worker that made it. */
  readonly owner: string;
  readonly until: Date;
}

export interface SyncLease {
  readonly now: Date;
  readonly leaseMs: number;
  /**
   * Maximum difference between the clocks of two processes; leftovers of an expired claim are dropped that much later.
   */
  readonly skewMs: number;
  /** The table being built. */
  readonly table: string;
}

export interface CompletedSync {
  readonly now: Date;
  readonly table: string;
  readonly plan: MaterializationPlan;
  readonly rows: number;
  readonly bytes: number;
  readonly durationMs: number;
  /** Null when not measured. */
  readonly measured: MeasuredRead | null;
  /** Null when there was nothing to compare; the next table is compared then. */
  readonly proved: ProvedTable | null;
  /** When the table served until now may be dropped. */
  readonly dropOldAfter: Date;
  /** Uses the current cadence, which may have changed since the claim. */
  readonly nextSyncAt: (syncFrequency: string) => Date;
}

export interface FailedSync {
  readonly now: Date;
  readonly outcome: 'failed' | 'cancelled';
  /** Message for the author. */
  readonly error: string;
  /** Why the query cannot be materialized after all; absent when the sync failed for another reason. */
  readonly refusal?: string | undefined;
  /** When the served table may be dropped because its plan is wrong; absent keeps it in use. */
  readonly dropServedAfter?: Date | undefined;
  readonly nextSyncAt: (syncFrequency: string) => Date;
}
