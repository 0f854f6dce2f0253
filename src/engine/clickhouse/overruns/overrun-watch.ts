/**
 * Tracks every execution until it has ended at the engine, even when no caller is waiting any more. Some functions
 * check neither the time limit nor KILL. An execution that exceeds its limit for too long is an overrun: the local
 * engine is restarted, and the endpoint version or text behind it is refused from then on.
 */
import { LRUCache } from 'lru-cache';
import type { Log } from '../../../lib/log.ts';
import { type Overrun, OverrunError } from '../../execution-origin.ts';

interface NewExecution extends Overrun {
  readonly limitMs: number;
  /** The statement as sent; without an origin, this text is refused. */
  readonly sql: string;
  /** Fails the pending request. */
  readonly stop: (error: OverrunError) => void;
}

export interface WatchedExecution {
  /** Reports that the engine has sent its complete response. */
  ended(): void;
  /** No caller is waiting any more, but it may still run. `isLate`: it was abandoned at its time limit. */
  abandoned(isLate: boolean): void;
}

export interface OverrunWatch {
  /** @throws OverrunError for an execution that is refused because of an earlier overrun. */
  begin(execution: NewExecution): WatchedExecution;
  /** Returns a function that removes the listener. */
  onOverrun(listener: (overrun: Overrun) => void): () => void;
  close(): void;
}

/** What the watch needs of the engine. */
export interface WatchedEngine {
  /** Milliseconds that each engine query has run, by id; null when the engine does not respond in time. */
  readonly listRunning: () => Promise<ReadonlyMap<string, number> | null>;
  readonly kill: (queryIds: readonly string[]) => void;
  /** Null for an engine that the service did not start. */
  readonly local: WatchedProcess | null;
}

interface WatchedProcess {
  /** Null while the process is not running. */
  pid(): number | null;
  /** Processor seconds used; null where the system does not report it. */
  cpuSeconds(): number | null;
  restart(): void;
}

export interface OverrunWatchOptions {
  readonly engine: WatchedEngine;
  readonly log: Log;
  /** How long past its limit an execution becomes an overrun. */
  readonly graceMs: number;
}

interface Entry extends NewExecution {
  startedAt: number;
  /** Time at which its limit ends. */
  limitAt: number;
  isAbandoned: boolean;
  isKilled: boolean;
}

interface Watch extends OverrunWatchOptions {
  readonly entries: Map<string, Entry>;
  readonly refused: LRUCache<string, true>;
  readonly listeners: Set<(overrun: Overrun) => void>;
  tickedAt: number;
  examinedAt: number;
  isExamining: boolean;
  pid: number | null;
  cpu: CpuSample | null;
}

interface CpuSample {
  readonly at: number;
  readonly seconds: number;
  /** Whether the engine used the processor since the previous sample. */
  readonly isBusy: boolean;
}

const INTERVAL_MS = 1000;
/** A longer delay means that this process was suspended, and executions may have ended unnoticed. */
const SUSPENDED_MS = 3000;
/** Share of one processor: an engine that uses less and does not respond is itself suspended. */
const BUSY_SHARE = 0.2;
const SAMPLE_MS = 500;
const MAX_REFUSED = 10_000;

