/** Computes a result once for all processes that share results, and uses what another one has computed. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Lease, SharedResults } from '../cache/shared/shared-results.ts';
import { monotonicMs } from '../lib/clock.ts';
import { type Execution, whileWaiting } from './admit.ts';
import type { RunDeps } from './deps.ts';
import { staleForMs } from './freshness.ts';
import type { ExecutionCall } from './record-execution.ts';
import type { RunPlan } from './run-plan.ts';
import type { ComputedResult, FlightResult } from './run-stream.ts';
import { isUnsaved } from './unsaved-query.ts';

interface Flight {
  readonly call: ExecutionCall;
  readonly execution: Execution;
  /**
   * Identifies its limits: a limit that ends this run must not end another, so runs with different limits do not wait
   * for each other.
   */
  readonly group: string;
  /** Whether another process's result may be used. */
  readonly isShared: boolean;
  /** Runs at the engine, and caches the result in this process. */
  readonly compute: () => Promise<ComputedResult>;
}

const firstPauseMs = 10;
const longestPauseMs = 100;

export async function fly(deps: RunDeps, flight: Flight): Promise<FlightResult> {
  const { shared } = deps;
  const { call, execution } = flight;
  const { plan } = call;
  if (shared === null || isUnsaved(call.endpoint) || !isLasting(deps, plan)) return alone(flight);
  if (!flight.isShared || !plan.readsCache) return computeAndStore(shared, flight);
  const { result, isReachable } = await shared.find(plan.cacheKey);
  const found = useShared(deps, plan, result);
  if (found !== null) return found;
  execution.signal.throwIfAborted();
  if (!isReachable) return computeAndStore(shared, flight);
  return whileWaiting(deps, call, execution, (signal) => takeTurns(deps, shared, flight, signal));
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
function store(shared: SharedResults, { call }: Flight, result: ComputedResult): boolean {
  const { plan } = call;
  if (result.large !== undefined) return false;
  return shared.store(plan.cacheKey, result, plan.cacheAgeSeconds);
}

/** Computes when it gets the lease, or when waiting for the holder is pointless. */
async function takeTurns(
  deps: RunDeps,
  shared: SharedResults,
  flight: Flight,
  signal: AbortSignal,
): Promise<FlightResult> {
  const { plan } = flight.call;
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
    await delay(pauseMs, undefined, { signal }).catch(() => signal.throwIfAborted());
  }
}

async function computeWithLease(
  deps: RunDeps,
  shared: SharedResults,
  flight: Flight & { readonly lease: Lease },
): Promise<FlightResult> {
  const { lease, execution } = flight;
  const { signal } = execution;
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
