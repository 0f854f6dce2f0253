import { randomUUID } from 'node:crypto';
import { isOutage } from '../errors/service-error.ts';
import type { Clock } from '../lib/clock.ts';
import { openFlushes } from '../lib/flushes.ts';
import type { Log } from '../lib/log.ts';
import type { EndpointMetrics } from '../metrics/endpoint-metrics.ts';
import type { UsageRow } from '../model/usage.ts';
import type { UsageStore } from '../store/usage-store.ts';
import { rollUp } from './roll-up.ts';
import { openUsageBook, type UsageBook } from './usage-book.ts';

/**
 * Counts runs in memory and writes the sums in batches, off the run's path. A killed process loses what it has not
 * written. A batch is stored exactly once: its number is stored with it, and it is retried until it is known to be
 * stored.
 */
export interface UsageRecorder extends Pick<UsageBook, 'cell' | 'sharedResult' | 'addLateWork'> {
  /** Writes everything counted so far, unless the metadata database is not writable. Never rejects. */
  flush(): Promise<void>;
  /** Writes the rest and stops. */
  close(): Promise<void>;
}

const flushEveryMs = 5000;
const batchTallies = 2000;
/** While the metadata database is not writable, this many of the newest tallies are kept. */
const maxWaiting = 20_000;
/** A batch that a reachable database refuses is dropped after this many attempts. */
const maxRefusals = 3;

interface Batch {
  readonly number: number;
  readonly rows: readonly UsageRow[];
  refusals: number;
}

export function openUsageRecorder(deps: {
  readonly clock: Clock;
  readonly log: Log;
  readonly store: UsageStore;
  /** Null when no endpoint has its own metrics. */
  readonly metrics: EndpointMetrics | null;
}): UsageRecorder {
  const { clock, log, store, metrics } = deps;
  const writerId = randomUUID();
  const book = openUsageBook((waiting) => {
    if (waiting % batchTallies === 0) void flush();
  }, metrics);
  let written = 0;
  let batch: Batch | null = null;

  function nextBatch(): Batch | null {
    const tallies = book.take(batchTallies);
    if (tallies.length === 0) return null;
    written += 1;
    return { number: written, rows: rollUp(tallies), refusals: 0 };
  }

  async function writeAll(): Promise<void> {
    for (;;) {
      batch ??= nextBatch();
      if (batch === null) return;
      const { number, rows } = batch;
      try {
        await store.addUsage({ writerId, batch: number, at: clock.now(), rows });
      } catch (error) {
        keep(batch, error);
        return;
      }
      batch = null;
    }
  }

  function keep(failed: Batch, error: unknown): void {
    const isUnavailable = isOutage(error);
    if (!isUnavailable) failed.refusals += 1;
    const isLost = failed.refusals === maxRefusals;
    if (isLost) batch = null;
    const dropped = book.drop(maxWaiting);
    log.warn(
      { err: error, rows: failed.rows.length, isLost, dropped },
      'usage could not be written yet',
    );
  }

  const { flush, close } = openFlushes(writeAll, flushEveryMs);
  return {
    cell: (of) => book.cell(of),
    sharedResult: (of, size) => book.sharedResult(of, size),
    addLateWork: (of, atMs, work) => book.addLateWork(of, atMs, work),
    flush,
    close,
  };
}
