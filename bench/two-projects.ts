import { execFile } from 'node:child_process';
import { mkdtemp, readFile } from 'node:fs/promises';
import http from 'node:http';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { removeFolder, startDemo } from './demo-server.ts';

/** A service with two projects that each have a table of rows, and callers who ask over sockets. */
export interface TwoProjects {
  readonly heavy: Caller;
  readonly light: Caller;
  close(): Promise<void>;
}

export interface Caller {
  save(name: string, query: string): Promise<void>;
  /** One run past the cache; answers its status and how long it took. */
  run(name: string, variables: object): Promise<Answered>;
}

export interface Answered {
  readonly status: number;
  readonly ms: number;
  readonly retryAfter: string | undefined;
}

const rows = 1_000_000;

export async function openTwoProjects(): Promise<TwoProjects> {
  const dir = await mkdtemp(path.join(os.tmpdir(), 'querydock-bench-'));
  const demo = await startDemo(dir);
  const agent = new http.Agent({ keepAlive: true });
  const querydock = openCommandLine(dir);
  const { id } = await querydock<{ id: number }>('project', 'create', 'light');
  const scope = ['--scope', 'endpoint:write', '--project', String(id)];
  const { key } = await querydock<{ key: string }>('key', 'create', ...scope);
  for (const project of [demo.projectId, id]) await fill(dir, project);
  const caller = (project: number, apiKey: string) =>
    openCaller({ agent, apiKey, base: `${demo.url}/api/projects/${project}/endpoints` });
  return {
    heavy: caller(demo.projectId, demo.apiKey),
    light: caller(id, key),
    async close() {
      agent.destroy();
      await demo.stop();
      await removeFolder(dir);
    },
  };
}

function openCommandLine(dir: string) {
  const main = path.resolve(import.meta.dirname, '../src/cli/main.ts');
  return async <T>(...args: readonly string[]): Promise<T> => {
    const call = [main, ...args, '--json'];
    const options = { env: { ...process.env, DATA_DIR: dir } };
    const { stdout } = await promisify(execFile)(process.execPath, call, options);
    return JSON.parse(stdout) as T;
  };
}

async function fill(dir: string, project: number): Promise<void> {
  const { engine } = JSON.parse(await readFile(path.join(dir, 'server.json'), 'utf8')) as {
    readonly engine: { readonly url: string; readonly user: string; readonly password: string };
  };
  for (const statement of [
    'CREATE TABLE events (id UInt64, kind UInt8, amount UInt32) ENGINE = MergeTree ORDER BY id',
    `INSERT INTO events SELECT number, number % 50, number % 1000 FROM numbers(${rows})`,
  ]) {
    const answer = await fetch(`${engine.url}/?database=project_${project}`, {
      method: 'POST',
      body: statement,
      headers: { 'x-clickhouse-user': engine.user, 'x-clickhouse-key': engine.password },
    });
    if (!answer.ok) throw new Error(await answer.text());
  }
}

function openCaller(given: {
  readonly agent: http.Agent;
  readonly apiKey: string;
  readonly base: string;
}): Caller {
  const ask = (target: string, body: object): Promise<Answered & { readonly text: string }> =>
    new Promise((resolve, reject) => {
      const at = performance.now();
      const headers = {
        authorization: `Bearer ${given.apiKey}`,
        'content-type': 'application/json',
      };
      const options = { method: 'POST', headers, agent: given.agent };
      const request = http.request(given.base + target, options, (response) => {
        let text = '';
        response.setEncoding('utf8');
        response.on('data', (chunk) => {
          text += chunk;
        });
        response.on('end', () => {
          const status = response.statusCode ?? 0;
          const retryAfter = response.headers['retry-after'];
          resolve({ status, text, retryAfter, ms: performance.now() - at });
        });
      });
      request.on('error', reject);
      request.end(JSON.stringify(body));
    });
  return {
    async save(name, query) {
      const { status, text } = await ask('', { name, query });
      if (status !== 201) throw new Error(text);
    },
    run: (name, variables) => ask(`/${name}/run`, { variables, refresh: 'force' }),
  };
}
