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
  /** Total rows the engine expects to read; 0 if unknown. */
  readonly rowsTotal: number;
  /** Percentage of the rows to read; null if their number is unknown. */
  readonly percent: number | null;
  readonly timeElapsed: number;
}

type Facts = Omit<MaterializationRecord, 'id' | 'error' | 'nextSyncAt' | 'rowCount' | 'byteCount'>;

/** Derives the current status from the stored facts. */
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
