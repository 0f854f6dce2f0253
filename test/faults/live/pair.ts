/** Two processes of the service on one metadata database and one engine, either of which may end and come back. */
import path from 'node:path';
import {
  type Env,
  querydockJson,
  type Server,
  startServer,
  tempFolder,
} from '../../cli/support/processes.ts';
import { openLocalBackends } from '../../support/local-backends.ts';

export interface Pair {
  readonly projectId: number;
  /** Of scopes that write, load and run. */
  readonly key: string;
  /** Of one of both, 0 or 1; that of a process that has ended until it is started again. */
  url(at: number): string;
  end(at: number, signal: NodeJS.Signals): Promise<void>;
  restart(at: number): Promise<void>;
  close(): Promise<void>;
}

export async function openPair(): Promise<Pair> {
  const backends = await openBackends();
  const { id } = await querydockJson<{ id: number }>(
    ['project', 'create', 'live'],
    envOf(backends, 0),
  );
  const words = ['key', 'create', '--project', String(id)];
  for (const scope of ['endpoint:write', 'data:write']) words.push('--scope', scope);
  const { key } = await querydockJson<{ key: string }>(words, envOf(backends, 0));
  const start = (at: number) => startServer('start', envOf(backends, at));
  const servers: Server[] = [await start(0), await start(1)];
  const serverAt = (at: number): Server => {
    const server = servers[at];
    if (server === undefined) throw new Error(`there is no process ${at}`);
    return server;
  };
  return {
    projectId: id,
    key,
    url: (at) => serverAt(at).url,
    async end(at, signal) {
      await serverAt(at).end(signal);
    },
    async restart(at) {
      servers[at] = await start(at);
    },
    async close() {
      for (const server of servers) await server.end('SIGTERM');
      await backends.close();
    },
  };
}

interface Backends {
  readonly dir: string;
  readonly env: Env;
  close(): Promise<void>;
}

async function openBackends(): Promise<Backends> {
  const folder = await tempFolder();
  const { postgres, engine, env } = await openLocalBackends(folder.dir);
  return {
    dir: folder.dir,
    env: {
      ...env,
      SHUTDOWN_SECONDS: '2',
      // A reader that reconnects many times a minute is what is tried, not the limits.
      LIVE_RECONNECT_SPREAD_SECONDS: '1',
    },
    async close() {
      await engine.stop();
      await postgres.stop();
      await folder.remove();
    },
  };
}

function envOf({ dir, env }: Backends, at: number): Env {
  return { ...env, DATA_DIR: path.join(dir, `data-${at}`) };
}
