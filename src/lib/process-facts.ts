/** Facts about processes from the system; null where it does not report them (no /proc). */
import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';

/** The kernel's unit of these times, the same on every Linux. */
const TICKS_PER_SECOND = 100;

/** The ids of all visible processes; empty where the system does not report them. */
export function processIds(): readonly number[] {
  if (!existsSync('/proc/self')) return [];
  return readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? [Number(name)] : []));
}

/** The ids of a process's threads; its own id where the system does not report them. */
export function threadsOf(pid: number): readonly number[] {
  try {
    return readdirSync(`/proc/${pid}/task`).map(Number);
  } catch {
    return [pid];
  }
}

/** From the third field of /proc/<pid>/stat on; the second, the name, may contain anything. */
function statFields(pid: number): readonly string[] | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  } catch {
    return null;
  }
}

/** Processor seconds that a process has used; null also when it is gone. */
export function cpuSecondsOf(pid: number | null): number | null {
  const fields = pid === null ? null : statFields(pid);
  if (fields === null) return null;
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}

/** The name of the program that a process runs; null also when it is gone. */
export function nameOf(pid: number): string | null {
  try {
    return readFileSync(`/proc/${pid}/comm`, 'utf8').trim();
  } catch {
    return null;
  }
}

/** The working folder of a process; null also when this user may not see it. */
export function folderOf(pid: number): string | null {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    return null;
  }
}

/** The user of a process; null also when it is gone. */
export function userOf(pid: number): number | null {
  try {
    const found = /^Uid:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
    return found === undefined ? null : Number(found);
  } catch {
    return null;
  }
}

/** Identifies one process, even if its id is reused later. */
export interface ProcessMark {
  readonly pid: number;
  /** Start time in the system's format; null where it does not report one. */
  readonly began: string | null;
  readonly command: string;
}

const markShape = z.object({ pid: z.int(), began: z.string().nullable(), command: z.string() });

const MAX_COMMAND = 200;

export function ownMark(): ProcessMark {
  const [, script = '', ...args] = process.argv;
  const command = [path.basename(script), ...args].join(' ').slice(0, MAX_COMMAND);
  return { pid: process.pid, began: beganAt(process.pid), command };
}

export function markOf(pid: number, command: string): ProcessMark {
  return { pid, began: beganAt(pid), command };
}

/** Null for a missing or incomplete file. */
export function readMark(file: string): ProcessMark | null {
  try {
    return parseMark(JSON.parse(readFileSync(file, 'utf8')));
  } catch {
    return null;
  }
}

export function parseMark(value: unknown): ProcessMark | null {
  return markShape.safeParse(value).data ?? null;
}

/**
 * Whether the marked process is still running. A zombie counts as ended; a process in another container of this
 * machine, which is invisible here, counts as running.
 */
export function isRunning({ pid, began }: ProcessMark): boolean {
  const here = processNamespace();
  if (here !== null && began !== null) {
    const [boot, container] = began.split(' ');
    if (boot === here.boot && container !== here.container) return true;
    return statFields(pid)?.[0] !== 'Z' && beganAt(pid) === began;
  }
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

/** The boot, the PID namespace and the start time within them. */
function beganAt(pid: number): string | null {
  const fields = statFields(pid);
  const here = processNamespace();
  return fields === null || here === null ? null : `${here.boot} ${here.container} ${fields[19]}`;
}

/** The boot and the PID namespace in which this process's ids are valid. */
function processNamespace(): { readonly boot: string; readonly container: string } | null {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    return { boot, container: readlinkSync('/proc/self/ns/pid') };
  } catch {
    return null;
  }
}
