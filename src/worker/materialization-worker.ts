/** Does the syncs that are due, one process or many: what is claimed by one is left alone by the others. */
import { randomUUID } from 'node:crypto';
import type { CoreDeps } from '../core/deps.ts';
import { runSync, type SyncOutcome } from '../core/materialization/run-sync.ts';
import { dropDueTables, sweep } from '../core/materialization/sweep.ts';
import type { ClaimHolder } from '../core/materialization/sync-claim-holder.ts';

export interface MaterializationWorker {
  /** Does everything that is due now, and drops what nobody needs any more. */
  runOnce(): Promise<{ readonly syncs: readonly SyncOutcome[]; readonly dropped: number }>;
  /** Everything the hourly sweep does. Answers how many tables were dropped. */
  sweep(): Promise<number>;
  /** Looks at once: something was turned on, changed or turned off. */
  nudge(): void;
  start(): void;
  /** Gives back what is under way. */
  stop(): Promise<void>;
}

export interface WorkerTimes {
  /** How long a claim is believed without a word of its owner. */
  readonly leaseMs: number;
  /** By how much the clocks of two processes may differ. */
  readonly skewMs: number;
  /** How often it looks for what is due when nobody nudges it. */
  readonly pollMs: number;
  /** How long a replaced table is kept. Longer than look-ups are believed. */
  readonly dropDelayMs: number;
  readonly sweepMs: number;
  /** Syncs of this process at once. */
  readonly concurrency: number;
  /** From 0 to 1: spreads syncs over time. */
  readonly random: () => number;
}

export const workerTimes: WorkerTimes = {
  leaseMs: 60_000,
  skewMs: 30_000,
  pollMs: 3000,
  dropDelayMs: 15_000,
  sweepMs: 3_600_000,
  concurrency: 2,
  random: Math.random,
};

export function openMaterializationWorker(
  deps: CoreDeps,
  times: WorkerTimes = workerTimes,
): MaterializationWorker {
  const owner = randomUUID();
  const stopping = new AbortController();
  const holders = new Set<ClaimHolder>();
  const lanes = new Set<Promise<void>>();
  let timers: readonly NodeJS.Timeout[] = [];
  let cleaning: Promise<void> = Promise.resolve();

  async function syncNext(onClaim: () => void = () => {}): Promise<SyncOutcome | null> {
    if (stopping.signal.aborted) return null;
    const { leaseMs, skewMs, dropDelayMs, random } = times;
    const now = deps.clock.now();
    const claim = await deps.materializations.claimDueSync({ now, owner, leaseMs });
    if (claim === null) return null;
    onClaim();
    let held: ClaimHolder | undefined;
    const onHold = (holder: ClaimHolder): void => {
      held = holder;
      holders.add(holder);
    };
    const options = { leaseMs, skewMs, dropDelayMs, random, stopping: stopping.signal, onHold };
    try {
      return await runSync(deps, claim, options);
    } finally {
      if (held !== undefined) holders.delete(held);
    }
  }

  async function runOnce() {
    const syncs: SyncOutcome[] = [];
    for (let done = await syncNext(); done !== null; done = await syncNext()) syncs.push(done);
    return { syncs, dropped: await dropDueTables(deps) };
  }

  /** Works until nothing is due. Where there is something, there may be more: it opens the next lane. */
  function openLane(): void {
    if (lanes.size >= times.concurrency || stopping.signal.aborted) return;
    const lane = quietly(work(), 'syncs could not be done').finally(() => lanes.delete(lane));
    lanes.add(lane);
  }

  async function work(): Promise<void> {
    const claimNext = () => syncNext(openLane);
    for (let done = await claimNext(); done !== null; done = await claimNext()) clean();
  }

  function clean(): void {
    cleaning = cleaning.then(() => quietly(dropDueTables(deps), 'stored tables were not dropped'));
  }

  function tick(): void {
    openLane();
    clean();
  }

  async function quietly(job: Promise<unknown>, words: string): Promise<void> {
    try {
      await job;
    } catch (error) {
      deps.log.warn({ err: error }, words);
    }
  }

  const sweepQuietly = (): void => void quietly(sweep(deps), 'stored tables were not swept');

  return {
    runOnce,
    sweep: () => sweep(deps),
    nudge() {
      for (const holder of holders) void holder.check();
      if (timers.length > 0) tick();
    },
    start() {
      timers = [setInterval(tick, times.pollMs), setInterval(sweepQuietly, times.sweepMs)];
      for (const timer of timers) timer.unref();
      sweepQuietly();
      tick();
    },
    async stop() {
      for (const timer of timers) clearInterval(timer);
      timers = [];
      stopping.abort(new Error('the service stops'));
      await Promise.all(lanes);
      await cleaning;
    },
  };
}
