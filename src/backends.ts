/**
 * The service's two backends: PostgreSQL for the metadata and ClickHouse for the queries, each started from its npm
 * package or reached by URL. The result is the same either way.
 */
import { join } from 'node:path';
import type { Config } from './config/config.ts';
import { withBoundProjects } from './engine/bound-engines.ts';
import { openBoundEngine } from './engine/clickhouse/bound/open-bound-engine.ts';
import { openClickHouseEngine } from './engine/clickhouse/clickhouse-engine.ts';
import {
  type EngineConnection,
  localNodeNames,
  remoteConnection,
} from './engine/clickhouse/http/connection.ts';
import { openClient } from './engine/clickhouse/http/open-client.ts';
import { openFileLoader } from './engine/clickhouse/load/file-loader.ts';
import { openTableLoader } from './engine/clickhouse/load/table-loader.ts';
import type { EmbeddedEngine } from './engine/embedded/embedded-engine.ts';
import { type EmbeddedNodes, openEmbeddedNodes } from './engine/embedded/embedded-nodes.ts';
import { readEngineSecret } from './engine/embedded/engine-secret.ts';
import type { LocalClusters } from './engine/embedded/local-cluster.ts';
import { prepareNodeFolders } from './engine/embedded/node-folders.ts';
import { withProvisioning } from './engine/provisioning-engine.ts';
import type { QueryEngine } from './engine/query-engine.ts';
import { type Clock, systemClock } from './lib/clock.ts';
import type { Log } from './lib/log.ts';
import { openSealer } from './lib/seal.ts';
import { openBindingStore } from './store/binding-store.ts';
import { type DataFolderLock, lockDataFolder } from './store/data-folder.ts';
import { readDeploymentId } from './store/deployment-id.ts';
import { openEmbeddedPostgres } from './store/embedded-postgres.ts';
import { type MetadataDatabase, openMetadataDatabase } from './store/metadata-database.ts';
import { openNodeJournal } from './store/node-journal.ts';
import { openProjectStore } from './store/project-store.ts';
import type { RowLoads } from './tables/deps.ts';
import { openLoadSlots } from './tables/load-slots.ts';

export interface Backends {
  readonly metadata: MetadataDatabase;
  readonly engine: QueryEngine;
  readonly engineConnection: EngineConnection;
  /** How other processes on this machine reach the local backends; null for a backend with a configured URL. */
  readonly local: LocalBackends;
  /** The current problem of each backend; null when it works. */
  readiness(): Promise<Readonly<Record<'records' | 'engine', string | null>>>;
  /** Stops what was started here and disconnects from the rest. Idempotent. */
  stop(): Promise<void>;
}

interface LocalBackends {
  readonly databaseUrl: string | null;
  readonly engineSecret: string | null;
  /** Set when the local engine has several nodes; null otherwise. */
  readonly nodes: LocalNodes | null;
}

export interface LocalNodes {
  /** The first one is the service's. All have the same logins. */
  readonly connections: readonly EngineConnection[];
  readonly clusters: LocalClusters;
}

/** Cleanup when a later step fails, in reverse order. */
type Undo = () => Promise<void> | void;

