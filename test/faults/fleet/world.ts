/** Three processes of the service behind haproxy, over a PostgreSQL, a ClickHouse and a Redis of their own. */
import { once } from 'node:events';
import { createServer } from 'node:net';
import path from 'node:path';
import {
  querydockJson,
  type Server,
  startServer,
  tempFolder,
} from '../../cli/support/processes.ts';
import { openLocalBackends } from '../../support/local-backends.ts';
import { openTestRedis, type TestRedis } from '../../support/redis.ts';
import { openRelay, type Relay } from '../../support/relay.ts';
import { type Balancer, openBalancer } from './balancer.ts';
import { endpoints, type LoadTarget, query } from './load.ts';

export interface FleetWorld {
  readonly target: LoadTarget;
  readonly processes: readonly FleetProcess[];
  readonly postgres: Relay;
  readonly redis: TestRedis;
  killEngine(): void;
  close(): Promise<void>;
}

export interface FleetProcess {
  end(signal: NodeJS.Signals): Promise<void>;
  start(): Promise<void>;
}

const size = 3;

export async function openFleetWorld(): Promise<FleetWorld> {
  const stack = new AsyncDisposableStack();
  const folder = await tempFolder();
  stack.defer(() => folder.remove());
  const dirOf = (name: string) => path.join(folder.dir, name);
  const { postgres: database, engine, env: found } = await openLocalBackends(folder.dir);
  stack.defer(() => database.stop());
  stack.defer(() => engine.stop());
  const postgres = await openRelay(database.databaseUrl);
  await postgres.listen();
  stack.defer(() => postgres.close());
  const redis = await openTestRedis();
  stack.defer(async () => {
    redis.thaw();
    await redis.kill();
  });
  const env = {
    ...found,
    DATABASE_URL: postgres.databaseUrl,
    REDIS_URL: redis.url,
    DRAIN_SECONDS: '3',
    MAX_ENGINE_QUERIES: '16',
    MAX_CONCURRENT_QUERIES: '16',
  };
  const ports = await freePorts(size + 1);
  const processes = ports
    .slice(1)
    .map((port, at) => openProcess({ ...env, PORT: String(port), DATA_DIR: dirOf(`data${at}`) }));
  for (const process of processes) {
    await process.start();
    stack.defer(() => process.end('SIGTERM'));
  }
  const [front = 0, ...targets] = ports;
  const balancer: Balancer = await openBalancer({ dir: folder.dir, port: front, targets });
  stack.defer(() => balancer.close());
  const target = {
    url: balancer.url,
    ...(await makeProject({ ...env, DATA_DIR: dirOf('data0') })),
  };
  await makeEndpoints(target);
  return {
    target,
    processes,
    postgres,
    redis,
    killEngine: () => void process.kill(engine.pid() ?? 0, 'SIGKILL'),
    close: () => stack.disposeAsync(),
  };
}

function openProcess(env: Readonly<Record<string, string>>): FleetProcess {
  let server: Server | null = null;
  return {
    async start() {
      server = await startServer('start', env);
    },
    async end(signal) {
      await server?.end(signal);
      server = null;
    },
  };
}

async function makeProject(env: Readonly<Record<string, string>>) {
  const { id } = await querydockJson<{ id: number }>(['project', 'create', 'fleet'], env);
  const words = ['key', 'create', '--project', String(id), '--scope', 'endpoint:write'];
  const { key } = await querydockJson<{ key: string }>(words, env);
  return { projectId: id, key };
}

async function makeEndpoints({ url, projectId, key }: LoadTarget): Promise<void> {
  for (const [name, cache_age_seconds] of Object.entries(endpoints)) {
    const { status } = await fetch(`${url}/api/projects/${projectId}/endpoints`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ name, query, cache_age_seconds }),
    });
    if (status !== 201) throw new Error(`${name} was not saved: ${status}`);
  }
}

/** All at once, so that they differ. */
async function freePorts(count: number): Promise<readonly number[]> {
  const servers = Array.from({ length: count }, () => createServer().listen(0, '127.0.0.1'));
  const ports: number[] = [];
  for (const server of servers) {
    if (!server.listening) await once(server, 'listening');
    const address = server.address();
    if (address === null || typeof address === 'string') throw new Error('no port');
    ports.push(address.port);
  }
  for (const server of servers) await once(server.close(), 'close');
  return ports;
}
