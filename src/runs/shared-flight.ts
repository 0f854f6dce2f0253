/** Computes a result once for all processes that share results, and uses what another one has computed. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Lease, SharedResults } from '../cache/shared/shared-results.ts';
import { monotonicMs } from '../lib/clock.ts';
import type { RunDeps } from './deps.ts';
import { staleForMs } from './freshness.ts';
import type { PlannedRun, RunPlan } from './run-plan.ts';
import type { ComputedResult, FlightResult } from './run-stream.ts';
import { isUnsaved } from './unsaved-query.ts';

interface Flight {
  readonly run: PlannedRun;
  readonly plan: RunPlan;
  /**
   * Identifies its limits: a limit that ends this run must not end another, so runs with different limits do not wait
   * for each other.
   */
  readonly group: string;
  /** Whether another process's result may be used. */
  readonly isShared: boolean;
  readonly signal: AbortSignal;
  /** Runs at the engine, and caches the result in this process. */
  readonly compute: () => Promise<ComputedResult>;
}

const firstPauseMs = 10;
const longestPauseMs = 100;

export async function fly(deps: RunDeps, flight: Flight): Promise<FlightResult> {
  const { shared } = deps;
  const { plan, run, signal } = flight;
  if (shared === null || isUnsaved(run.endpoint) || !isLasting(deps, plan)) return alone(flight);
  if (!flight.isShared || !plan.readsCache) return computeAndStore(shared, flight);
  const { result, isReachable } = await shared.find(plan.cacheKey);
  const found = useShared(deps, plan, result);
  if (found !== null) return found;
  signal.throwIfAborted();
  return isReachable ? takeTurns(deps, shared, flight) : computeAndStore(shared, flight);
}

/** Whether a result computed now would be fresh. False for a stored table past its cadence and for a cache age of 0. */
function isLasting({ clock }: RunDeps, plan: RunPlan): boolean {
  const now = clock.now();
  return staleForMs(plan, now, now) < 0;
}

/** Applies the same freshness rule as to a local result and caches it here; null when it is not fresh. */
function useShared(
  deps: RunDeps,
  plan: RunPlan,
  result: ComputedResult | null,
): FlightResult | null {
  if (result === null || staleForMs(plan, result.computedAt, deps.clock.now()) >= 0) return null;
  deps.metrics.sharedResults.add({ outcome: 'hit' });
  deps.results.set(plan.cacheKey, result);
  return { result, isCached: true };
}

async function alone({ compute }: Flight): Promise<FlightResult> {
  return { result: await compute(), isCached: false };
}

async function computeAndStore(shared: SharedResults, flight: Flight): Promise<FlightResult> {
  const computed = await alone(flight);
  store(shared, flight, computed.result);
  return computed;
}

/** Returns whether other processes can get the result. */
function store(shared: SharedResults, { plan }: Flight, result: ComputedResult): boolean {
  if (result.large !== undefined) return false;
  return shared.store(plan.cacheKey, result, plan.cacheAgeSeconds);
}

/** Computes when it gets the lease, or when waiting for the holder is pointless. */
async function takeTurns(
  deps: RunDeps,
  shared: SharedResults,
  flight: Flight,
): Promise<FlightResult> {
  const { plan, signal } = flight;
  const until = monotonicMs() + shared.waitMs;
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(longestPauseMs, 2 * pauseMs)) {
    const { result, turn } = await shared.takeLease(plan.cacheKey, flight.group);
    const lease = typeof turn === 'string' ? null : turn;
    const found = useShared(deps, plan, result);
    if (found !== null) {
      lease?.release();
      return found;
    }
    if (lease !== null) return computeWithLease(deps, shared, { ...flight, lease });
    if (turn === 'alone' || monotonicMs() >= until) {
      deps.metrics.sharedResults.add({ outcome: 'alone' });
      return computeAndStore(shared, flight);
    }
    await delay(pauseMs, undefined, { signal });
  }
}

async function computeWithLease(
  deps: RunDeps,
  shared: SharedResults,
  flight: Flight & { readonly lease: Lease },
): Promise<FlightResult> {
  const { lease, signal } = flight;
  deps.metrics.sharedResults.add({ outcome: 'miss' });
  let isStored = false;
  try {
    signal.throwIfAborted();
    const computed = await alone(flight);
    isStored = store(shared, flight, computed.result);
    return computed;
  } finally {
    // An aborted run's callers have left, which says nothing about the query.
    if (isStored || signal.aborted) lease.release();
    else lease.leaveAlone();
  }
}
