/** Which core a process runs on. Where the system has no taskset, the figures are as good as the machine is quiet. */
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

/** Any core again, for what this process starts next. */
export function unpin(pid: number): void {
  taskset(`0-${cores - 1}`, pid);
}

function taskset(list: string, pid: number): void {
  spawnSync('taskset', ['-acp', list, String(pid)], { stdio: 'ignore' });
}

/** The processes that this one started, and those that they did. */
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
