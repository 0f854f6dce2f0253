/** Runs due syncs in the background, in any number of processes; each sync is claimed by one of them. */
import type { MaterializationDeps } from '../deps.ts';
import { type Completed, openNodeCompleter } from '../sync/complete-nodes.ts';
import type { SyncOutcome, SyncTimes } from '../sync/run-sync.ts';
import { dropDueTables, sweep } from '../sync/sweep.ts';
import { openSyncer, type Syncer } from './syncer.ts';
import { openWorkerPool } from './worker-pool.ts';

export interface MaterializationWorker {
  /** Runs all due syncs, and drops tables that are no longer needed. */
  runOnce(): Promise<{ readonly syncs: readonly SyncOutcome[]; readonly dropped: number }>;
  /** The hourly sweep. Returns the number of dropped tables. */
  sweep(): Promise<number>;
  /** Restores tables that the engine's nodes missed while they were away. */
  completeNodes(): Promise<Completed>;
  /** Checks for work immediately: a materialization was turned on, changed or turned off. */
  nudge(): void;
  start(): void;
  /** Releases running syncs. */
  stop(): Promise<void>;
}

export interface WorkerTimes extends SyncTimes {
  /** Interval between checks for due syncs. */
  readonly pollMs: number;
  /**
   * Takes over a sync of another process whose claim was not renewed for this long: several heartbeats, so that a
   * late one does not matter. A takeover happens at most this plus two polls after the process died.
   */
  readonly silentMs: number;
  readonly sweepMs: number;
  /** Interval between checks for engine nodes that missed a table. */
  readonly completeMs: number;
  /** Concurrent syncs of this process. */
  readonly concurrency: number;
}

export const workerTimes: WorkerTimes = {
  leaseMs: 60_000,
  heartbeatMs: 2000,
  silentMs: 9000,
  skewMs: 30_000,
  pollMs: 3000,
  dropDelayMs: 15_000,
  firstRetryMs: 30_000,
  sweepMs: 3_600_000,
  completeMs: 10_000,
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
  const pool = openWorkerPool({
    max: times.concurrency,
    next: async (onFound) => (await syncer.next(onFound)) !== null,
    onDone: cleaner.clean,
    onError: warn('syncs could not be done'),
  });
  const tick = (): void => {
    if (!stopping.signal.aborted) pool.start();
    cleaner.clean();
  };
  const completer = openNodeCompleter(deps);
  const complete = oneAtATime(() =>
    completer.complete(stopping.signal).catch((error: unknown) => {
      if (!stopping.signal.aborted) warn('nodes were not given what they have missed')(error);
    }),
  );
  const sweepQuietly = () => void sweep(deps).catch(warn('stored tables were not swept'));
  return {
    runOnce: () => runOnce(deps, syncer),
    sweep: () => sweep(deps),
    completeNodes: () => completer.complete(),
    nudge() {
      syncer.checkClaims();
      if (timers.length > 0) tick();
    },
    start() {
      timers.push(
        every(times.pollMs, tick),
        every(times.sweepMs, sweepQuietly),
        every(times.completeMs, complete.start),
      );
      sweepQuietly();
      tick();
    },
    async stop() {
      for (const timer of timers.splice(0)) clearInterval(timer);
      stopping.abort(new Error('the service stops'));
      await pool.settled();
      await complete.settled();
      await cleaner.settled();
    },
  };
}

async function runOnce(deps: MaterializationDeps, syncer: Syncer) {
  const syncs: SyncOutcome[] = [];
  for (let done = await syncer.next(); done !== null; done = await syncer.next()) syncs.push(done);
  return { syncs, dropped: await dropDueTables(deps) };
}

/** Unreferenced, so that the timer does not keep the process alive. */
function every(ms: number, job: () => void): NodeJS.Timeout {
  return setInterval(job, ms).unref();
}

function warnOf({ log }: MaterializationDeps) {
  return (message: string) => (error: unknown) => log.warn({ err: error }, message);
}

/** Skips a pass while another one is running. */
function oneAtATime(pass: () => Promise<unknown>) {
  let running: Promise<unknown> | null = null;
  return {
    start(): void {
      running ??= pass().finally(() => {
        running = null;
      });
    },
    async settled(): Promise<void> {
      await running;
    },
  };
}

/** Drops tables that are no longer needed, one pass at a time; one more follows what is requested during a pass. */
function openCleaner(deps: MaterializationDeps) {
  let isDue = false;
  const passes = oneAtATime(async () => {
    while (isDue) {
      isDue = false;
      await dropDueTables(deps).catch(warnOf(deps)('stored tables were not dropped'));
    }
  });
  return {
    clean(): void {
      isDue = true;
      passes.start();
    },
    settled: passes.settled,
  };
}
