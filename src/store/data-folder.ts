import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { isRunning, ownMark, readMark } from '../lib/process-facts.ts';

/** The folder is locked, by another process or by this one. The message is meant for an operator. */
export class DataFolderInUseError extends Error {
  override readonly name = 'DataFolderInUseError';
  readonly dir: string;

  constructor(dir: string, cause: unknown) {
    super(
      `The data folder ${dir} is in use by another process${holderOf(dir)}. Stop that process, or set DATA_DIR to another folder.`,
      { cause },
    );
    this.dir = dir;
  }
}

/** The holder of the lock, if known: the mark of a process that has ended does not identify the current holder. */
function holderOf(dir: string): string {
  const mark = readMark(path.join(dir, HOLDER_FILE));
  if (mark === null) return '';
  const { pid, command } = mark;
  if (isRunning(mark)) return `: ${pid} (${command})`;
  return ` that has not said which it is (the last that did, ${pid}, is gone; look for one in another container or on another machine)`;
}

/** This user may not write there. The message is meant for an operator. */
export class DataFolderUnusableError extends Error {
  override readonly name = 'DataFolderUnusableError';
}

const HOLDER_FILE = 'lock.json';

export interface DataFolderLock {
  readonly dir: string;
  /** Unlocks the folder. Safe to call more than once. */
  release(): void;
}

/**
 * Creates the folder (mode 0700) and locks it for this process.
 *
 * The lock is the kernel's, by way of SQLite's own file lock, so it ends with the process however the process ends,
 * kill -9 included, and leaves nothing behind that a next start would have to judge. Throws DataFolderInUseError at
 * once when the folder is taken, DataFolderUnusableError when it cannot be written to; it never waits.
 */
export function lockDataFolder(dir: string): DataFolderLock {
  const full = path.resolve(dir);
  const file = openLockFile(full);
  try {
    file.exec('PRAGMA journal_mode=MEMORY; PRAGMA locking_mode=EXCLUSIVE; BEGIN EXCLUSIVE');
  } catch (error) {
    file.close();
    if (isBusy(error)) throw new DataFolderInUseError(full, error);
    throw error;
  }
  recordHolder(full);
  return {
    dir: full,
    release() {
      if (file.isOpen) file.close();
    },
  };
}

/** For the message of a refused start. The lock works without it, for example on a full disk. */
function recordHolder(dir: string): void {
  try {
    writeFileSync(path.join(dir, HOLDER_FILE), JSON.stringify(ownMark()), { mode: 0o600 });
  } catch {
    // The next holder writes its own mark.
  }
}

function openLockFile(dir: string): DatabaseSync {
  try {
    mkdirSync(dir, { recursive: true, mode: 0o700 });
    return new DatabaseSync(path.join(dir, 'lock.sqlite'), { timeout: 0 });
  } catch (cause) {
    throw new DataFolderUnusableError(
      `The data folder ${dir} cannot be written to. Give it to the user that runs Querydock, or set DATA_DIR to another folder.`,
      { cause },
    );
  }
}

/** SQLITE_BUSY or SQLITE_LOCKED, with or without an extended code in the upper bits. */
function isBusy(error: unknown): boolean {
  if (!(error instanceof Error) || !('errcode' in error)) return false;
  const primary = Number(error.errcode) & 0xff;
  return primary === 5 || primary === 6;
}
