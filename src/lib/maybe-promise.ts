/**
 * A value or a promise of it. Values in memory are returned without a promise, which would cost a turn of the event
 * loop.
 */
export type MaybePromise<T> = T | Promise<T>;

/** Applies `next` to the value, synchronously if it is not a promise. Failures propagate: thrown, or as a rejection. */
export function andThen<T, R>(
  value: MaybePromise<T>,
  next: (value: T) => MaybePromise<R>,
): MaybePromise<R> {
  return value instanceof Promise ? value.then(next) : next(value);
}
