/** Process lifecycle: opens the backends and the service, announces its URL, and stops everything on a signal. */
import { createServer } from 'node:net';
import { resolve } from 'node:path';
import { type App, openApp } from '../app.ts';
import { type Backends, openBackends } from '../backends.ts';
import { type Config, ConfigError } from '../config/config.ts';
import { openPersistedDocuments } from '../graphql/persisted-documents.ts';
import type { Log } from '../lib/log.ts';
import type { StartProgress } from '../lib/progress.ts';
import { lockDataFolder } from '../store/data-folder.ts';
import { demoFilePath, readDemoFile, writeDemoFile } from './demo/demo-file.ts';
import { graphiqlExamples } from './demo/graphiql-examples.ts';
import { type Demo, setUpDemo } from './demo/set-up-demo.ts';
import { readyBlock } from './ready-block.ts';
import { removeServerFile, writeServerFile } from './server-file.ts';
import { openStopSignal } from './stop-signal.ts';

export interface ServeOptions {
  readonly config: Config;
  readonly log: Log;
  /** Whether the service sets up demo data, endpoints and a key. */
  readonly demo: boolean;
  /** Output for people. */
  readonly print: (text: string) => void;
  readonly startProgress: StartProgress;
}

/**
 * Resolves when the service has stopped: after a first SIGINT or SIGTERM it finishes requests in flight within the
 * configured time. Throws startup errors; nothing is left running then.
 */
export async function serve(options: ServeOptions): Promise<void> {
  const stop = openStopSignal();
  await using undo = new AsyncDisposableStack();
  undo.defer(() => stop.release());
  try {
    await open(options, stop.signal, undo);
  } catch (error) {
    if (stop.signal.aborted) return;
    throw error;
  }
  await stop.requested;
  options.log.info('stopping');
}

async function open(
  options: ServeOptions,
  signal: AbortSignal,
  undo: AsyncDisposableStack,
): Promise<void> {
  const { config, log } = options;
  openPersistedDocuments(config);
  await requireFolderAndPort(config);
  const backends = await openBackends(config, log);
  undo.defer(() => backends.stop());
  removeServerFile(config.dataDir);
  signal.throwIfAborted();
  let demo: Demo | null = null;
  const app = await openApp({
    config,
    log,
    backends,
    ...(options.demo ? { examples: graphiqlExamples } : {}),
    demoKey: () => demo?.apiKey ?? null,
  });
  undo.defer(() => app.stop());
  if (options.demo) {
    const previousKey = readDemoFile(config.dataDir)?.api_key ?? null;
    const { startProgress } = options;
    const connection = backends.engineConnection;
    const { nodes } = backends.local;
    const demoDeps = { core: app.core, connection, nodes, previousKey, startProgress, signal };
    demo = await setUpDemo(demoDeps);
  }
  signal.throwIfAborted();
  await app.start();
  undo.defer(() => removeServerFile(config.dataDir));
  announce(options, { app, backends, demo });
}

/** Announces to commands, scripts and people, in this order, that the service is ready. */
function announce(
  { config, log, print }: ServeOptions,
  service: { readonly app: App; readonly backends: Backends; readonly demo: Demo | null },
): void {
  const { app, backends, demo } = service;
  const url = app.publicUrl();
  writeServerFacts({ config, log, backends, url });
  if (demo !== null) {
    writeDemoFile(config.dataDir, {
      url,
      graphql_url: `${url}/graphql`,
      project_id: demo.projectId,
      api_key: demo.apiKey,
    });
  }
  const seconds = performance.now() / 1000;
  const file = resolve(demoFilePath(config.dataDir));
  log.info({ url, seconds }, 'ready');
  const nodes = backends.local.nodes?.connections.length ?? null;
  print(readyBlock({ url, seconds, nodes, demo: demo === null ? null : { ...demo, file } }));
}

/** For commands. A service without local backends needs no folder, so failing to write there is not an error then. */
function writeServerFacts(server: {
  readonly config: Config;
  readonly log: Log;
  readonly backends: Backends;
  readonly url: string;
}): void {
  const { config, log, backends, url } = server;
  const { url: engineUrl, nodes, cluster, admin } = backends.engineConnection;
  const { databaseUrl, engineSecret } = backends.local;
  const holdsDataFolder = databaseUrl !== null || engineSecret !== null;
  try {
    writeServerFile(config.dataDir, {
      pid: process.pid,
      url,
      holds_data_folder: holdsDataFolder,
      database_url: databaseUrl ?? config.databaseUrl,
      engine: {
        url: engineUrl,
        ...(nodes === undefined ? {} : { nodes: [...nodes] }),
        ...(cluster === undefined ? {} : { cluster }),
        ...admin,
        secret: engineSecret ?? (config.clickhouseUserSecret || admin.password),
        local: engineSecret !== null,
      },
    });
  } catch (error) {
    if (holdsDataFolder) throw error;
    log.warn(
      { err: error },
      'DATA_DIR is not writable; commands need DATABASE_URL and CLICKHOUSE_URL to find this server',
    );
  }
  process.once('exit', () => removeServerFile(config.dataDir));
}

function unknownHost(host: string): ConfigError {
  return new ConfigError(
    `HOST=${host} is not an address, and no name that this machine knows. Accepted: address. Default: 127.0.0.1.`,
  );
}

/** Throws for a folder or port in use and for an unknown host, before anything is started. */
async function requireFolderAndPort({ dataDir, databaseUrl, clickhouseUrl, host, port }: Config) {
  if (databaseUrl === '' || clickhouseUrl === '') lockDataFolder(dataDir).release();
  await new Promise<void>((free, refuse) => {
    const probe = createServer();
    probe.once('error', (error: NodeJS.ErrnoException) =>
      refuse(error.syscall === 'getaddrinfo' ? unknownHost(host) : error),
    );
    probe.listen(port, host, () => probe.close(() => free()));
  });
}
