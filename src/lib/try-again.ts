import { setTimeout as delay } from 'node:timers/promises';

/**
 * Repeats work that must not be lost to a short outage.
 *
 * @param pausesMs before each further attempt.
 * @throws the error of the last attempt.
 */
export async function tryAgain<T>(
  work: () => Promise<T>,
  pausesMs: readonly number[],
  onFailure: (error: unknown) => void,
): Promise<T> {
  for (const pauseMs of pausesMs) {
    try {
      return await work();
    } catch (error) {
      onFailure(error);
      await delay(pauseMs);
    }
  }
  return work();
}
