/**
 * How long a run may be kept waiting. A burst may wait as long as the deadline: a dashboard asks for thirty
 * results at once and then for none. A queue that never empties is overload: whoever comes then is refused
 * at once unless its turn comes within a share of the time of one query, so that what is accepted stays fast.
 */
export interface QueueFacts {
  /** For how long the queue has not been empty. */
  readonly standingMs: number;
  /** What a query took lately. */
  readonly serviceMs: number;
  readonly deadlineMs: number;
}

/** A queue that stands for longer than this is not a burst. */
const burstMs = 100;
/** Below this a wait is not worth a refusal. */
const leastQueueWaitMs = 2;

/** Of the time of a query: behind runs of the same project, and until a project's turn comes among all. */
export const patience = { ofOwn: 0.25, ofAll: 1 } as const;

export function queueWaitMs(facts: QueueFacts, share: number): number {
  const { standingMs, serviceMs, deadlineMs } = facts;
  if (standingMs < burstMs) return deadlineMs;
  return Math.min(deadlineMs, Math.max(leastQueueWaitMs, serviceMs * share));
}

/** How long a queue stands and what its queries take, by the caller's clock in milliseconds. */
export interface QueueMeter {
  /** After each change of the queue. */
  note(waiting: number, nowMs: number): void;
  served(tookMs: number): void;
  refused(): void;
  /** From here on the queue counts as standing, empty or not, for as long as more are refused than served. */
  overloaded(nowMs: number): void;
  facts(nowMs: number): Omit<QueueFacts, 'deadlineMs'>;
}

/** What the newest query counts for in the mean. */
const newestShare = 0.1;
/** An overload is looked at again so often: after the last of it, bursts may wait again within this time. */
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
