import { existsSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Creates a folder that only this user may read, and the missing ones above it. One at a time: Node's own `recursive`
 * never returns for a folder below /proc.
 *
 * @throws the system's error if one of them cannot be created.
 */
export function makePrivateFolder(dir: string): void {
  if (existsSync(dir)) return;
  const parent = dirname(dir);
  if (parent !== dir) makePrivateFolder(parent);
  try {
    mkdirSync(dir, { mode: 0o700 });
  } catch (error) {
    // Another process may have created it meanwhile.
    if (!existsSync(dir)) throw error;
  }
}
