import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, open, readFile, rm, stat } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import manifest from '../package.json' with { type: 'json' };
import { readServerFile, type ServerFile } from '../src/cli/server-file.ts';
import type { ChildServer, Environment } from './child-server.ts';

export interface DemoServer {
  readonly url: string;
  readonly projectId: number;
  readonly apiKey: string;
  readonly dataDir: string;
  /** Its process, its engine and its metadata database. */
  readonly server: ServerFile;
  readonly endpointsUrl: string;
  /** For a request with a JSON body. */
  readonly headers: Readonly<Record<string, string>>;
  /** Seconds from the start of the process to a written demo.json. */
  readonly readySeconds: number;
  /**
   * Runs a statement as the engine's admin user in a project's database, by default the demo's.
   *
   * @param address of a node other than the first.
   */
  sql(statement: string, project?: number, address?: string): Promise<string>;
  /** Calls a path below the project's endpoints; throws on an error status. */
  rest(method: string, path: string, body?: unknown): Promise<Record<string, unknown>>;
  stop(): Promise<void>;
}

/** The Node options of `npm run querydock`. */
const serviceFlags = manifest.scripts.querydock.split(' ').filter((word) => word.startsWith('--'));
export const mainFile = path.resolve(import.meta.dirname, '../src/main.ts');
const pollMs = 10;

type Work<T> = (demo: DemoServer) => Promise<T>;

/** Measures in a demo that is removed afterwards. */
export function withDemo<T>(work: Work<T>): Promise<T> {
  return withFolder((dir) => inFolder(dir, work));
}

/** The same in a restarted process that only found the demo's data and has done nothing else yet. */
export function withLaterDemo<T>(work: Work<T>): Promise<T> {
  return withFolder(async (dir) => {
    await inFolder(dir, async () => undefined);
    return inFolder(dir, work);
  });
}

async function inFolder<T>(dir: string, work: Work<T>): Promise<T> {
  const demo = await startDemo(dir);
  try {
    return await work(demo);
  } finally {
    await demo.stop();
  }
}

export async function withFolder<T>(work: (dir: string) => Promise<T>): Promise<T> {
  const dir = await mkdtemp(path.join(os.tmpdir(), 'querydock-bench-'));
  try {
    return await work(dir);
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

/** `npm start` without npm, on a free port, with its own data folder and its log in a file there. */
export async function startDemo(dataDir: string, env: Environment = {}): Promise<DemoServer> {
  const file = path.join(dataDir, 'demo.json');
  const before = await modifiedAt(file);
  const startedAt = performance.now();
  const child = await spawnService('demo', dataDir, env);
  while ((await modifiedAt(file)) === before) await child.wait();
  const readySeconds = (performance.now() - startedAt) / 1000;
  const server = readServerFile(dataDir);
  if (server === null) throw new Error('the demo did not write how to reach it');
  const demo = JSON.parse(await readFile(file, 'utf8')) as DemoFile;
  return {
    ...openCalls(demo, server),
    dataDir,
    readySeconds,
    stop: () => child.stop(),
  };
}

/** A second service on a demo's metadata database and engine. Its own folder is removed when it stops. */
export async function startBeside({ server }: DemoServer): Promise<ChildServer> {
  const dataDir = await mkdtemp(path.join(os.tmpdir(), 'querydock-bench-'));
  const { url, user, password, secret } = server.engine;
  const engine = new URL(url);
  Object.assign(engine, { username: user, password });
  const env = {
    DATABASE_URL: server.database_url,
    CLICKHOUSE_URL: engine.href,
    CLICKHOUSE_USER_SECRET: secret,
  };
  const child = await spawnService('start', dataDir, env);
  while (readServerFile(dataDir) === null) await child.wait();
  const own = readServerFile(dataDir);
  return {
    url: own?.url ?? '',
    pid: own?.pid ?? 0,
    async stop() {
      await child.stop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

interface SpawnedService {
  /** Waits a moment; throws when the process has ended. */
  wait(): Promise<void>;
  stop(): Promise<void>;
}

/** Its log is in its folder. */
async function spawnService(
  command: 'demo' | 'start',
  dataDir: string,
  env: Environment,
): Promise<SpawnedService> {
  const logFile = path.join(dataDir, 'bench.log');
  const log = await open(logFile, 'a');
  const child = spawn(process.execPath, [...serviceFlags, mainFile, command], {
    env: { ...process.env, DATA_DIR: dataDir, PORT: '0', ...env },
    stdio: ['ignore', 'ignore', log.fd],
  });
  await log.close();
  return {
    async wait() {
      if (child.exitCode !== null)
        throw new Error(`the service did not start: ${await readFile(logFile, 'utf8')}`);
      await delay(pollMs);
    },
    async stop() {
      const exited = once(child, 'exit');
      child.kill('SIGINT');
      await exited;
    },
  };
}

interface DemoFile {
  readonly url: string;
  readonly project_id: number;
  readonly api_key: string;
}

function openCalls(
  { url, project_id: projectId, api_key: apiKey }: DemoFile,
  server: ServerFile,
): Omit<DemoServer, 'dataDir' | 'readySeconds' | 'stop'> {
  const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' };
  const endpointsUrl = `${url}/api/projects/${projectId}/endpoints`;
  return {
    url,
    projectId,
    apiKey,
    server,
    endpointsUrl,
    headers,
    async sql(statement, project = projectId, address = server.engine.url) {
      const { user, password } = server.engine;
      const response = await fetch(`${address}/?database=project_${project}`, {
        method: 'POST',
        body: statement,
        headers: { 'x-clickhouse-user': user, 'x-clickhouse-key': password },
      });
      const text = await response.text();
      if (!response.ok) throw new Error(text);
      return text;
    },
    async rest(method, tail, body) {
      const response = await fetch(endpointsUrl + tail, {
        method,
        headers,
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const json = (await response.json()) as Record<string, unknown>;
      if (!response.ok) throw new Error(`${tail}: ${JSON.stringify(json)}`);
      return json;
    },
  };
}

async function modifiedAt(file: string): Promise<number> {
  return stat(file).then(
    (found) => found.mtimeMs,
    () => 0,
  );
}
