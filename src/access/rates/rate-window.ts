/** Counts what each key did in its present window of time. Synchronous, and bounded in memory. */
export interface RateWindow {
  /**
   * Counts one more and answers null; past the limit it counts nothing and answers the milliseconds until the window
   * ends.
   *
   * @param now for who has asked `nowMs` already.
   */
  take(key: string, now?: number): number | null;
  /** What is known of the key from elsewhere: counted in all so far, and for how long it still counts. */
  learn(key: string, count: number, leftMs: number): void;
}

export interface RateWindowOptions {
  readonly limit: number;
  readonly windowMs: number;
  /** Milliseconds that only grow. */
  readonly nowMs: () => number;
  /** Past so many the oldest is forgotten. */
  readonly maxKeys?: number;
}

interface Entry {
  count: number;
  endsAt: number;
}

export function openRateWindow(options: RateWindowOptions): RateWindow {
  const { limit, windowMs, nowMs, maxKeys = 100_000 } = options;
  const entries = new Map<string, Entry>();

  function begin(key: string, now: number): Entry {
    entries.delete(key);
    if (entries.size >= maxKeys) makeRoom(now);
    const entry = { count: 0, endsAt: now + windowMs };
    entries.set(key, entry);
    return entry;
  }

  /** Windows stand in the order in which they began, so those that are over stand in front. */
  function makeRoom(now: number): void {
    for (const [key, { endsAt }] of entries) {
      if (endsAt > now && entries.size < maxKeys) return;
      entries.delete(key);
    }
  }

  return {
    take(key, now = nowMs()) {
      const known = entries.get(key);
      const entry = known !== undefined && now < known.endsAt ? known : begin(key, now);
      if (entry.count >= limit) return entry.endsAt - now;
      entry.count += 1;
      return null;
    },
    learn(key, count, leftMs) {
      const now = nowMs();
      const entry = entries.get(key) ?? begin(key, now);
      entry.count = count;
      entry.endsAt = now + leftMs;
    },
  };
}
