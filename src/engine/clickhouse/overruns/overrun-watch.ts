/**
 * Keeps an eye on every execution until it has ended at the engine, also when nobody waits for it any more. Some
 * functions look neither at the time limit nor at KILL. Whatever goes on for too long after its limit is an overrun:
 * the local engine is started again without it, and what it belongs to is refused from then on.
 */
import { LRUCache } from 'lru-cache';
import type { Log } from '../../../lib/log.ts';
import { OverrunError } from '../../execution-origin.ts';
import type { Overrun } from '../../query-engine.ts';

export interface NewExecution extends Overrun {
  readonly limitMs: number;
  /** The text as it is sent, which is refused when it has no origin. */
  readonly sql: string;
  /** Fails the request that waits for it. */
  readonly stop: (error: OverrunError) => void;
}

export interface WatchedExecution {
  /** The engine answered to the end. */
  ended(): void;
  /** Nobody waits any more; it may still run. `isLate`: it was given up for its time, which is therefore over now. */
  abandoned(isLate: boolean): void;
}

export interface OverrunWatch {
  /** Throws OverrunError for what is refused. */
  begin(execution: NewExecution): WatchedExecution;
  /** Returns the way to stop listening. */
  onOverrun(listener: (overrun: Overrun) => void): () => void;
  close(): void;
}

/** What the watch needs of the engine. */
export interface WatchedEngine {
  /** Milliseconds for which each of the engine's queries has run, by id; null when it does not say in time. */
  readonly listRunning: () => Promise<ReadonlyMap<string, number> | null>;
  readonly kill: (queryIds: readonly string[]) => void;
  /** Null for an engine that is not ours to start again. */
  readonly local: WatchedProcess | null;
}

export interface WatchedProcess {
  /** Null while it does not run. */
  pid(): number | null;
  /** Seconds of processor time that it has used; null where the system does not tell. */
  cpuSeconds(): number | null;
  restart(): void;
}

export interface OverrunWatchOptions {
  readonly engine: WatchedEngine;
  readonly log: Log;
  /** How long after its limit an execution is an overrun. */
  readonly graceMs: number;
}

interface Entry extends NewExecution {
  startedAt: number;
  /** When its time is over. */
  limitAt: number;
  isAbandoned: boolean;
  isKilled: boolean;
}

interface Watch extends OverrunWatchOptions {
  readonly entries: Map<string, Entry>;
  readonly refused: LRUCache<string, true>;
  readonly listeners: Set<(overrun: Overrun) => void>;
  lookedAt: number;
  examinedAt: number;
  isLooking: boolean;
  pid: number | null;
  cpu: CpuSample | null;
}

interface CpuSample {
  readonly at: number;
  readonly seconds: number;
  /** Whether the engine worked since the sample before. */
  readonly isBurning: boolean;
}

const EVERY_MS = 1000;
/** Past this the whole process stood still, and executions may have ended meanwhile without its noticing. */
const STOOD_STILL_MS = 3000;
/** Of one processor: an engine that uses less, and does not answer, stands still as a whole. */
const BURNING_SHARE = 0.2;
const SAMPLE_MS = 500;
const MAX_REFUSED = 10_000;

export function openOverrunWatch(options: OverrunWatchOptions): OverrunWatch {
  const watch: Watch = {
    ...options,
    entries: new Map(),
    refused: new LRUCache({ max: MAX_REFUSED }),
    listeners: new Set(),
    lookedAt: performance.now(),
    examinedAt: performance.now(),
    isLooking: false,
    pid: null,
    cpu: null,
  };
  // Not begun by a request, whose id would stand in the log then.
  const timer = setInterval(() => void look(watch), EVERY_MS).unref();
  return {
    begin: (execution) => begin(watch, execution),
    onOverrun(listener) {
      watch.listeners.add(listener);
      return () => watch.listeners.delete(listener);
    },
    close: () => clearInterval(timer),
  };
}

function begin(watch: Watch, execution: NewExecution): WatchedExecution {
  if (watch.refused.size > 0 && keysOf(execution).some((key) => watch.refused.has(key))) {
    throw new OverrunError();
  }
  const startedAt = performance.now();
  const entry: Entry = {
    ...execution,
    startedAt,
    limitAt: startedAt + execution.limitMs,
    isAbandoned: false,
    isKilled: false,
  };
  watch.entries.set(entry.queryId, entry);
  return {
    ended: () => forget(watch, entry),
    abandoned(isLate) {
      entry.isAbandoned = true;
      if (isLate) entry.limitAt = Math.min(entry.limitAt, performance.now());
    },
  };
}

/** Another execution may have taken the id since. */
function forget({ entries }: Watch, entry: Entry): void {
  if (entries.get(entry.queryId) === entry) entries.delete(entry.queryId);
}

function keysOf({ origin, projectId, sql }: NewExecution): readonly string[] {
  if (origin === null) return [`text ${projectId} ${sql}`];
  const text = `text ${origin.projectId} ${origin.text}`;
  return origin.version === null ? [text] : [text, `version ${origin.version.id}`];
}

async function look(watch: Watch): Promise<void> {
  allowForStandstill(watch);
  followProcess(watch);
  const now = performance.now();
  const doubtful = [...watch.entries.values()].filter(
    (entry) => entry.isAbandoned || entry.limitAt <= now,
  );
  if (doubtful.length === 0 || watch.isLooking) return;
  watch.isLooking = true;
  try {
    await examine(watch, doubtful);
  } finally {
    watch.isLooking = false;
  }
}

