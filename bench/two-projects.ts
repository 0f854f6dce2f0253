import { execFile } from 'node:child_process';
import http from 'node:http';
import { promisify } from 'node:util';
import { type DemoServer, mainFile, withDemo } from './demo-server.ts';

/** A service with two projects that each have a table of rows, called over sockets. */
export interface TwoProjects {
  readonly heavy: Caller;
  readonly light: Caller;
}

export interface Caller {
  save(name: string, query: string): Promise<void>;
  /** One uncached run; returns its status and how long it took. */
  run(name: string, variables: object): Promise<RunOutcome>;
}

export interface RunOutcome {
  readonly status: number;
  readonly ms: number;
  readonly retryAfter: string | undefined;
}

const rows = 1_000_000;

export function withTwoProjects<T>(work: (projects: TwoProjects) => Promise<T>): Promise<T> {
  return withDemo(async (demo) => {
    const agent = new http.Agent({ keepAlive: true });
    const querydock = openCommandLine(demo.dataDir);
    const { id } = await querydock<{ id: number }>('project', 'create', 'light');
    const scope = ['--scope', 'endpoint:write', '--project', String(id)];
    const { key } = await querydock<{ key: string }>('key', 'create', ...scope);
    for (const project of [demo.projectId, id]) await fill(demo, project);
    const caller = (project: number, apiKey: string) =>
      openCaller({ agent, apiKey, base: `${demo.url}/api/projects/${project}/endpoints` });
    try {
      return await work({
        heavy: caller(demo.projectId, demo.apiKey),
        light: caller(id, key),
      });
    } finally {
      agent.destroy();
    }
  });
}

function openCommandLine(dir: string) {
  return async <T>(...args: readonly string[]): Promise<T> => {
    const call = [mainFile, ...args, '--json'];
    const options = { env: { ...process.env, DATA_DIR: dir } };
    const { stdout } = await promisify(execFile)(process.execPath, call, options);
    return JSON.parse(stdout) as T;
  };
}

async function fill(demo: DemoServer, project: number): Promise<void> {
  for (const statement of [
    'CREATE TABLE events (id UInt64, kind UInt8, amount UInt32) ENGINE = MergeTree ORDER BY id',
    `INSERT INTO events SELECT number, number % 50, number % 1000 FROM numbers(${rows})`,
  ])
    await demo.sql(statement, project);
}

function openCaller(given: {
  readonly agent: http.Agent;
  readonly apiKey: string;
  readonly base: string;
}): Caller {
  const ask = (target: string, body: object): Promise<RunOutcome & { readonly text: string }> =>
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
