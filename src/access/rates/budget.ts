import { openRateWindow, type RateWindow } from './rate-window.ts';
import type { SharedRate, SharedRates } from './shared-rates.ts';

/** What one holder, a key or a project, may do of one kind in a minute. */
export interface Budget {
  readonly limit: number;
  /** At once, by what this process knows. Null: taken; else the milliseconds after which there is more. */
  takeNow(holder: string, now: number): number | null;
  /** By what all processes know, when they share their counts. */
  take(holder: string): Promise<number | null>;
}

export const windowMs = 60_000;

/** How often what was taken at once is told to the others. */
const tellEveryMs = 250;

/** @param limit 0: no limit, and nothing is counted. */
export function openBudget(options: {
  readonly name: string;
  readonly limit: number;
  readonly shared: SharedRates | null;
  readonly nowMs: () => number;
}): Budget {
  const { name, limit, shared, nowMs } = options;
  if (limit === 0) return { limit, takeNow: () => null, take: async () => null };
  const own = openRateWindow({ limit, windowMs, nowMs });
  if (shared === null) {
    return { limit, takeNow: own.take, take: async (holder) => own.take(holder) };
  }
  const rate = shared.open({ name, limit });
  const takeNow = tellOthers(own, rate);
  return {
    limit,
    takeNow,
    async take(holder) {
      const count = await rate.add(holder, 1);
      if (count === null) return own.take(holder);
      // Ready to count alone from here when Redis goes away.
      own.learn(holder, count.count, count.leftMs);
      return count.isPastLimit ? Math.max(1, count.leftMs) : null;
    },
  };
}

/** Takes from the process's own window, and brings that in line with the others a few times a second. */
function tellOthers(own: RateWindow, rate: SharedRate): Budget['takeNow'] {
  let untold = new Map<string, number>();
  let _timer: NodeJS.Timeout | null = null;

  async function tell(): Promise<void> {
    _timer = null;
    const telling = untold;
    untold = new Map();
    await Promise.all(
      [...telling].map(async ([holder, points]) => {
        const count = await rate.add(holder, points);
        if (count === null) return;
        own.learn(holder, count.count + (untold.get(holder) ?? 0), Math.max(1, count.leftMs));
      }),
    );
  }

  return (holder, now) => {
    const leftMs = own.take(holder, now);
    if (leftMs !== null) return leftMs;
    untold.set(holder, (untold.get(holder) ?? 0) + 1);
    _timer ??= setTimeout(() => void tell(), tellEveryMs).unref();
    return null;
  };
}
