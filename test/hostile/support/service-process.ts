/** Starts the attacked service as a process of its own and asks it for its memory. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { settings } from '../../../src/config/config.ts';
import type { Memory, Opened } from './hostile-service.ts';
import type { Saved } from './saved-endpoints.ts';
import { openWorld, overSocket, saveEndpoints, type World } from './world.ts';

export interface ServiceProcess {
  readonly world: World;
  /** What it keeps when nothing is going on. */
  memory(): Promise<Memory>;
  /** Lines of its log that tell of a fault of its own: level error and worse. */
  faults(): readonly string[];
  isAlive(): boolean;
  stop(): Promise<void>;
}

export async function startServiceProcess(
  env: Readonly<Record<string, string>> = {},
  more: readonly Saved[] = [],
): Promise<ServiceProcess> {
  const dir = await mkdtemp(path.join(os.tmpdir(), 'querydock-hostile-'));
  const child = spawn(
    process.execPath,
    ['--expose-gc', path.join(import.meta.dirname, 'hostile-service.ts')],
    {
      env: cleanEnv({
        DATA_DIR: dir,
        PORT: '0',
        LOG_LEVEL: 'warn',
        AUTH_FAILURES_PER_ADDRESS: '1000000',
        ...env,
      }),
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    },
  );
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => {
      output = (output + text).slice(-5_000_000);
    });
  }
  const opened = await firstMessage(child, () => output);
  const world = openWorld(opened, overSocket(opened.port));
  await saveEndpoints(world, more);
  return {
    world,
    memory: () => askMemory(child),
    faults: () => output.split('\n').filter(isFault),
    isAlive: () => child.exitCode === null && child.signalCode === null,
    async stop() {
      if (child.connected) child.disconnect();
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
      await rm(dir, { recursive: true, force: true });
    },
  };
}

/** Without whatever settings the test run itself has. */
function cleanEnv(own: Readonly<Record<string, string>>): NodeJS.ProcessEnv {
  const names = new Set(Object.values(settings).map((setting) => setting.env));
  const rest = Object.entries(process.env).filter(([name]) => !names.has(name));
  return { ...Object.fromEntries(rest), ...own };
}

async function firstMessage(child: ChildProcess, output: () => string): Promise<Opened> {
  const ended = once(child, 'exit').then(() => {
    throw new Error(`the service ended before it was ready: ${output()}`);
  });
  const [opened] = (await Promise.race([once(child, 'message'), ended])) as [Opened];
  ended.catch(() => undefined);
  return opened;
}

/** A second time after a moment, since what was freed is not given back at once. */
async function askMemory(child: ChildProcess): Promise<Memory> {
  child.send('memory');
  await once(child, 'message');
  child.send('memory');
  const [memory] = (await once(child, 'message')) as [Memory];
  return memory;
}

/** What is no log line is a word of the runtime: a crash, or a warning of a leak. */
function isFault(line: string): boolean {
  if (line.trim() === '') return false;
  try {
    return (JSON.parse(line) as { level: unknown }).level !== 'warn' && !isBelowError(line);
  } catch {
    return true;
  }
}

function isBelowError(line: string): boolean {
  const { level } = JSON.parse(line) as { level: unknown };
  return typeof level === 'number' ? level < 50 : !['error', 'fatal'].includes(String(level));
}
