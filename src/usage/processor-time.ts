/**
 * The processor time of executions: the engine does not tell it with a result, so its log is asked in the background, and what
 * it says is added to the usage of the minute in which the execution ended. What a killed process has not asked for stays
 * unknown; an execution is forgotten as its time is added, so that none is added twice.
 */
import type { ProcessorTimes } from '../engine/processor-times.ts';
import type { QueryEngine } from '../engine/query-engine.ts';
import type { Clock } from '../lib/clock.ts';
import type { UsageOf } from '../model/usage.ts';
import type { UsageRecorder } from './usage-recorder.ts';

export interface ProcessorTime {
  /** Its processor time is found later. */
  note(execution: EndedExecution): void;
  /** Asks for those that the log should have by now. Never rejects. */
  collect(): Promise<void>;
  /** Why the processor time of executions is not known, as a sentence; null: it is, as far as this process knows. */
  problem(): string | null;
  start(): void;
  stop(): Promise<void>;
}

export interface EndedExecution {
  readonly id: string;
  /** Where it is counted. */
  readonly of: UsageOf;
  readonly atMs: number;
}

const everyMs = 5000;
/** While the log cannot be read it is asked less often: each attempt is an error in the engine's own log. */
const pauseMs = 60_000;
/** A server writes its log every 7.5 seconds, unless it is told otherwise. */
const settledMs = 10_000;
/** By then nothing more is expected. */
const unknownMs = 300_000;
/** The oldest are forgotten first. */
const maxWaiting = 50_000;
const maxAsked = 10_000;

const nothing: ProcessorTimes = { micros: new Map(), problems: new Map() };

const NOT_LOGGED =
  'The engine’s system.query_log has no entries of executions: log_queries is off for their users, or other nodes ran them than those that are asked.';

export function openProcessorTime(deps: {
  readonly clock: Clock;
  readonly engine: Pick<QueryEngine, 'processorTimes'>;
  readonly usage: Pick<UsageRecorder, 'addProcessorTime'>;
  /** Told of each execution as its processor time is known. */
  readonly onMeasured: (executionId: string, micros: number) => void;
}): ProcessorTime {
  const { clock, engine, usage, onMeasured } = deps;
  const waiting = new Map<string, EndedExecution>();
  /** By project; while there is one, its executions are asked for less often. */
  const problems = new Map<number, { readonly problem: string; readonly untilMs: number }>();
  let foundMs = Number.NEGATIVE_INFINITY;
  let isLogged = true;
  let collecting: Promise<void> = Promise.resolve();
  let timer: NodeJS.Timeout | undefined;

  /** Those that are too old are forgotten. Returns how many. */
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
      if (nowMs - execution.atMs < settledMs || found.length === maxAsked) break;
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
    const asked = settled(nowMs).map((execution) => ({
      ...execution,
      projectId: execution.of.projectId,
    }));
    const told = asked.length === 0 ? nothing : await engine.processorTimes(asked);
    for (const execution of asked) {
      const { id, projectId } = execution;
      const micros = told.micros.get(id);
      if (micros !== undefined) add(execution, micros);
      const problem = told.problems.get(projectId);
      if (problem === undefined) problems.delete(projectId);
      else problems.set(projectId, { problem, untilMs: nowMs + pauseMs });
    }
    for (const [projectId, { untilMs }] of problems)
      if (nowMs - untilMs > unknownMs) problems.delete(projectId);
    if (told.micros.size > 0) foundMs = nowMs;
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
