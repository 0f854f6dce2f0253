/** Folders of the temp folder that belong to a process. What a killed one left is removed by a later one. */
import { lstatSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { isRunning, ownMark, readMark } from './process-facts.ts';

const OWNER_FILE = 'owner.json';
/** Nobody has said whose it is, and its maker had time to. */
const NAMELESS_MS = 3_600_000;

/** Says that the folder is this process's. Before the folder is given to another user. */
export function markTempFolder(dir: string): void {
  const file = path.join(dir, OWNER_FILE);
  rmSync(file, { force: true });
  // Never through a link that whoever had the folder has put there.
  writeFileSync(file, JSON.stringify(ownMark()), { mode: 0o600, flag: 'wx' });
}

export interface TempFolders {
  readonly parent: string;
  readonly name: RegExp;
  /** Whom they belong to besides this user: others may have put anything there. */
  readonly otherOwner?: number | undefined;
  /** Has the last word on a folder. */
  readonly isFree?: (dir: string) => boolean;
}

/** Removes the folders whose process is gone. */
export function sweepTempFolders(folders: TempFolders): void {
  const { parent, name, isFree = () => true } = folders;
  const owners = [process.getuid?.() ?? 0, folders.otherOwner];
  for (const entry of readdirSync(parent)) {
    if (!name.test(entry)) continue;
    const dir = path.join(parent, entry);
    try {
      if (owners.includes(lstatSync(dir).uid) && isLeftBehind(dir) && isFree(dir))
        rmSync(dir, { recursive: true, force: true });
    } catch {
      // Another start was faster, or it is not ours.
    }
  }
}

function isLeftBehind(dir: string): boolean {
  const owner = readMark(path.join(dir, OWNER_FILE));
  if (owner !== null) return !isRunning(owner);
  return Date.now() - lstatSync(dir).mtimeMs > NAMELESS_MS;
}
