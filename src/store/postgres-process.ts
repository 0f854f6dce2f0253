/** One run of the local PostgreSQL: creates its data folder, starts it, detects readiness, stops it. */
import { type ChildProcess, spawn } from 'node:child_process';
import {
  closeSync,
  existsSync,
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
} from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Log } from '../lib/log.ts';
import { folderOf, nameOf, processIds } from '../lib/process-facts.ts';

/** The local PostgreSQL cannot be used. The message is meant for an operator. */
export class EmbeddedPostgresError extends Error {
  override readonly name = 'EmbeddedPostgresError';
}

export interface PostgresSetup {
  readonly binDir: string;
  /** Contains the cluster in `data`; owned by the user that runs PostgreSQL. */
  readonly folder: string;
  readonly socketDir: string;
  /** The user that PostgreSQL runs as; null for that of this process. */
  readonly runAs: { readonly uid: number; readonly gid: number } | null;
  readonly log: Log;
}

export interface PostgresProcess {
  /** Settles when this run has ended, for whatever reason. */
  readonly exited: Promise<void>;
  /** PostgreSQL's fast shutdown (clients are disconnected, data is written); kills it when that takes too long. */
  stop(): Promise<void>;
}

const startTimeoutMs = 30_000;
/** How long an earlier server may take to end by itself. */
const predecessorGraceMs = 3000;
const lingerMs = 50;
const stopGraceMs = 15_000;
const stderrTailChars = 8192;

const settings: Readonly<Record<string, string>> = {
  listen_addresses: '',
  unix_socket_permissions: '0700',
  shared_buffers: '64MB',
  max_connections: '60',
  max_wal_size: '256MB',
  timezone: 'UTC',
  log_timezone: 'UTC',
  // Above ERROR: a statement's error is reported to the client and does not belong in this log.
  log_min_messages: 'log',
};

/**
 * Runs a program in the background and a watcher beside it. The watcher reads descriptor 3, whose other end only the
 * Node process holds: when that process ends, even by kill -9, the read ends and `onOrphaned` runs, with the program's
 * process id in $p. So nothing outlives its owner.
 */
function watched(onOrphaned: string): string {
  return `"$0" "$@" <&- 3<&- & p=$!; { read _; ${onOrphaned}; } <&3 2>/dev/null & w=$!; wait $p; c=$?; kill $w 2>/dev/null; exit $c`;
}

/** The fast shutdown: clients are disconnected, data is written. */
const watchedServer = watched('kill -INT $p');
/** Kills the whole group at once: a half-made cluster is deleted, and nothing may still write into it then. */
const watchedInit = watched('kill -KILL 0');

/** Creates the cluster unless it exists. It appears completely or not at all. */
export async function initCluster(setup: PostgresSetup): Promise<void> {
  const data = path.join(setup.folder, 'data');
  if (existsSync(data)) return;
  const fresh = `${data}.init`;
  rmSync(fresh, { recursive: true, force: true });
  const flags = '-U postgres -A trust -E UTF8 --locale=C --locale-provider=builtin';
  const more = '--builtin-locale=C.UTF-8 --data-checksums --no-instructions';
  const args = ['-D', seenPath(setup, 'data.init'), ...`${flags} ${more}`.split(' ')];
  const child = spawnWatched(setup, watchedInit, [path.join(setup.binDir, 'initdb'), ...args]);
  const tail = captureTail(child, setup.log);
  const code = await exitOf(child);
  if (code !== 0) throw initFailed(setup, tail());
  renameSync(fresh, data);
}

function initFailed(setup: PostgresSetup, output: string): EmbeddedPostgresError {
  if (output.includes('could not look up effective user ID')) {
    return new EmbeddedPostgresError(
      `The user id ${setup.runAs?.uid ?? process.getuid?.()} has no name (no entry in /etc/passwd), and PostgreSQL needs one to create its data folder. Add an entry, run Querydock as another user, or set DATABASE_URL.`,
    );
  }
  return new EmbeddedPostgresError(
    `The local PostgreSQL could not create its data folder in ${setup.folder}:\n${output}`,
  );
}

/**
 * Starts PostgreSQL and resolves when it accepts connections. Waits up to 30 s for an earlier run that is still
 * shutting down. Throws EmbeddedPostgresError with PostgreSQL's own message otherwise.
 */
export async function startPostgres(
  setup: PostgresSetup,
  signal: AbortSignal,
): Promise<PostgresProcess> {
  const began = performance.now();
  let isLogged = false;
  for (;;) {
    const attempt = spawnServer(setup);
    const ready = await attempt.ready;
    if (ready) return attempt.process;
    await attempt.process.stop();
    const waitedMs = performance.now() - began;
    if (signal.aborted || waitedMs > startTimeoutMs || !isLingering(attempt.tail())) {
      throw new EmbeddedPostgresError(`The local PostgreSQL did not start:\n${attempt.tail()}`);
    }
    if (!isLogged) setup.log.info('waiting for an earlier local PostgreSQL to end');
    isLogged = true;
    await endPredecessor(setup, waitedMs);
  }
}

