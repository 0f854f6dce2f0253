import { setTimeout as delay } from 'node:timers/promises';
import { ServiceError } from '../errors/service-error.ts';
import { WriteConflictError } from '../errors/write-conflict-error.ts';

/** With the pauses below, about 20 s: many times what a hundred concurrent updates need. */
const maxAttempts = 24;
const firstPauseMs = 8;
const longestPauseMs = 2000;

/**
 * Retries an attempt that ends in a conflict: null, or a WriteConflictError. The pauses grow and are random, so that
 * the same attempts do not collide again. Throws `service_unavailable` when none succeeds.
 */
export async function retryOnConflict<T>(attempt: () => Promise<T | null>): Promise<T> {
  for (let made = 1; ; made++) {
    const result = await attempt().catch(nullForConflict);
    if (result !== null) return result;
    if (made === maxAttempts) throw conflict();
    await delay(Math.random() * Math.min(firstPauseMs * 2 ** made, longestPauseMs));
  }
}

function nullForConflict(error: unknown): null {
  if (error instanceof WriteConflictError) return null;
  throw error;
}

function conflict(): ServiceError {
  return new ServiceError(
    'service_unavailable',
    'The endpoint is being changed by too many requests at once. Try again in a second.',
    { retryAfterSeconds: 1 },
  );
}
