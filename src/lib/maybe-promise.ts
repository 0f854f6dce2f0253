/**
 * A value or a promise of it. What is in memory is returned without a promise, which would cost a turn of the event
 * loop.
 */
export type MaybePromise<T> = T | Promise<T>;

/** Applies `next` to the value, at once if it is not a promise. Failures are passed on: thrown, or as a rejection. */
export function andThen<T, R>(
  value: MaybePromise<T>,
  next: (value: T) => MaybePromise<R>,
): MaybePromise<R> {
  return value instanceof Promise ? value.then(next) : next(value);
}
