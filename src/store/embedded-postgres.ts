/** The local metadata database: real PostgreSQL 18, started and restarted by this process. */
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
} from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Log } from '../lib/log.ts';
import { makePrivateFolder } from '../lib/private-folder.ts';
import { nameOf } from '../lib/process-facts.ts';
import { markTempFolder, sweepTempFolders } from '../lib/temp-folders.ts';
import { lockDataFolder } from './data-folder.ts';
import { findPostgresBinaries } from './postgres-binaries.ts';
import {
  EmbeddedPostgresError,
  initCluster,
  type PostgresProcess,
  type PostgresSetup,
  startPostgres,
} from './postgres-process.ts';

export interface PostgresConnection {
  /** The folder of the unix socket. */
  readonly host: string;
  readonly user: string;
  readonly database: string;
}

type EmbeddedPostgresState = 'ready' | 'restarting' | 'stopped';

export interface EmbeddedPostgres {
  readonly connection: PostgresConnection;
  /** The same as a DATABASE_URL. */
  readonly databaseUrl: string;
  state(): EmbeddedPostgresState;
  /** Stops PostgreSQL and releases the folder. Safe to call more than once. */
  stop(): Promise<void>;
}

/** PostgreSQL refuses to run as root, so a root process runs it as `nobody`. */
const nobody = { uid: 65534, gid: 65534 } as const;

/** The path of a unix socket may have at most 103 bytes on every system; ours adds 38 to the temp folder's. */
const maxTempDirLength = 60;

/**
 * Starts the PostgreSQL whose data is in `dir`; the first start creates both.
 *
 * It is reachable only through a unix socket of this user; no port, no password. It never outlives this process, and is
 * restarted (after at most 5 s) when it dies. Throws DataFolderInUseError when another process holds the folder,
 * EmbeddedPostgresError when PostgreSQL cannot be started.
 */
export async function openEmbeddedPostgres(options: {
  readonly dir: string;
  readonly log: Log;
}): Promise<EmbeddedPostgres> {
  if (process.platform === 'win32') {
    throw new EmbeddedPostgresError(
      'There is no local PostgreSQL on Windows. Set DATABASE_URL, or run Querydock in WSL.',
    );
  }
  const lock = lockDataFolder(options.dir);
  let setup: PostgresSetup | null = null;
  const release = () => {
    if (setup !== null) rmSync(setup.socketDir, { recursive: true, force: true });
    lock.release();
  };
  try {
    setup = prepareSetup(lock.dir, options.log);
    await initCluster(setup);
    return await supervise(setup, release);
  } catch (error) {
    release();
    throw error;
  }
}

function prepareSetup(dir: string, log: Log): PostgresSetup {
  const folder = path.join(dir, 'pg18');
  const runAs = chooseUser(folder);
  makePrivateFolder(folder);
  chmodSync(folder, 0o700);
  if (runAs !== null) chownSync(folder, runAs.uid, runAs.gid);
  const { binDir } = findPostgresBinaries({ runsAsOther: runAs !== null });
  return { binDir, folder, socketDir: makeSocketDir(runAs), runAs, log };
}

/** As root: the owner of an existing folder, so that one start with `sudo` does no harm; otherwise `nobody`. */
function chooseUser(folder: string): PostgresSetup['runAs'] {
  if (process.getuid?.() !== 0) return null;
  const found = statSync(folder, { throwIfNoEntry: false });
  return found === undefined || found.uid === 0 ? nobody : { uid: found.uid, gid: found.gid };
}

/**
 * A new directory in the temp folder, for this process alone. Its name is never used again: a process that sweeps the
 * temp folder may remove the directory of a killed one at any moment.
 */
function makeSocketDir(runAs: PostgresSetup['runAs']): string {
  const parent = socketParent(runAs);
  // The second name is that of version 0.1.0.
  const name = /^querydock-(?:socket-\w{6}|[0-9a-f]{16})$/;
  sweepTempFolders({ parent, name, otherOwner: runAs?.uid, isFree: hasNoServer });
  const socketDir = mkdtempSync(path.join(parent, 'querydock-socket-'));
  markTempFolder(socketDir);
  if (runAs !== null) chownSync(socketDir, runAs.uid, runAs.gid);
  return socketDir;
}

/** A PostgreSQL ends with its service, but may take a moment longer. */
function hasNoServer(dir: string): boolean {
  const file = path.join(dir, '.s.PGSQL.5432.lock');
  const pid = existsSync(file) ? Number.parseInt(readFileSync(file, 'utf8'), 10) : 0;
  return pid === 0 || nameOf(pid) !== 'postgres';
}

function socketParent(runAs: PostgresSetup['runAs']): string {
  const temp = os.tmpdir();
  if (temp.length > maxTempDirLength) return '/tmp';
  if (runAs !== null && (statSync(temp).mode & 0o001) === 0) return '/tmp';
  return temp;
}

async function supervise(setup: PostgresSetup, release: () => void): Promise<EmbeddedPostgres> {
  const stopping = new AbortController();
  let current: PostgresProcess = await startPostgres(setup, stopping.signal);
  let state: EmbeddedPostgresState = 'ready';

  const keepAlive = async () => {
    for (;;) {
      await current.exited;
      if (stopping.signal.aborted) return;
      state = 'restarting';
      setup.log.error('the local PostgreSQL ended unexpectedly; restarting it');
      const next = await restart(setup, stopping.signal);
      if (next === null) return;
      current = next;
      if (stopping.signal.aborted) return next.stop();
      state = 'ready';
      setup.log.info('the local PostgreSQL is back');
    }
  };
  const done = keepAlive();

  const close = async () => {
    stopping.abort();
    state = 'stopped';
    await current.stop();
    await done;
    release();
  };
  let closing: Promise<void> | null = null;
  const connection = { host: setup.socketDir, user: 'postgres', database: 'postgres' };
  return {
    connection,
    databaseUrl: `postgresql://postgres@localhost/postgres?host=${encodeURIComponent(setup.socketDir)}`,
    state: () => state,
    stop() {
      closing ??= close();
      return closing;
    },
  };
}

/** Retries until it is running again, or until `signal` is aborted (null). */
async function restart(setup: PostgresSetup, signal: AbortSignal): Promise<PostgresProcess | null> {
  for (let waitMs = 50; !signal.aborted; waitMs = Math.min(waitMs * 2, 5000)) {
    try {
      return await startPostgres(setup, signal);
    } catch (error) {
      if (!signal.aborted) setup.log.error({ err: error }, 'the local PostgreSQL did not restart');
    }
    await delay(waitMs, undefined, { signal }).catch(() => {});
  }
  return null;
}
