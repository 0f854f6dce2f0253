import {
  eligibilityOf,
  isInlineFaster,
  stateOf,
  whyUnusable,
} from '../model/materialization-state.ts';
import type { MaterializationRecord } from '../store/endpoint-record.ts';
import type { MaterializationDeps } from './deps.ts';

/** Progress of the running sync. */
export interface SyncProgress {
  readonly rowsRead: number;
  readonly bytesRead: number;
  /** Rows that the engine expects to read in total; 0 when unknown. */
  readonly rowsTotal: number;
  /** Of the rows to read; null when their number is unknown. */
  readonly percent: number | null;
  readonly timeElapsed: number;
}

type Facts = Omit<MaterializationRecord, 'id' | 'error' | 'nextSyncAt' | 'rowCount' | 'byteCount'>;

/** The status that the stored facts have now. */
export function readState(facts: Facts, now: Date) {
  const isReady = facts.enabled && whyUnusable(facts, now) === null;
  const path = isReady && !isInlineFaster(facts) ? 'materialized' : 'inline';
  return {
    status: stateOf(facts, now),
    ...eligibilityOf(facts),
    isReady,
    servedFrom: facts.enabled ? path : null,
  };
}

/** Null unless a sync is running and the engine reports its progress. */
export async function readProgress(
  deps: MaterializationDeps,
  sync: {
    readonly syncId: string | null;
    readonly claimedUntil: Date | null;
    readonly projectId: number;
  },
): Promise<SyncProgress | null> {
  const { syncId, claimedUntil, projectId } = sync;
  if (syncId === null || claimedUntil === null || claimedUntil <= deps.clock.now()) return null;
  const stats = await deps.engine.progress(syncId, projectId).catch(() => null);
  if (stats === null) return null;
  const { rowsRead, bytesRead, rowsTotal, timeElapsed } = stats;
  const percent = rowsTotal > 0 ? Math.min(100, (100 * rowsRead) / rowsTotal) : null;
  return { rowsRead, bytesRead, rowsTotal, percent, timeElapsed };
}