export function openOverrunWatch(options: OverrunWatchOptions): OverrunWatch {
  const watch: Watch = {
    ...options,
    entries: new Map(),
    refused: new LRUCache({ max: MAX_REFUSED }),
    listeners: new Set(),
    tickedAt: performance.now(),
    examinedAt: performance.now(),
    isExamining: false,
    pid: null,
    cpu: null,
  };
  // Started here rather than in a request, so that log lines do not carry a request id.
  const timer = setInterval(() => void tick(watch), INTERVAL_MS).unref();
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

/** The id may have been reused by another execution. */
function forget({ entries }: Watch, entry: Entry): void {
  if (entries.get(entry.queryId) === entry) entries.delete(entry.queryId);
}

function keysOf({ origin, projectId, sql }: NewExecution): readonly string[] {
  if (origin === null) return [`text ${projectId} ${sql}`];
  const text = `text ${origin.projectId} ${origin.text}`;
  return origin.version === null ? [text] : [text, `version ${origin.version.id}`];
}

async function tick(watch: Watch): Promise<void> {
  allowForSuspension(watch);
  followProcess(watch);
  const now = performance.now();
  const suspects = [...watch.entries.values()].filter(
    (entry) => entry.isAbandoned || entry.limitAt <= now,
  );
  if (suspects.length === 0 || watch.isExamining) return;
  watch.isExamining = true;
  try {
    await examine(watch, suspects);
  } finally {
    watch.isExamining = false;
  }
}

function allowForSuspension(watch: Watch): void {
  const now = performance.now();
  const lateMs = now - watch.tickedAt - INTERVAL_MS;
  watch.tickedAt = now;
  if (lateMs < SUSPENDED_MS) return;
  postpone(watch, lateMs);
}

/** Time in which no execution could end does not count. */
function postpone({ entries }: Watch, ms: number): void {
  for (const entry of entries.values()) entry.limitAt += ms;
}

/** Executions end with their engine's process; requests with a waiting caller were sent again. */
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

async function examine(watch: Watch, suspects: readonly Entry[]): Promise<void> {
  const startedAt = performance.now();
  sampleCpu(watch);
  const running = await watch.engine.listRunning();
  sampleCpu(watch);
  const still = suspects.filter(({ queryId }) => watch.entries.has(queryId));
  if (running !== null) {
    for (const entry of still) compareWith(watch, entry, running.get(entry.queryId));
  } else if (!isBusy(watch)) {
    const now = performance.now();
    postpone(watch, Math.min(now - watch.examinedAt, now - startedAt + INTERVAL_MS));
  }
  watch.examinedAt = performance.now();
  const overrun = findOverruns(watch, still, { running, now: startedAt });
  stopAtEngine(watch, still);
  if (overrun.length > 0) refuse(watch, overrun);
}

/** @param ranMs how long it has run by the engine's report; undefined when it is not running. */
function compareWith(watch: Watch, entry: Entry, ranMs: number | undefined): void {
  if (ranMs === undefined) {
    if (entry.isAbandoned) forget(watch, entry);
    return;
  }
  const startedAt = performance.now() - ranMs;
  // It was retried meanwhile.
  if (startedAt > entry.startedAt + INTERVAL_MS * 2 && !entry.isAbandoned)
    restartAt(entry, startedAt);
}

interface Seen {
  readonly running: ReadonlyMap<string, number> | null;
  /** Time at which the list was requested. */
  readonly now: number;
}

/**
 * Compares with the engine's list of running queries. If the engine is busy but does not respond, one execution blocks
 * it: assume the one that passed its limit first.
 */
function findOverruns(
  watch: Watch,
  entries: readonly Entry[],
  { running, now }: Seen,
): readonly Entry[] {
  const late = entries.filter(
    (entry) => entry.isKilled && entry.limitAt + watch.graceMs <= now && isTracked(watch, entry),
  );
  if (running !== null) return late.filter(({ queryId }) => running.has(queryId));
  if (!isBusy(watch)) return [];
  return late.toSorted((a, b) => a.limitAt - b.limitAt).slice(0, 1);
}

function isTracked({ entries }: Watch, entry: Entry): boolean {
  return entries.get(entry.queryId) === entry;
}

function sampleCpu(watch: Watch): void {
  const seconds = watch.engine.local?.cpuSeconds() ?? null;
  const at = performance.now();
  const last = watch.cpu;
  if (seconds === null || (last !== null && at - last.at < SAMPLE_MS)) return;
  const isBusy = last !== null && seconds - last.seconds >= ((at - last.at) / 1000) * BUSY_SHARE;
  watch.cpu = { at, seconds, isBusy };
}

function isBusy({ engine, cpu }: Watch): boolean {
  return engine.local !== null && engine.local.pid() !== null && cpu?.isBusy === true;
}

function stopAtEngine(watch: Watch, entries: readonly Entry[]): void {
  const since = performance.now() - watch.graceMs / 2;
  const unstopped = entries.filter(
    (entry) =>
      !entry.isKilled && isTracked(watch, entry) && (entry.isAbandoned || entry.limitAt <= since),
  );
  for (const entry of unstopped) entry.isKilled = true;
  if (unstopped.length > 0) watch.engine.kill(unstopped.map(({ queryId }) => queryId));
}

/** Other executions of the same origin would overrun too, so they are ended as well. */
function refuse(watch: Watch, overruns: readonly Entry[]): void {
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
        ? 'a query overran its time limit and KILL does not stop it: stop it at the engine. It is refused from now on'
        : 'a query overran its time limit and KILL does not stop it: the local engine is restarted. It is refused from now on',
    );
    for (const listener of listeners) listener({ queryId, projectId, origin });
  }
  engine.local?.restart();
}