/** Waits for the end of an earlier server whose service is gone, and kills it when that takes too long. */
async function endPredecessor(setup: PostgresSetup, waitedMs: number): Promise<void> {
  const deadline = performance.now() + predecessorGraceMs;
  await delay(lingerMs);
  while (serversOf(setup).length > 0 && performance.now() < deadline) await delay(lingerMs);
  const left = serversOf(setup);
  // Like a crash: committed data is in the write-ahead log and is recovered at the next start.
  const signal = waitedMs < predecessorGraceMs ? 'SIGQUIT' : 'SIGKILL';
  for (const pid of left) process.kill(pid, signal);
  if (left.length === 0) dropStalePidFile(setup);
}

/**
 * The processes of a PostgreSQL with this data folder, including children of a killed one: each has it as its working
 * folder. The process id in postmaster.pid is not enough, since it may by now belong to another program, even to a
 * PostgreSQL of another data folder (small ids recur in containers).
 */
function serversOf({ folder }: PostgresSetup): readonly number[] {
  const data = realpathSync(path.join(folder, 'data'));
  return processIds().filter((pid) => nameOf(pid) === 'postgres' && folderOf(pid) === data);
}

/**
 * PostgreSQL refuses to start while any process has the recorded id. Safe, because this process holds the folder's
 * lock.
 */
function dropStalePidFile(setup: PostgresSetup): void {
  const file = path.join(setup.folder, 'data', 'postmaster.pid');
  if (!existsSync(file) || processIds().length === 0) return;
  const pid = Number.parseInt(readFileSync(file, 'utf8'), 10);
  setup.log.warn({ pid, name: nameOf(pid) }, 'removed a stale postmaster.pid');
  rmSync(file, { force: true });
}

function spawnServer(setup: PostgresSetup) {
  const all = { ...settings, unix_socket_directories: setup.socketDir };
  const args = Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const command = [path.join(setup.binDir, 'postgres'), '-D', seenPath(setup, 'data'), ...args];
  const child = spawnWatched(setup, watchedServer, command);
  const tail = captureTail(child, setup.log);
  const exited = exitOf(child).then(() => {
    // The shell may have been killed on its own; its watcher still stops PostgreSQL when our end closes.
    child.stdio[3]?.destroy();
  });
  const ready = new Promise<boolean>((resolve) => {
    child.stderr?.on('data', () => {
      if (tail().includes('ready to accept connections')) resolve(true);
    });
    void exited.then(() => resolve(false));
  });
  return { ready, tail, process: { exited, stop: () => stopServer(child, exited) } };
}

async function stopServer(child: ChildProcess, exited: Promise<void>): Promise<void> {
  child.stdio[3]?.destroy();
  const force = setTimeout(() => {
    if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, 'SIGKILL');
  }, stopGraceMs);
  await exited;
  clearTimeout(force);
}

/**
 * As root on Linux the child reaches its folder through an inherited descriptor instead of its path, so that the parent
 * folders may be closed to it. PostgreSQL's own children inherit the descriptor too.
 */
function reachesByDescriptor(setup: PostgresSetup): boolean {
  return setup.runAs !== null && process.platform === 'linux';
}

function seenPath(setup: PostgresSetup, name: string): string {
  return path.join(reachesByDescriptor(setup) ? '/proc/self/fd/4' : setup.folder, name);
}

/** In its own session, so that Ctrl-C in the terminal reaches only the Node process, which then shuts it down. */
function spawnWatched(
  setup: PostgresSetup,
  script: string,
  command: readonly string[],
): ChildProcess {
  const folder = reachesByDescriptor(setup) ? openSync(setup.folder, 'r') : null;
  try {
    const child = spawn('/bin/sh', ['-c', script, ...command], {
      ...setup.runAs,
      cwd: '/',
      detached: true,
      env: { PATH: process.env.PATH ?? '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC', HOME: '/' },
      stdio: ['ignore', 'ignore', 'pipe', 'pipe', folder ?? 'ignore'],
    });
    child.stdio[3]?.on('error', () => {});
    return child;
  } finally {
    if (folder !== null) closeSync(folder);
  }
}

function exitOf(child: ChildProcess): Promise<number | null> {
  return new Promise((resolve) => {
    child.once('error', () => resolve(null));
    child.once('exit', (code) => resolve(code));
  });
}

function captureTail(child: ChildProcess, log: Log): () => string {
  let text = '';
  child.once('error', (error) => {
    text += error.message;
  });
  child.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
    text = (text + chunk).slice(-stderrTailChars);
    log.debug({ part: 'postgres' }, chunk.trimEnd());
  });
  return () => text.trim();
}

/** PostgreSQL's messages while a killed predecessor, or one of its children, still exists. */
function isLingering(output: string): boolean {
  return /lock file ".*" already exists|pre-existing shared memory block/.test(output);
}
