import { type Stats, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { makePrivateFolder } from '../lib/private-folder.ts';
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

/** The holder of the lock, if known: a mark left by an ended process does not identify the current holder. */
function holderOf(dir: string): string {
  const mark = readMark(path.join(dir, HOLDER_FILE));
  if (mark === null) return '';
  const { pid, command } = mark;
  if (isRunning(mark)) return `: ${pid} (${command})`;
  return ` whose process id is unknown (the last known one, ${pid}, has ended; look in other containers and on other machines)`;
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
 * The lock is a kernel file lock held through SQLite, so it ends with the process however the process ends, including
 * kill -9, and leaves nothing for the next start to judge. Throws DataFolderInUseError at once when the folder is
 * locked, DataFolderUnusableError when it is not writable; it never waits.
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

/** Recorded for the message of a refused start. The lock works without it, for example on a full disk. */
function recordHolder(dir: string): void {
  try {
    writeFileSync(path.join(dir, HOLDER_FILE), JSON.stringify(ownMark()), { mode: 0o600 });
  } catch {
    // The next holder writes its own mark.
  }
}

function openLockFile(dir: string): DatabaseSync {
  try {
    makePrivateFolder(dir);
    return new DatabaseSync(path.join(dir, 'lock.sqlite'), { timeout: 0 });
  } catch (cause) {
    const file = fileAt(dir);
    if (file !== null)
      throw new DataFolderUnusableError(
        `The data folder ${dir} cannot be made: ${file} is a file. Set DATA_DIR to a folder.`,
        { cause },
      );
    throw new DataFolderUnusableError(
      `The data folder ${dir} is not writable. Make it writable for the user that runs Querydock, or set DATA_DIR to another folder.`,
      { cause },
    );
  }
}

/** What is in the place of the folder, or of one above it, and is none. */
function fileAt(dir: string): string | null {
  const facts = factsOf(dir);
  if (facts !== undefined) return facts.isDirectory() ? null : dir;
  const parent = path.dirname(dir);
  return parent === dir ? null : fileAt(parent);
}

/** Undefined for nothing, and for what this user may not look at. */
function factsOf(at: string): Stats | undefined {
  try {
    return statSync(at);
  } catch {
    return undefined;
  }
}

/** SQLITE_BUSY or SQLITE_LOCKED, with or without an extended code in the upper bits. */
function isBusy(error: unknown): boolean {
  if (!(error instanceof Error) || !('errcode' in error)) return false;
  const primary = Number(error.errcode) & 0xff;
  return primary === 5 || primary === 6;
}
