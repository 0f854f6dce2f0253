/** Temporary folders owned by a process. Those of a killed process are removed by a later one. */
import { lstatSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { isRunning, ownMark, readMark } from './process-facts.ts';

const OWNER_FILE = 'owner.json';
/** How old an unmarked folder must be to count as abandoned. */
const UNMARKED_MS = 3_600_000;

/** Marks the folder as this process's. Call it before changing the folder's owner. */
export function markTempFolder(dir: string): void {
  const file = path.join(dir, OWNER_FILE);
  rmSync(file, { force: true });
  // Never follows a link that an earlier owner may have placed there.
  writeFileSync(file, JSON.stringify(ownMark()), { mode: 0o600, flag: 'wx' });
}

/** Whether an error of the system, by its code, says that nothing can be written there. */
export function isUnwritable(code: string): boolean {
  return /^(?:EROFS|EACCES|EPERM|ENOENT|ENOTDIR)$/.test(code);
}

export interface TempFolders {
  readonly parent: string;
  readonly name: RegExp;
  /** A second user who may own the folders; those of any other user are left alone. */
  readonly otherOwner?: number | undefined;
  /** A final check before a folder is removed. */
  readonly isFree?: (dir: string) => boolean;
}

/** Removes the folders of processes that have ended. */
export function sweepTempFolders(folders: TempFolders): void {
  const { parent, name, isFree = () => true } = folders;
  const owners = [process.getuid?.() ?? 0, folders.otherOwner];
  for (const entry of readdirSync(parent)) {
    if (!name.test(entry)) continue;
    const dir = path.join(parent, entry);
    try {
      if (owners.includes(lstatSync(dir).uid) && isAbandoned(dir) && isFree(dir))
        rmSync(dir, { recursive: true, force: true });
    } catch {
      // Another process removed it first, or it is not ours.
    }
  }
}

function isAbandoned(dir: string): boolean {
  const owner = readMark(path.join(dir, OWNER_FILE));
  if (owner !== null) return !isRunning(owner);
  return Date.now() - lstatSync(dir).mtimeMs > UNMARKED_MS;
}
