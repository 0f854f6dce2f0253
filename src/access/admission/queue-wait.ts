/**
 * How long a run may wait. A burst may wait until the deadline: a dashboard sends thirty runs at once and then none. A
 * queue that never empties is overload: a new run is then refused at once unless its turn comes within a fraction of
 * one query's time, so that accepted runs stay fast.
 */
export interface QueueFacts {
  /** How long the queue has been non-empty. */
  readonly standingMs: number;
  /** Recent duration of a query. */
  readonly serviceMs: number;
  readonly deadlineMs: number;
}

/** A queue that has been non-empty for longer than this is not a burst. */
const burstMs = 100;
/** A shorter wait is not worth a refusal. */
const minQueueWaitMs = 2;

/**
 * How long a run may wait, as fractions of one query's time: behind runs of its own project, and for the project's turn
 * among all.
 */
export const waitShares = { ofOwn: 0.25, ofAll: 1 } as const;

export function queueWaitMs(facts: QueueFacts, share: number): number {
  const { standingMs, serviceMs, deadlineMs } = facts;
  if (standingMs < burstMs) return deadlineMs;
  return Math.min(deadlineMs, Math.max(minQueueWaitMs, serviceMs * share));
}

/**
 * Measures how long a queue has been non-empty and how long its queries take; the caller supplies times in
 * milliseconds.
 */
export interface QueueMeter {
  /** Called after each change of the queue. */
  note(waiting: number, nowMs: number): void;
  served(tookMs: number): void;
  refused(): void;
  /** From now on the queue counts as non-empty while more runs are refused than served. */
  overloaded(nowMs: number): void;
  facts(nowMs: number): Omit<QueueFacts, 'deadlineMs'>;
}

/** The weight of the newest query in the mean. */
const newestShare = 0.1;
/** After an overload ends, bursts may wait again once this much time has passed. */
const overloadMs = 1000;

interface Overload {
  readonly until: number;
  served: number;
  refused: number;
}

export function openQueueMeter(): QueueMeter {
  let standsSince: number | null = null;
  let serviceMs: number | null = null;
  let overload: Overload | null = null;

  const begin = (nowMs: number): Overload => ({ until: nowMs + overloadMs, served: 0, refused: 0 });

  function isOverloaded(nowMs: number): boolean {
    if (overload === null || nowMs < overload.until) return overload !== null;
    const goesOn = overload.refused > overload.served && nowMs < overload.until + overloadMs;
    overload = goesOn ? begin(nowMs) : null;
    return goesOn;
  }

  function standingMs(nowMs: number): number {
    if (isOverloaded(nowMs)) return Number.POSITIVE_INFINITY;
    return standsSince === null ? 0 : nowMs - standsSince;
  }

  return {
    note(waiting, nowMs) {
      if (waiting === 0) standsSince = null;
      else standsSince ??= nowMs;
    },
    served(tookMs) {
      serviceMs = serviceMs === null ? tookMs : serviceMs + newestShare * (tookMs - serviceMs);
      if (overload !== null) overload.served += 1;
    },
    refused() {
      if (overload !== null) overload.refused += 1;
    },
    overloaded(nowMs) {
      overload ??= begin(nowMs);
    },
    facts: (nowMs) => ({ standingMs: standingMs(nowMs), serviceMs: serviceMs ?? 0 }),
  };
}
