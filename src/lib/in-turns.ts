import type { MaybePromise } from './maybe-promise.ts';

/**
 * Runs a long computation in steps, yielding to the event loop between them. A computation that finishes in its first
 * step is returned synchronously. Rejects with the signal's reason when it is aborted between steps.
 */
export function inTurns<T>(steps: Iterator<void, T>, signal?: AbortSignal): MaybePromise<T> {
  const first = steps.next();
  return first.done === true ? first.value : remaining(steps, signal);
}

async function remaining<T>(steps: Iterator<void, T>, signal?: AbortSignal): Promise<T> {
  for (;;) {
    await new Promise((resolve) => setImmediate(resolve));
    signal?.throwIfAborted();
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}
