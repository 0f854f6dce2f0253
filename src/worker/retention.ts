import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import type { ExecutionStore } from '../store/execution-store.ts';

/**
 * Keeps the query statuses in order: ends those whose process is gone, and deletes those that are older
 * than the operator wants them kept.
 */
export interface Retention {
  /** Does what is due now; answers how many statuses it ended and deleted. */
  runOnce(): Promise<{ readonly ended: number; readonly deleted: number }>;
  start(): void;
  stop(): Promise<void>;
}

const everyMs = 60_000;
const chunkRows = 5000;
const dayMs = 86_400_000;
/** Beyond the longest a query may take, for what is still to be recorded then. */
const graceMs = 60_000;

export function openRetention(deps: {
  readonly clock: Clock;
  readonly log: Log;
  readonly executions: ExecutionStore;
  readonly retentionDays: number;
  readonly queryTimeoutSeconds: number;
}): Retention {
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<unknown> = Promise.resolve();

  async function runOnce() {
    const now = deps.clock.now();
    const started = now.getTime() - deps.queryTimeoutSeconds * 1000 - graceMs;
    const ended = await deps.executions.endLostExecutions(new Date(started), now);
    const before = new Date(now.getTime() - deps.retentionDays * dayMs);
    const deleted = await deps.executions.deleteExecutionsBefore(before, chunkRows);
    return { ended, deleted };
  }

  function tick(): void {
    running = running
      .then(runOnce)
      .catch((error: unknown) => deps.log.warn({ err: error }, 'query statuses were not tidied'));
  }

  return {
    runOnce,
    start() {
      tick();
      timer = setInterval(tick, everyMs);
      timer.unref();
    },
    async stop() {
      clearInterval(timer);
      await running;
    },
  };
}
