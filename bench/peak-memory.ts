/** Resident memory of a process. Source: /proc/<pid>/status, in kB; its peak can be reset (Linux). */
import { readFile, writeFile } from 'node:fs/promises';

/** Resets the peak. False where the system does not allow it: then it is the peak since the start. */
export async function resetPeak(pid: number): Promise<boolean> {
  return writeFile(`/proc/${pid}/clear_refs`, '5').then(
    () => true,
    () => false,
  );
}

/** The process's current and peak memory. */
export async function memoryOf(
  pid: number,
): Promise<{ readonly now: number; readonly peak: number }> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  const mb = (name: string) =>
    Number(new RegExp(`^${name}:\\s*(\\d+) kB`, 'm').exec(status)?.[1]) / 1024;
  return { now: mb('VmRSS'), peak: mb('VmHWM') };
}
