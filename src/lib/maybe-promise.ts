/** A value that is there, or will be. What is in memory is returned at once: a promise costs a turn of the event loop. */
export type MaybePromise<T> = T | Promise<T>;

/** `next` of the value, now when it is there. A failure passes as it is: thrown, or as the promise's. */
export function andThen<T, R>(
  value: MaybePromise<T>,
  next: (value: T) => MaybePromise<R>,
): MaybePromise<R> {
  return value instanceof Promise ? value.then(next) : next(value);
}
