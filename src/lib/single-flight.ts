/** One execution for all concurrent callers of the same work. */
export interface SingleFlight<T> {
  /**
   * Joins the work in progress for `key`, else starts it. A caller whose `signal` is aborted stops waiting at once; the
   * work is aborted when the last caller has left.
   */
  join(key: string, start: (signal: AbortSignal) => Promise<T>, signal?: AbortSignal): Promise<T>;
  /** Whether work for `key` is in progress. */
  has(key: string): boolean;
  /** Number of flights in progress. */
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
