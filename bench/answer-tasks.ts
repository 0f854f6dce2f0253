/** In the process of a demo server: answers the tasks of tasks.ts, which come as a signal and a file. */
import { subscribe } from 'node:diagnostics_channel';
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import type { Server } from 'node:http';

export function answerTasks<Task>(measure: (server: Server, task: Task) => Promise<unknown>): void {
  const file = process.env.BENCH_TASK ?? '';
  let server: Server | undefined;
  // The first one is the service's own; a measurement may open others.
  subscribe('http.server.request.start', (message: unknown) => {
    server ??= (message as { readonly server: Server }).server;
  });
  process.on('SIGUSR2', async () => {
    if (server === undefined) throw new Error('no request has come yet');
    const result = await measure(server, JSON.parse(readFileSync(file, 'utf8')) as Task);
    writeFileSync(`${file}.draft`, JSON.stringify(result));
    renameSync(`${file}.draft`, `${file}.result`);
  });
}
