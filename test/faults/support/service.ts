/** The service as a process of its own, from the sources, with its settings and a project. */
import { rm } from 'node:fs/promises';
import path from 'node:path';
import {
  querydockJson,
  root,
  type Server,
  startServer,
  tempFolder,
} from '../../cli/support/processes.ts';
import { prepareLoad, type Target } from './load.ts';

export interface Service {
  readonly target: Target;
  readonly server: () => Server;
  readonly env: Settings;
  /** Starts it again after it was killed; the address may be another one. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

export type Settings = Readonly<Record<string, string>>;

export interface Place {
  /** For its data; one of its own when absent. */
  readonly dir?: string;
  /** Loaded before it. */
  readonly preload?: string;
}

export async function openService(
  settings: Settings = {},
  { dir, preload }: Place = {},
): Promise<Service> {
  const folder = dir === undefined ? await tempFolder() : null;
  const dataDir = path.join(dir ?? folder?.dir ?? '', 'data');
  const env = { DATA_DIR: dataDir, SHUTDOWN_SECONDS: '2', ...settings };
  const before = preload === undefined ? [] : ['--import', preload];
  const command = [process.execPath, ...before, path.join(root, 'src/main.ts')];
  let server = await startServer('start', env, command);
  const target: Target = { url: server.url, ...(await makeProject(env)) };
  await prepareLoad(target);
  return {
    target,
    server: () => server,
    env,
    async restart() {
      server = await startServer('start', env, command);
      target.url = server.url;
    },
    async stop() {
      await server.end('SIGTERM');
      if (folder !== null) await rm(folder.dir, { recursive: true, force: true });
    },
  };
}

async function makeProject(env: Settings): Promise<Omit<Target, 'url'>> {
  const { id } = await querydockJson<{ id: number }>(['project', 'create', 'faults'], env);
  const words = ['key', 'create', '--project', String(id), '--scope', 'endpoint:write'];
  const { key } = await querydockJson<{ key: string }>(words, env);
  return { projectId: id, key };
}
