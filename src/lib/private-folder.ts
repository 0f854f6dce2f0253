import { mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Creates a folder that only this user may read, and the missing ones above it. One at a time: Node's own `recursive`
 * never returns for a folder below /proc.
 *
 * @throws the system's error if one of them cannot be created, also where a file has its name.
 */
export function makePrivateFolder(dir: string): void {
  if (isFolder(dir)) return;
  const parent = dirname(dir);
  if (parent !== dir) makePrivateFolder(parent);
  try {
    mkdirSync(dir, { mode: 0o700 });
  } catch (error) {
    // Another process may have created it meanwhile.
    if (!isFolder(dir)) throw error;
  }
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}
