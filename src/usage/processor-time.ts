/**
 * Collects the processor time of executions. The engine does not return it with a result, so the background job reads
 * its log and adds the time to the usage of the minute in which the execution ended. What a killed process has not
 * collected stays unknown; an execution is dropped when its time is added, so that none is added twice.
 */
import type { ProcessorTimes } from '../engine/processor-times.ts';
import type { QueryEngine } from '../engine/query-engine.ts';
import type { Clock } from '../lib/clock.ts';
import type { UsageOf } from '../model/usage.ts';
import type { UsageRecorder } from './usage-recorder.ts';

export interface ProcessorTime {
  /** Queues the execution until its processor time is known. */
  note(execution: EndedExecution): void;
  /** Reads the times of executions that the log should contain by now. Never rejects. */
  collect(): Promise<void>;
  /** Why the processor time of executions is unknown, as a sentence; null when this process sees no problem. */
  problem(): string | null;
  start(): void;
  stop(): Promise<void>;
}

export interface EndedExecution {
  readonly id: string;
  /** The usage that it is added to. */
  readonly of: UsageOf;
  readonly atMs: number;
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

const nothing: ProcessorTimes = { micros: new Map(), problems: new Map() };

const NOT_LOGGED =
  'The engine’s system.query_log has no entries for executions: log_queries is off for their users, or they ran on nodes other than those that are queried.';

export function openProcessorTime(deps: {
  readonly clock: Clock;
  readonly engine: Pick<QueryEngine, 'processorTimes'>;
  readonly usage: Pick<UsageRecorder, 'addProcessorTime'>;
  /** Called with each execution's processor time. */
  readonly onMeasured: (executionId: string, micros: number) => void;
}): ProcessorTime {
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

  function add({ id, of, atMs }: EndedExecution, micros: number): void {
    waiting.delete(id);
    usage.addProcessorTime(of, atMs, micros);
    onMeasured(id, micros);
  }

  async function collectOnce(): Promise<void> {
    const nowMs = clock.now().getTime();
    const batch = settled(nowMs).map((execution) => ({
      ...execution,
      projectId: execution.of.projectId,
    }));
    const times = batch.length === 0 ? nothing : await engine.processorTimes(batch);
    for (const execution of batch) {
      const { id, projectId } = execution;
      const micros = times.micros.get(id);
      if (micros !== undefined) add(execution, micros);
      const problem = times.problems.get(projectId);
      if (problem === undefined) problems.delete(projectId);
      else problems.set(projectId, { problem, untilMs: nowMs + pauseMs });
    }
    for (const [projectId, { untilMs }] of problems)
      if (nowMs - untilMs > unknownMs) problems.delete(projectId);
    if (times.micros.size > 0) foundMs = nowMs;
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
