import { readdir, readFile } from 'node:fs/promises';

/**
 * Processor time of the processes so far, all threads, in seconds; 0 where the system does not report it.
 * Source: /proc/<pid>/task/<thread>/schedstat, in nanoseconds.
 */
export async function cpuSeconds(pids: readonly number[]): Promise<number> {
  const each = await Promise.all(pids.map(cpuNanoseconds));
  return each.reduce((sum, nanoseconds) => sum + nanoseconds, 0) / 1e9;
}

async function cpuNanoseconds(pid: number): Promise<number> {
  const threads = await readdir(`/proc/${pid}/task`).catch(() => []);
  const texts = await Promise.all(
    threads.map((thread) =>
      readFile(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').catch(() => '0'),
    ),
  );
  return texts.reduce((sum, text) => sum + Number(text.split(' ')[0]), 0);
}
