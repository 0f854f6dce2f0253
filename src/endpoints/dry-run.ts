/** A write that is fully checked but not carried out. */
import type { BreakingChange } from '../data-graph/compare-shapes.ts';
import type { EndpointRecord } from '../store/endpoint-record.ts';
import type { StoreTransaction } from '../store/roll-back.ts';
import type { QueryCheck } from './query-check.ts';

/** Reads the resulting endpoint within the transaction that is rolled back afterwards. */
export type ReadDryRun<T> = (tx: StoreTransaction, written: EndpointRecord) => Promise<T>;

export interface DryRun<T> {
  readonly result: T;
  /** Null when the request has no query. */
  readonly check: QueryCheck | null;
  /** What an update breaks for data graph callers; null for a new endpoint. */
  readonly graphChanges: readonly BreakingChange[] | null;
}
