import { setTimeout as delay } from 'node:timers/promises';

/** How long a process that ends waits for its last export, in milliseconds. */
const lastFlushMs = 3000;

/** Waits for the last export, for a limited time. Never rejects. */
export async function lastFlush(flush: Promise<unknown>): Promise<void> {
  const waited = new AbortController();
  const last = flush.catch(() => undefined);
  const limit = delay(lastFlushMs, undefined, { signal: waited.signal }).catch(() => undefined);
  await Promise.race([last, limit]);
  waited.abort();
}
