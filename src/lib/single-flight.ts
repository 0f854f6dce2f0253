/** One piece of work for all who ask for the same thing at the same time. */
export interface SingleFlight<T> {
  /**
   * Joins the work under way for `key`, else starts it. The work is aborted when everyone who waits for
   * it has gone; one who goes (`signal`) stops waiting at once and leaves the others be.
   */
  join(key: string, start: (signal: AbortSignal) => Promise<T>, signal?: AbortSignal): Promise<T>;
  /** Whether work for `key` is under way. */
  has(key: string): boolean;
  /** How many pieces of work are under way. */
  size(): number;
}

interface Flight<T> {
  readonly result: Promise<T>;
  readonly controller: AbortController;
  waiting: number;
}

export function openSingleFlight<T>(): SingleFlight<T> {
  const flights = new Map<string, Flight<T>>();

  function launch(key: string, start: (signal: AbortSignal) => Promise<T>): Flight<T> {
    const controller = new AbortController();
    const result = start(controller.signal).finally(() => {
      if (flights.get(key) === flight) flights.delete(key);
    });
    const flight: Flight<T> = { result, controller, waiting: 0 };
    result.catch(() => undefined);
    flights.set(key, flight);
    return flight;
  }

  function leave(key: string, flight: Flight<T>): void {
    flight.waiting -= 1;
    if (flight.waiting > 0) return;
    if (flights.get(key) === flight) flights.delete(key);
    flight.controller.abort();
  }

  return {
    join(key, start, signal) {
      if (signal?.aborted) return Promise.reject(signal.reason);
      const flight = flights.get(key) ?? launch(key, start);
      flight.waiting += 1;
      if (signal === undefined) return flight.result;
      return new Promise<T>((resolve, reject) => {
        const gone = () => {
          leave(key, flight);
          reject(signal.reason);
        };
        signal.addEventListener('abort', gone, { once: true });
        flight.result
          .then(resolve, reject)
          .finally(() => signal.removeEventListener('abort', gone));
      });
    },
    has: (key) => flights.has(key),
    size: () => flights.size,
  };
}
