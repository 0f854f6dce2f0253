import type { Config } from '../config/config.ts';
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import { openRepeatedWork, type RepeatedWork } from '../lib/repeated-work.ts';
import type { AuditStore } from '../store/audit-store.ts';
import type { ExecutionStore } from '../store/execution-store.ts';
import type { SignInStore } from '../store/sign-in-store.ts';
import type { UsageStore } from '../store/usage-store.ts';
import { forgetUsage } from '../usage/forget-usage.ts';

/**
 * Ends the query statuses of dead processes, and deletes what is past its retention: statuses, audit entries, usage,
 * sign-ins.
 */
export interface Retention extends RepeatedWork {
  /** Does everything that is due; returns how many statuses it ended and how much it deleted. */
  runOnce(): Promise<{
    readonly ended: number;
    readonly deleted: number;
    readonly auditDeleted: number;
    readonly usageDeleted: number;
  }>;
}

const everyMs = 60_000;
const chunkRows = 5000;
const dayMs = 86_400_000;
/** Added to a query's maximum duration, for executions that are not recorded yet. */
const graceMs = 60_000;

export function openRetention(deps: {
  readonly clock: Clock;
  readonly log: Log;
  readonly executions: ExecutionStore;
  readonly audit: AuditStore;
  readonly usage: UsageStore;
  readonly signIns: SignInStore;
  readonly config: Config;
}): Retention {
  const { config } = deps;

  async function runOnce() {
    const now = deps.clock.now();
    const started = now.getTime() - config.queryTimeoutSeconds * 1000 - graceMs;
    const lost = {
      before: new Date(started),
      streamsBefore: new Date(started - config.streamTimeoutSeconds * 1000),
    };
    const ended = await deps.executions.endLostExecutions(lost, now);
    const before = new Date(now.getTime() - config.retentionDays * dayMs);
    const deleted = await deps.executions.deleteExecutionsBefore(before, chunkRows);
    const auditBefore = new Date(now.getTime() - config.auditRetentionDays * dayMs);
    const auditDeleted = await deps.audit.deleteEntriesBefore(auditBefore, chunkRows);
    const usageDeleted = await forgetUsage(deps, now);
    await deps.signIns.deleteSignInsBefore(new Date(now.getTime() - dayMs), chunkRows);
    return { ended, deleted, auditDeleted, usageDeleted };
  }

  const onFailure = (error: unknown) =>
    deps.log.warn(
      { err: error },
      'expired query statuses, audit entries and usage could not be deleted',
    );
  return { runOnce, ...openRepeatedWork({ everyMs, turn: runOnce, onFailure }) };
}
