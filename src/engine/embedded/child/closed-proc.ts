/**
 * An almost empty /proc. Landlock does not stop a process from reopening its own pipes by their descriptors, which
 * makes their reader hang. Needs the right to mount, which root has outside of most containers.
 */
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Native } from './native.ts';

const NEW_MOUNTS = 0x20000;
const BIND = 4096;
const MOVE = 8192;
const RECURSIVE = 16_384;
const PRIVATE = 1 << 18;

/** Files that the engine reads to measure its own memory use. */
export const procFiles = ['self/statm', 'self/cgroup', 'meminfo'] as const;

/**
 * Replaces /proc for this thread and whatever it executes, in its own mount namespace. False where that is not allowed.
 *
 * @param emptyFolder the new /proc is assembled there.
 */
export function closeProc(native: Native, emptyFolder: string): boolean {
  if (native.unshare(NEW_MOUNTS) < 0) return false;
  if (!native.mount('none', '/', RECURSIVE | PRIVATE)) return false;
  if (!native.mount('tmpfs', emptyFolder, 0, 'tmpfs')) return false;
  for (const name of procFiles) {
    const file = join(emptyFolder, name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, '');
    if (!native.mount(join('/proc', name), file, BIND)) return false;
  }
  symlinkSync(process.execPath, join(emptyFolder, 'self', 'exe'));
  return native.mount(emptyFolder, '/proc', MOVE);
}
