import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'vitest';

/** Below the time that vitest gives a test, so that what did not come about is named. It ends what hangs and measures nothing. */
const giveUpAfterMs = 180_000;

/** An assertion that asks again until it holds; when it never does, it fails with the last outcome: false, or an error. */
export async function eventually(
  what: string,
  check: () => boolean | Promise<boolean>,
): Promise<void> {
  const deadline = performance.now() + giveUpAfterMs;
  let outcome: unknown = false;
  do {
    outcome = await outcomeOf(check);
    if (outcome !== true) await delay(20);
  } while (outcome !== true && performance.now() < deadline);
  expect(outcome, `it never came about that ${what}`).toBe(true);
}

async function outcomeOf(check: () => boolean | Promise<boolean>): Promise<unknown> {
  try {
    return await check();
  } catch (error) {
    return error;
  }
}
