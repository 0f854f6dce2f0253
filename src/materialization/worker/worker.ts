/** Does the syncs that are due, one process or many: what is claimed by one is left alone by the others. */
import type { MaterializationDeps } from '../deps.ts';
import type { SyncOutcome } from '../sync/run-sync.ts';
import { dropDueTables, sweep } from '../sync/sweep.ts';
import { openSyncer, type Syncer } from './syncer.ts';
import { openWorkerPool } from './worker-pool.ts';

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
  /** How long after its first failure a sync is tried again; each further failure doubles it. */
  readonly firstRetryMs: number;
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
  firstRetryMs: 30_000,
  sweepMs: 3_600_000,
  concurrency: 2,
  random: Math.random,
};

export function openMaterializationWorker(
  deps: MaterializationDeps,
  times = workerTimes,
): MaterializationWorker {
  const stopping = new AbortController();
  const syncer = openSyncer(deps, { ...times, stopping: stopping.signal });
  const warn = warnOf(deps);
  const timers: NodeJS.Timeout[] = [];
  const cleaner = openCleaner(deps);
  const lanes = openWorkerPool({
    max: times.concurrency,
    next: async (onFound) => (await syncer.next(onFound)) !== null,
    onDone: cleaner.clean,
    onError: warn('syncs could not be done'),
  });
  const tick = (): void => {
    if (!stopping.signal.aborted) lanes.open();
    cleaner.clean();
  };
  const sweepQuietly = () => void sweep(deps).catch(warn('stored tables were not swept'));
  return {
    runOnce: () => runOnce(deps, syncer),
    sweep: () => sweep(deps),
    nudge() {
      syncer.checkClaims();
      if (timers.length > 0) tick();
    },
    start() {
      timers.push(every(times.pollMs, tick), every(times.sweepMs, sweepQuietly));
      sweepQuietly();
      tick();
    },
    async stop() {
      for (const timer of timers.splice(0)) clearInterval(timer);
      stopping.abort(new Error('the service stops'));
      await lanes.settled();
      await cleaner.settled();
    },
  };
}

async function runOnce(deps: MaterializationDeps, syncer: Syncer) {
  const syncs: SyncOutcome[] = [];
  for (let done = await syncer.next(); done !== null; done = await syncer.next()) syncs.push(done);
  return { syncs, dropped: await dropDueTables(deps) };
}

/** Keeps no process alive. */
function every(ms: number, job: () => void): NodeJS.Timeout {
  return setInterval(job, ms).unref();
}

function warnOf({ log }: MaterializationDeps) {
  return (words: string) => (error: unknown) => log.warn({ err: error }, words);
}

/** Drops what nobody needs, one turn after the other. */
function openCleaner(deps: MaterializationDeps) {
  let turns: Promise<unknown> = Promise.resolve();
  const drop = () => dropDueTables(deps).catch(warnOf(deps)('stored tables were not dropped'));
  return {
    clean(): void {
      turns = turns.then(drop);
    },
    async settled(): Promise<void> {
      await turns;
    },
  };
}
