/** Pins processes to cores. Without taskset the figures depend on how quiet the machine is. */
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import os from 'node:os';

const cores = os.cpus().length;

/** Servers under test have the first core, the load generator the second. */
export const serverCore = 0;
export const generatorCore = 1;

/** The process and its threads. */
export function pin(pid: number, core: number): void {
  if (cores > 1) taskset(String(core), pid);
}

/** Removes the pinning for processes started next. */
export function unpin(pid: number): void {
  taskset(`0-${cores - 1}`, pid);
}

function taskset(list: string, pid: number): void {
  spawnSync('taskset', ['-acp', list, String(pid)], { stdio: 'ignore' });
}

/** All descendants of this process. */
export function childrenOf(pid: number): readonly number[] {
  const all = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  const own = all.filter((name) => parentOf(name) === pid).map(Number);
  return own.flatMap((child) => [child, ...childrenOf(child)]);
}

function parentOf(pid: string): number | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
  } catch {
    return null;
  }
}
