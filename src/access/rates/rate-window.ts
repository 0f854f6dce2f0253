/** Counts each key's requests in its current minute. Synchronous, and bounded in memory. */
export interface RateWindow {
  /**
   * Counts one more and returns null; at the limit it counts nothing and returns the milliseconds until the minute
   * ends.
   */
  take(key: string, now?: number): number | null;
  /** The key's count in its current minute; null when nothing was counted. */
  read(key: string, now: number): RateCount | null;
  /** Replaces the key's count and its remaining time. */
  set(key: string, count: number, leftMs: number): void;
}

export interface RateCount {
  readonly count: number;
  /** Milliseconds until the minute ends. */
  readonly leftMs: number;
}

export const windowMs = 60_000;

export interface RateWindowOptions {
  readonly limit: number;
  /** A monotonic clock in milliseconds. */
  readonly nowMs: () => number;
  /** Beyond this number, the oldest is dropped. */
  readonly maxKeys?: number;
}

interface Entry {
  count: number;
  endsAt: number;
}

export function openRateWindow(options: RateWindowOptions): RateWindow {
  const { limit, nowMs, maxKeys = 100_000 } = options;
  const entries = new Map<string, Entry>();

  function begin(key: string, now: number): Entry {
    entries.delete(key);
    if (entries.size >= maxKeys) evict(now);
    const entry = { count: 0, endsAt: now + windowMs };
    entries.set(key, entry);
    return entry;
  }

  /** Entries are sorted by start time, so expired ones come first. */
  function evict(now: number): void {
    for (const [key, { endsAt }] of entries) {
      if (endsAt > now && entries.size < maxKeys) return;
      entries.delete(key);
    }
  }

  return {
    take(key, now = nowMs()) {
      const current = entries.get(key);
      const entry = current !== undefined && now < current.endsAt ? current : begin(key, now);
      if (entry.count >= limit) return entry.endsAt - now;
      entry.count += 1;
      return null;
    },
    read(key, now) {
      const entry = entries.get(key);
      if (entry === undefined || now >= entry.endsAt) return null;
      return { count: entry.count, leftMs: entry.endsAt - now };
    },
    set(key, count, leftMs) {
      const now = nowMs();
      const entry = entries.get(key) ?? begin(key, now);
      entry.count = count;
      entry.endsAt = now + leftMs;
    },
  };
}
