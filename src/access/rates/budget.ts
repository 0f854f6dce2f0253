import { openRateWindow, type RateCount } from './rate-window.ts';
import type { SharedCount, SharedRates } from './shared-rates.ts';

/** Rate limit per minute for each holder, a key or a project. */
export interface Budget {
  readonly limit: number;
  /**
   * Counts one request synchronously, against this process's view of the shared count. Returns null if it was counted,
   * else the milliseconds until the window ends.
   */
  takeNow(holder: string, now: number): number | null;
  /** The same against the count shared by all processes, if there is one. */
  take(holder: string): Promise<number | null>;
  /** The count as this process knows it; null when there is no limit, or nothing was counted. */
  read(holder: string, now: number): RateCount | null;
}

/** Interval at which synchronous counts are added to the shared count. */
const shareEveryMs = 250;

interface BudgetOptions {
  readonly name: string;
  /** 0 disables the limit; nothing is counted then. */
  readonly limit: number;
  /** Null when every process counts separately. */
  readonly shared: SharedRates | null;
  readonly nowMs: () => number;
}

export function openBudget({ name, limit, shared, nowMs }: BudgetOptions): Budget {
  if (limit === 0) return { limit, takeNow: () => null, take: async () => null, read: () => null };
  const own = openRateWindow({ limit, nowMs });
  if (shared === null) {
    return { limit, takeNow: own.take, take: async (holder) => own.take(holder), read: own.read };
  }
  const rate = shared.open({ name, limit });
  /** Synchronous counts that are not in the shared count yet. */
  const unshared = new Map<string, number>();
  let isScheduled = false;

  /** Adds these and `more` to the shared count, and adopts the new total. */
  async function share(holder: string, more: number): Promise<SharedCount | null> {
    const points = (unshared.get(holder) ?? 0) + more;
    unshared.delete(holder);
    const total = await rate.add(holder, points);
    if (total === null) return null;
    own.set(holder, total.count + (unshared.get(holder) ?? 0), Math.max(1, total.leftMs));
    return total;
  }

  async function shareAll(): Promise<void> {
    isScheduled = false;
    await Promise.all([...unshared.keys()].map((holder) => share(holder, 0)));
  }

  return {
    limit,
    read: own.read,
    takeNow(holder, now) {
      const leftMs = own.take(holder, now);
      if (leftMs !== null) return leftMs;
      unshared.set(holder, (unshared.get(holder) ?? 0) + 1);
      if (!isScheduled) setTimeout(() => void shareAll(), shareEveryMs).unref();
      isScheduled = true;
      return null;
    },
    async take(holder) {
      // Past the limit nothing is asked until the window ends, by the monotonic clock of this process.
      const known = own.read(holder, nowMs());
      if (known !== null && known.count > limit) return Math.max(1, known.leftMs);
      const total = await share(holder, 1);
      if (total === null) return own.take(holder);
      return total.isPastLimit ? Math.max(1, total.leftMs) : null;
    },
  };
}