/** Throws with a message for an operator when a backend is unavailable; nothing is left running then. */
export async function openBackends(config: Config, log: Log): Promise<Backends> {
  const undo: Undo[] = [];
  const stop = async (): Promise<void> => {
    for (let step = undo.pop(); step !== undefined; step = undo.pop()) await step();
  };
  try {
    if (config.databaseUrl === '' || config.clickhouseUrl === '') {
      const lock: DataFolderLock = lockDataFolder(config.dataDir);
      undo.push(() => lock.release());
    }
    return { ...(await openBoth(config, { log, clock: systemClock, undo })), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

interface Opening {
  readonly log: Log;
  readonly clock: Clock;
  readonly undo: Undo[];
}

/** The two are independent, so they start concurrently. */
async function openBoth(config: Config, opening: Opening): Promise<Omit<Backends, 'stop'>> {
  const { log, undo } = opening;
  const [{ metadata, databaseUrl }, { connection: reached, local, secret, nodes }] = await both(
    openMetadataBackend(config, opening),
    openEngineBackend(config, opening),
  );
  if (local !== null) await ensureProjectSlots(local, metadata, opening.clock);
  const connection = withJournal(reached, metadata);
  const driver = openClickHouseEngine({
    connection,
    config: engineConfig(config),
    log,
    ...(local === null ? {} : { local }),
  });
  const { clock } = opening;
  const engine = openProjectEngine(driver, { config, log, metadata, connection, clock });
  undo.push(() => engine.close());
  return {
    metadata,
    engine,
    engineConnection: connection,
    local: { databaseUrl, engineSecret: secret, nodes },
    async readiness() {
      const checks = [problemOf(metadata.ping()), problemOf(driver.ping())] as const;
      const [ofMetadata, ofEngine] = await Promise.all(checks);
      return { records: ofMetadata, engine: ofEngine };
    },
  };
}

export interface ProjectEngineDeps {
  readonly config: Config;
  readonly log: Log;
  readonly metadata: Pick<MetadataDatabase, 'prisma'>;
  /** The driver's connection. */
  readonly connection: EngineConnection;
  readonly clock: Clock;
}

/** The metadata database records which table changes each node has missed. */
export function withJournal(
  connection: EngineConnection,
  { prisma }: Pick<MetadataDatabase, 'prisma'>,
): EngineConnection {
  if (connection.nodes === undefined) return connection;
  return { ...connection, journal: openNodeJournal({ prisma }) };
}

/** Routes each project to its engine: managed projects to the service's, bound projects to a separate one each. */
export function openProjectEngine(driver: QueryEngine, deps: ProjectEngineDeps): QueryEngine {
  const { config, log, metadata, connection, clock } = deps;
  const sealer = openSealer(config.credentialsKey);
  const bindings = openBindingStore({ prisma: metadata.prisma, clock, sealer });
  const client = openClient(connection, { log });
  const limits = engineConfig(config);
  const engine = withBoundProjects({
    own: withProvisioning(driver),
    findRevision: (projectId) => bindings.findRevision(projectId),
    async open(projectId) {
      const found = await bindings.findBinding(projectId);
      if (found === null) return null;
      const { revision, binding } = found;
      const parser = { client, connection };
      const deployment = await readDeploymentId(metadata.prisma);
      const bound = { projectId, binding, deployment, config: limits, log, parser };
      return { revision, ...openBoundEngine(bound) };
    },
  });
  return {
    ...engine,
    async close() {
      client.close();
      await engine.close();
    },
  };
}

/**
 * The engine's own limit of concurrent queries per user is a safety net behind the service's limits, so it must be
 * higher than what the service itself sends: queries on source data, as many reads of stored tables, analyses of texts,
 * and queries that are ending.
 */
export function engineConfig(config: Config): Config {
  return { ...config, maxConcurrentQueries: 2 * config.maxConcurrentQueries + 8 };
}

/** Waits for both even if one fails, so that what was started can be cleaned up. */
async function both<A, B>(first: Promise<A>, second: Promise<B>): Promise<readonly [A, B]> {
  const [a, b] = await Promise.allSettled([first, second]);
  if (a.status === 'rejected') throw a.reason;
  if (b.status === 'rejected') throw b.reason;
  return [a.value, b.value];
}

interface MetadataBackend {
  readonly metadata: MetadataDatabase;
  /** URL of the local PostgreSQL; null with `DATABASE_URL`. */
  readonly databaseUrl: string | null;
}

async function openMetadataBackend(
  config: Config,
  { log, undo }: Opening,
): Promise<MetadataBackend> {
  if (config.databaseUrl !== '') {
    const metadata = await openMetadataDatabase({ log, databaseUrl: config.databaseUrl });
    undo.push(() => metadata.close());
    return { metadata, databaseUrl: null };
  }
  const postgres = await openEmbeddedPostgres({ dir: join(config.dataDir, 'postgres'), log });
  undo.push(() => postgres.stop());
  const metadata = await openMetadataDatabase({ log, connection: postgres.connection });
  undo.push(() => metadata.close());
  return { metadata, databaseUrl: postgres.databaseUrl };
}

interface EngineBackend {
  readonly connection: EngineConnection;
  /** Null with `CLICKHOUSE_URL`; so is the secret. */
  readonly local: EmbeddedEngine | null;
  readonly secret: string | null;
  readonly nodes: LocalNodes | null;
}

async function openEngineBackend(config: Config, { log, undo }: Opening): Promise<EngineBackend> {
  if (config.clickhouseUrl !== '') {
    const connection = remoteConnection(config.clickhouseUrl, config.clickhouseUserSecret, config);
    return { connection, local: null, secret: null, nodes: null };
  }
  const secret = readEngineSecret(config.dataDir);
  const opened = await openEmbeddedNodes({
    dirs: prepareNodeFolders(config),
    config: engineConfig(config),
    log,
    secret,
    highestProjectId: 0,
  });
  const local = opened.engine;
  undo.push(() => local.stop());
  const nodes = toLocalNodes(opened);
  return { connection: { ...local.connection, ...addressesOf(nodes) }, local, secret, nodes };
}

function addressesOf(
  nodes: LocalNodes | null,
): Pick<EngineConnection, 'nodes' | 'nodeNames' | 'cluster'> {
  if (nodes === null) return {};
  const urls = nodes.connections.map(({ url }) => url);
  return { nodes: urls, nodeNames: localNodeNames(urls), cluster: nodes.clusters.every };
}

function toLocalNodes({ nodes, clusters }: EmbeddedNodes): LocalNodes | null {
  if (clusters === null) return null;
  return { connections: nodes.map(({ connection }) => connection), clusters };
}

/** The engine starts before the projects are known, with users for as many as in its last run, or a few dozen. */
async function ensureProjectSlots(
  engine: EmbeddedEngine,
  metadata: MetadataDatabase,
  clock: Clock,
): Promise<void> {
  const projects = openProjectStore({ prisma: metadata.prisma, clock });
  await engine.ensureSlot(await projects.highestProjectId());
}

/** Timeout of a backend's readiness probe. */
const readinessMs = 2000;

function problemOf(check: Promise<void>): Promise<string | null> {
  const problem = 'does not answer';
  return new Promise((resolve) => {
    const late = setTimeout(() => resolve(problem), readinessMs);
    const settle = (found: string | null) => {
      clearTimeout(late);
      resolve(found);
    };
    check.then(
      () => settle(null),
      () => settle(problem),
    );
  });
}

/** Loads rows for callers of the service, as the engine's administrator. */
export function openRowLoads(
  { engineConnection: connection }: Pick<Backends, 'engineConnection'>,
  { config, log }: { readonly config: Config; readonly log: Log },
): RowLoads {
  return {
    files: openFileLoader({ connection, config, log }),
    tables: openTableLoader(connection, log),
    slots: openLoadSlots(config.maxLoads),
  };
}
