import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import type { ExecutionStore } from '../store/execution-store.ts';

/** Deletes query statuses that are older than the operator wants them kept. */
export interface Retention {
  /** Deletes what is due now, in small statements; answers how many rows. */
  runOnce(): Promise<number>;
  start(): void;
  stop(): Promise<void>;
}

const everyMs = 3_600_000;
const chunkRows = 5000;
const dayMs = 86_400_000;

export function openRetention(deps: {
  readonly clock: Clock;
  readonly log: Log;
  readonly executions: ExecutionStore;
  readonly retentionDays: number;
}): Retention {
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<unknown> = Promise.resolve();
  let stopped = false;

  async function runOnce(): Promise<number> {
    const before = new Date(deps.clock.now().getTime() - deps.retentionDays * dayMs);
    let total = 0;
    for (;;) {
      const deleted = await deps.executions.deleteExecutionsBefore(before, chunkRows);
      total += deleted;
      if (deleted < chunkRows || stopped) return total;
    }
  }

  function tick(): void {
    running = runOnce().catch((error: unknown) =>
      deps.log.warn({ err: error }, 'old query statuses were not deleted'),
    );
  }

  return {
    runOnce,
    start() {
      tick();
      timer = setInterval(tick, everyMs);
      timer.unref();
    },
    async stop() {
      stopped = true;
      clearInterval(timer);
      await running;
    },
  };
}
