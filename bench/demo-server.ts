import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

export interface DemoServer {
  readonly url: string;
  readonly projectId: number;
  readonly apiKey: string;
  /** Seconds from the start of the process to a written demo.json. */
  readonly readySeconds: number;
  stop(): Promise<void>;
}

const main = path.resolve(import.meta.dirname, '../src/cli/main.ts');
const pollMs = 10;

/** `npm start` without npm, on a free port and a data folder of its own. */
export async function startDemo(dataDir: string): Promise<DemoServer> {
  const file = path.join(dataDir, 'demo.json');
  const before = await modifiedAt(file);
  const startedAt = performance.now();
  const child = spawn(process.execPath, [main, 'demo'], {
    env: { ...process.env, DATA_DIR: dataDir, PORT: '0', LOG_LEVEL: 'warn' },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  while ((await modifiedAt(file)) === before) {
    if (child.exitCode !== null) throw new Error('the demo did not start');
    await delay(pollMs);
  }
  const readySeconds = (performance.now() - startedAt) / 1000;
  const demo = JSON.parse(await readFile(file, 'utf8')) as {
    url: string;
    project_id: number;
    api_key: string;
  };
  return {
    url: demo.url,
    projectId: demo.project_id,
    apiKey: demo.api_key,
    readySeconds,
    async stop() {
      const exited = once(child, 'exit');
      child.kill('SIGINT');
      await exited;
    },
  };
}

export async function removeFolder(dir: string): Promise<void> {
  await rm(dir, { recursive: true, force: true });
}

async function modifiedAt(file: string): Promise<number> {
  return stat(file).then(
    (found) => found.mtimeMs,
    () => 0,
  );
}
