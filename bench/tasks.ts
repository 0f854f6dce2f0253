/** A demo server that measures itself: a hook in its process takes tasks and answers them (answer-tasks.ts). */
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type DemoServer, withDemo, withFolder } from './demo-server.ts';

export interface MeasuringDemo<Task, Result> {
  readonly demo: DemoServer;
  /** One at a time. */
  run(task: Task): Promise<Result>;
}

/** @param hook the file in this folder that the server's process loads. */
export async function withMeasuringDemo<Task, Result, T>(
  hook: string,
  use: (measuring: MeasuringDemo<Task, Result>) => Promise<T>,
): Promise<T> {
  const given = process.env.NODE_OPTIONS ?? '';
  return withFolder(async (dir) => {
    const file = path.join(dir, 'task');
    process.env.NODE_OPTIONS = `${given} --import ${path.join(import.meta.dirname, hook)}`.trim();
    process.env.BENCH_TASK = file;
    try {
      return await withDemo((demo) => use({ demo, run: (task) => runTask(demo, file, task) }));
    } finally {
      process.env.NODE_OPTIONS = given;
    }
  });
}

async function runTask<Task, Result>(demo: DemoServer, file: string, task: Task): Promise<Result> {
  writeFileSync(file, JSON.stringify(task));
  process.kill(demo.server.pid, 'SIGUSR2');
  const result = `${file}.result`;
  while (!existsSync(result)) await delay(5);
  const found = JSON.parse(readFileSync(result, 'utf8')) as Result;
  rmSync(result);
  return found;
}
