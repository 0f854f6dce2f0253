/**
 * Collects the work of executions that the engine does not return: processor time, and what failed executions have read.
 * The background job reads the engine's log and adds it to the usage of the minute in which the execution ended. What a
 * killed process has not collected stays unknown; an execution is dropped when its work is added, so that none is added
 * twice.
 */
import type { ExecutionWork, LoggedWork } from '../engine/logged-work.ts';
import type { QueryEngine } from '../engine/query-engine.ts';
import type { Clock } from '../lib/clock.ts';
import type { LateWork, UsageOf } from '../model/usage.ts';
import type { UsageRecorder } from './usage-recorder.ts';

export interface WorkCollector {
  /** Queues the execution until its work is known. */
  note(execution: EndedExecution): void;
  /** Reads the work of executions that the log should contain by now. Never rejects. */
  collect(): Promise<void>;
  /** Why the work of executions is unknown, as a sentence; null when this process sees no problem. */
  problem(): string | null;
  start(): void;
  stop(): Promise<void>;
}

export interface EndedExecution {
  readonly id: string;
  /** The usage that it is added to. */
  readonly of: UsageOf;
  readonly atMs: number;
  /** How long it took, if what it read is not counted yet; null if it is. */
  readonly uncountedMs: number | null;
}

const everyMs = 5000;
/** Retry interval while the log cannot be read: each attempt is an error in the engine's own log. */
const pauseMs = 60_000;
/** A server flushes its log every 7.5 seconds by default. */
const settledMs = 10_000;
/** After this time no entry is expected any more. */
const unknownMs = 300_000;
/** The oldest are dropped first. */
const maxWaiting = 50_000;
const maxPerRead = 10_000;

const nothing: LoggedWork = { works: new Map(), problems: new Map() };

const NOT_LOGGED =
  'The engine’s system.query_log has no entries for executions: log_queries is off for their users, or they ran on nodes other than those that are queried.';

export function openWorkCollector(deps: {
  readonly clock: Clock;
  readonly engine: Pick<QueryEngine, 'loggedWork'>;
  readonly usage: Pick<UsageRecorder, 'addLateWork'>;
  /** Called with the work of each execution. */
  readonly onMeasured: (execution: EndedExecution, work: LateWork) => void;
}): WorkCollector {
  const { clock, engine, usage, onMeasured } = deps;
  const waiting = new Map<string, EndedExecution>();
  /** By project; while there is a problem, its executions are read less often. */
  const problems = new Map<number, { readonly problem: string; readonly untilMs: number }>();
  let foundMs = Number.NEGATIVE_INFINITY;
  let isLogged = true;
  let collecting: Promise<void> = Promise.resolve();
  let timer: NodeJS.Timeout | undefined;

  /** Drops executions that are too old. Returns how many. */
  function forget(nowMs: number): number {
    let forgotten = 0;
    for (const [id, { atMs }] of waiting) {
      if (nowMs - atMs <= unknownMs && waiting.size <= maxWaiting) break;
      waiting.delete(id);
      forgotten += 1;
    }
    return forgotten;
  }

  function settled(nowMs: number): readonly EndedExecution[] {
    const found: EndedExecution[] = [];
    for (const execution of waiting.values()) {
      if (nowMs - execution.atMs < settledMs || found.length === maxPerRead) break;
      const { untilMs = nowMs } = problems.get(execution.of.projectId) ?? {};
      if (untilMs <= nowMs) found.push(execution);
    }
    return found;
  }

  function add(execution: EndedExecution, found: ExecutionWork): void {
    const { id, of, atMs, uncountedMs } = execution;
    const { processorMicros, rowsRead, bytesRead } = found;
    const read =
      uncountedMs === null ? null : { rowsRead, bytesRead, timeElapsed: uncountedMs / 1000 };
    waiting.delete(id);
    usage.addLateWork(of, atMs, { processorMicros, read });
    onMeasured(execution, { processorMicros, read });
  }

  async function collectOnce(): Promise<void> {
    const nowMs = clock.now().getTime();
    const batch = settled(nowMs).map((execution) => ({
      ...execution,
      projectId: execution.of.projectId,
    }));
    const logged = batch.length === 0 ? nothing : await engine.loggedWork(batch);
    for (const execution of batch) {
      const { id, projectId } = execution;
      const work = logged.works.get(id);
      if (work !== undefined) add(execution, work);
      const problem = logged.problems.get(projectId);
      if (problem === undefined) problems.delete(projectId);
      else problems.set(projectId, { problem, untilMs: nowMs + pauseMs });
    }
    for (const [projectId, { untilMs }] of problems)
      if (nowMs - untilMs > unknownMs) problems.delete(projectId);
    if (logged.works.size > 0) foundMs = nowMs;
    const isLost = forget(nowMs) > 0 && nowMs - foundMs > unknownMs;
    isLogged = nowMs === foundMs || (isLogged && (!isLost || problems.size > 0));
  }

  function collect(): Promise<void> {
    collecting = collecting.then(collectOnce);
    return collecting;
  }

  return {
    note(execution) {
      waiting.set(execution.id, execution);
    },
    collect,
    problem() {
      const found = new Set([...problems.values()].map(({ problem }) => problem));
      if (!isLogged) found.add(NOT_LOGGED);
      return found.size === 0 ? null : [...found].join(' ');
    },
    start() {
      timer = setInterval(() => void collect(), everyMs);
      timer.unref();
    },
    async stop() {
      clearInterval(timer);
      await collect();
    },
  };
}
