import { setTimeout as delay } from 'node:timers/promises';

/** For an outage of a server, 30 s in all. */
export const outagePausesMs = [100, 400, 1500, 3000, 10_000, 15_000];

export interface Retry {
  /** Before each further attempt. */
  readonly pausesMs: readonly number[];
  /** Whether a further attempt may succeed. */
  readonly isPassing: (error: unknown) => boolean;
  readonly onFailure: (error: unknown) => void;
}

/**
 * Repeats work that must not be lost to a short outage.
 *
 * @throws the error of the last attempt.
 */
export async function tryAgain<T>(
  work: () => Promise<T>,
  { pausesMs, isPassing, onFailure }: Retry,
): Promise<T> {
  for (const pauseMs of pausesMs) {
    try {
      return await work();
    } catch (error) {
      if (!isPassing(error)) throw error;
      onFailure(error);
      await delay(pauseMs);
    }
  }
  return work();
}
