/**
 * A command's backends: those of the running server if there is one, else its own, open for the duration of the
 * command.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { serverLimits } from '../access/effective-limits.ts';
import { openBackends, openProjectEngine, withJournal } from '../backends.ts';
import type { Config } from '../config/config.ts';
import { openClickHouseEngine } from '../engine/clickhouse/clickhouse-engine.ts';
import {
  type EngineConnection,
  localNodeNames,
  projectLogins,
} from '../engine/clickhouse/http/connection.ts';
import { openTableLoader } from '../engine/clickhouse/load/table-loader.ts';
import { countTables, createDatabase } from '../engine/clickhouse/provision/project-database.ts';
import type { QueryEngine } from '../engine/query-engine.ts';
import type { TableLoader } from '../engine/table-loader.ts';
import { type Clock, systemClock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import { openSealer } from '../lib/seal.ts';
import type { QueryLimits } from '../model/query-limits.ts';
import { type AdviceStore, openAdviceStore } from '../store/advice-store.ts';
import { type AuditStore, openAuditStore } from '../store/audit-store.ts';
import { type BindingStore, openBindingStore } from '../store/binding-store.ts';
import { DataFolderInUseError } from '../store/data-folder.ts';
import { type EndpointStore, openEndpointStore } from '../store/endpoint-store.ts';
import { type KeyStore, openKeyStore } from '../store/key-store.ts';
import { type MetadataDatabase, openMetadataDatabase } from '../store/metadata-database.ts';
import { openProjectStore, type ProjectStore } from '../store/project-store.ts';
import { openSignInStore, type SignInStore } from '../store/sign-in-store.ts';
import { openUsageStore, type UsageStore } from '../store/usage-store.ts';
import { openUserStore, type UserStore } from '../store/user-store.ts';
import { readServerFile, type ServerFile } from './server-file.ts';
import { UsageError } from './usage-error.ts';

export interface Session {
  readonly config: Config;
  readonly log: Log;
  readonly clock: Clock;
  /** From the command's settings, which are the server's when both have the same environment. */
  readonly serverLimits: QueryLimits;
  readonly projects: ProjectStore;
  readonly users: UserStore;
  readonly keys: KeyStore;
  readonly audit: AuditStore;
  readonly engine: QueryEngine;
  readonly bindings: BindingStore;
  readonly signIns: SignInStore;
  readonly tables: TableLoader;
  readonly endpoints: EndpointStore;
  readonly usageStore: UsageStore;
  readonly adviceStore: AdviceStore;
  readonly connection: EngineConnection;
  /** Whether the service starts the engine of the projects that are not bound. */
  readonly isLocalEngine: boolean;
  /** How many tables the database with the name of the project's has. Creates nothing. */
  countTables(projectId: number): Promise<number>;
  /** Creates the project's database if it is missing. */
  openDatabase(projectId: number): Promise<void>;
  /** Stops what was started for the session. */
  close(): Promise<void>;
}

/** How long to wait for a starting or stopping server, which holds the folder's lock without a server file. */
const waitMs = 15_000;

export async function openSession(config: Config, log: Log): Promise<Session> {
  const began = performance.now();
  for (;;) {
    const running = readServerFile(config.dataDir);
    // A server without local backends locks nothing; its file is the only sign of it.
    if (running !== null && !running.holds_data_folder && hasNoUrls(config)) {
      return openBeside(config, log, running);
    }
    try {
      return await openOwn(config, log);
    } catch (error) {
      if (!(error instanceof DataFolderInUseError)) throw error;
      if (running !== null) return openBeside(config, log, running);
      if (performance.now() - began > waitMs) throw notReachable(config, error);
    }
    await delay(100);
  }
}

function hasNoUrls(config: Config): boolean {
  return config.databaseUrl === '' && config.clickhouseUrl === '';
}

function notReachable(config: Config, cause: unknown): UsageError {
  return new UsageError(
    `The data folder ${config.dataDir} is in use by a Querydock process other than a running server, such as a data load. Try again when it has finished.`,
    { cause },
  );
}

async function openOwn(config: Config, log: Log): Promise<Session> {
  const backends = await openBackends(config, log);
  const tables = openTableLoader(backends.engineConnection, log);
  return {
    ...openStores(config, log, backends.metadata),
    engine: backends.engine,
    connection: backends.engineConnection,
    isLocalEngine: backends.local.engineSecret !== null,
    tables,
    countTables: (projectId) =>
      countTables({ connection: backends.engineConnection, log }, projectId),
    openDatabase: (projectId) => backends.engine.provision(projectId),
    async close() {
      tables.close();
      await backends.stop();
    },
  };
}

/** A database named in the environment takes precedence over the server's. */
async function openBeside(config: Config, log: Log, server: ServerFile): Promise<Session> {
  const metadata = await openMetadataDatabase({
    log,
    databaseUrl: config.databaseUrl || server.database_url,
  });
  const { url, nodes, cluster, user, password, secret, local } = server.engine;
  const reached: EngineConnection = {
    url,
    ...(nodes === undefined ? {} : { nodes }),
    ...(nodes !== undefined && local ? { nodeNames: localNodeNames(nodes) } : {}),
    ...(cluster === undefined ? {} : { cluster }),
    admin: { user, password },
    credentials: projectLogins(secret),
  };
  const connection = withJournal(reached, metadata);
  const driver = openClickHouseEngine({ connection, config, log });
  const engine = openProjectEngine(driver, {
    config,
    log,
    metadata,
    connection,
    clock: systemClock,
  });
  const tables = openTableLoader(connection, log);
  const stores = openStores(config, log, metadata);
  return {
    ...stores,
    engine,
    connection,
    isLocalEngine: server.engine.local,
    tables,
    countTables: (projectId) => countTables({ connection, log }, projectId),
    async openDatabase(projectId) {
      const isBound = (await stores.bindings.findRevision(projectId)) !== null;
      if (server.engine.local && !isBound) await createDatabase({ connection, log }, projectId);
      else await engine.provision(projectId);
    },
    async close() {
      tables.close();
      await engine.close();
      await metadata.close();
    },
  };
}

function openStores(config: Config, log: Log, { prisma }: MetadataDatabase) {
  const deps = { prisma, clock: systemClock };
  return {
    config,
    log,
    clock: systemClock,
    serverLimits: serverLimits(config),
    projects: openProjectStore(deps),
    bindings: openBindingStore({ ...deps, sealer: openSealer(config.credentialsKey) }),
    signIns: openSignInStore(deps),
    users: openUserStore(deps),
    keys: openKeyStore(deps),
    audit: openAuditStore(deps),
    endpoints: openEndpointStore(deps),
    usageStore: openUsageStore(deps),
    adviceStore: openAdviceStore(deps),
  };
}
