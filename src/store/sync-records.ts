import type { MaterializationPlan } from '../model/materialization-plan.ts';
import type { ColumnRecord, JsonObject } from './endpoint-record.ts';

/** A sync that this owner alone works on until its claim runs out. */
export interface SyncClaim {
  readonly statusId: string;
  /** Names the sync in the history, and its query at the engine. */
  readonly syncId: string;
  readonly startedAt: Date;
  readonly projectId: number;
  readonly endpointId: string;
  readonly endpointName: string;
  readonly versionId: string;
  readonly version: number;
  readonly query: JsonObject;
  readonly columns: readonly ColumnRecord[];
  readonly syncFrequency: string;
  /** Rows that the stored table may have; null: the server's default. */
  readonly maxRows: number | null;
  /** Failures since the last success. */
  readonly attempts: number;
  /** What the last table was made by. */
  readonly plan: MaterializationPlan | null;
  /** When materialized was last compared with inline; null: never. */
  readonly proved: ProvedTable | null;
}

export interface ProvedTable {
  readonly at: Date;
  readonly rows: number;
}

/** Milliseconds that the engine takes for the same values. */
export interface MeasuredRead {
  readonly readMs: number;
  readonly inlineMs: number;
}

/** The claim of a sync under way, of any process. */
export interface HeldClaim {
  readonly syncId: string;
  readonly until: Date;
}

export interface SyncLease {
  readonly now: Date;
  readonly leaseMs: number;
  /** By how much the clocks of two processes may differ: what a lapsed claim leaves is dropped so much later. */
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
  /** Null: not measured. */
  readonly measured: MeasuredRead | null;
  /** Null: there was nothing to compare, so the next table is. */
  readonly proved: ProvedTable | null;
  /** When the table that was served until now may be dropped. */
  readonly dropOldAfter: Date;
  /** By the cadence at this moment, which may have changed since the claim. */
  readonly nextSyncAt: (syncFrequency: string) => Date;
}

export interface FailedSync {
  readonly now: Date;
  readonly outcome: 'failed' | 'cancelled';
  /** For the author. */
  readonly error: string;
  /** Why the query cannot be materialized after all; absent: the sync failed for another reason. */
  readonly refusal?: string | undefined;
  /** When the served table may be dropped, because its plan is wrong; absent: it stays in use. */
  readonly dropServedAfter?: Date | undefined;
  readonly nextSyncAt: (syncFrequency: string) => Date;
}