function allowForStandstill(watch: Watch): void {
  const now = performance.now();
  const lateMs = now - watch.lookedAt - EVERY_MS;
  watch.lookedAt = now;
  if (lateMs < STOOD_STILL_MS) return;
  postpone(watch, lateMs);
}

/** Time in which nothing could have ended counts for nobody. */
function postpone({ entries }: Watch, ms: number): void {
  for (const entry of entries.values()) entry.limitAt += ms;
}

/** What ran in an engine that is gone ran no further; requests that are still waited for were sent again. */
function followProcess(watch: Watch): void {
  const pid = watch.engine.local?.pid() ?? null;
  const wasReplaced = watch.pid !== null && pid !== watch.pid;
  watch.pid = pid;
  if (!wasReplaced) return;
  watch.cpu = null;
  const now = performance.now();
  for (const entry of watch.entries.values()) {
    if (entry.isAbandoned) forget(watch, entry);
    else restartAt(entry, now);
  }
}

function restartAt(entry: Entry, startedAt: number): void {
  entry.startedAt = startedAt;
  entry.limitAt = startedAt + entry.limitMs;
  entry.isKilled = false;
}

async function examine(watch: Watch, doubtful: readonly Entry[]): Promise<void> {
  const asked = performance.now();
  sampleCpu(watch);
  const running = await watch.engine.listRunning();
  sampleCpu(watch);
  const still = doubtful.filter(({ queryId }) => watch.entries.has(queryId));
  if (running !== null) {
    for (const entry of still) compareWith(watch, entry, running.get(entry.queryId));
  } else if (!isBurning(watch)) {
    const now = performance.now();
    postpone(watch, Math.min(now - watch.examinedAt, now - asked + EVERY_MS));
  }
  watch.examinedAt = performance.now();
  const overrun = findOverruns(watch, still, { running, now: asked });
  stopAtEngine(watch, still);
  if (overrun.length > 0) condemn(watch, overrun);
}

/** @param ranMs for how long it has run by the engine's own word; undefined: it does not run. */
function compareWith(watch: Watch, entry: Entry, ranMs: number | undefined): void {
  if (ranMs === undefined) {
    if (entry.isAbandoned) forget(watch, entry);
    return;
  }
  const startedAt = performance.now() - ranMs;
  // It was sent a second time meanwhile.
  if (startedAt > entry.startedAt + EVERY_MS * 2 && !entry.isAbandoned) restartAt(entry, startedAt);
}

interface Seen {
  readonly running: ReadonlyMap<string, number> | null;
  /** Before the engine was asked. */
  readonly now: number;
}

/**
 * By the engine's word, where it gives it. Where it does not, one of them keeps it from answering, as long as it works
 * at all: that is taken to be the one whose time was over first.
 */
function findOverruns(
  watch: Watch,
  entries: readonly Entry[],
  { running, now }: Seen,
): readonly Entry[] {
  const late = entries.filter(
    (entry) => entry.isKilled && entry.limitAt + watch.graceMs <= now && isKept(watch, entry),
  );
  if (running !== null) return late.filter(({ queryId }) => running.has(queryId));
  if (!isBurning(watch)) return [];
  return late.toSorted((a, b) => a.limitAt - b.limitAt).slice(0, 1);
}

function isKept({ entries }: Watch, entry: Entry): boolean {
  return entries.get(entry.queryId) === entry;
}

function sampleCpu(watch: Watch): void {
  const seconds = watch.engine.local?.cpuSeconds() ?? null;
  const at = performance.now();
  const last = watch.cpu;
  if (seconds === null || (last !== null && at - last.at < SAMPLE_MS)) return;
  const isBurning =
    last !== null && seconds - last.seconds >= ((at - last.at) / 1000) * BURNING_SHARE;
  watch.cpu = { at, seconds, isBurning };
}

function isBurning({ engine, cpu }: Watch): boolean {
  return engine.local !== null && engine.local.pid() !== null && cpu?.isBurning === true;
}

function stopAtEngine(watch: Watch, entries: readonly Entry[]): void {
  const since = performance.now() - watch.graceMs / 2;
  const unstopped = entries.filter(
    (entry) =>
      !entry.isKilled && isKept(watch, entry) && (entry.isAbandoned || entry.limitAt <= since),
  );
  for (const entry of unstopped) entry.isKilled = true;
  if (unstopped.length > 0) watch.engine.kill(unstopped.map(({ queryId }) => queryId));
}

/** Whatever else of the same origin runs would do the same again. */
function condemn(watch: Watch, overruns: readonly Entry[]): void {
  const { engine, log, refused, entries, listeners } = watch;
  const keys = new Set(overruns.flatMap(keysOf));
  for (const key of keys) refused.set(key, true);
  for (const entry of [...entries.values()]) {
    if (!keysOf(entry).some((key) => keys.has(key))) continue;
    entries.delete(entry.queryId);
    entry.stop(new OverrunError());
  }
  for (const { queryId, projectId, origin } of overruns) {
    const { endpointName, number } = origin?.version ?? {};
    log.error(
      { queryId, projectId, endpoint: endpointName, version: number },
      engine.local === null
        ? 'a query goes on past its time and KILL does not stop it: stop it at the engine. It is refused from now on'
        : 'a query goes on past its time and KILL does not stop it; starting the local engine again. It is refused from now on',
    );
    for (const listener of listeners) listener({ queryId, projectId, origin });
  }
  engine.local?.restart();
}
