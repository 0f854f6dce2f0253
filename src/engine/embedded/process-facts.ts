import { readFileSync } from 'node:fs';

/** The kernel's unit of these times, the same on every Linux. */
const TICKS_PER_SECOND = 100;

/** Seconds of processor time that a process has used; null when it is gone or the system does not tell. */
export function cpuSecondsOf(pid: number | null): number | null {
  if (pid === null) return null;
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // What follows the name, which may hold anything: the third field of the file is the first of these.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
  } catch {
    return null;
  }
}
