/** A service with a local engine of its own and short times, and views of the operator that a query never gets to the end of. */
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { createKey } from '../../../src/access/create-key.ts';
import { type App, openApp } from '../../../src/app.ts';
import type { Backends } from '../../../src/backends.ts';
import { type Config, readConfig } from '../../../src/config/config.ts';
import { openLog } from '../../../src/config/open-log.ts';
import {
  type EngineTimes,
  openClickHouseEngine,
} from '../../../src/engine/clickhouse/clickhouse-engine.ts';
import type { EngineConnection } from '../../../src/engine/clickhouse/http/connection.ts';
import {
  type EmbeddedEngine,
  openEmbeddedEngine,
} from '../../../src/engine/embedded/embedded-engine.ts';
import { withProvisioning } from '../../../src/engine/provisioning-engine.ts';
import { openMetadataDatabase } from '../../../src/store/metadata-database.ts';
import { adminRunner } from '../../engine/support/admin.ts';
import { freshDatabase } from '../../support/postgres.ts';

const config: Config = {
  ...readConfig({}),
  queryTimeoutSeconds: 1,
  streamTimeoutSeconds: 2,
  publicUrl: 'http://querydock.test',
};

export interface OverrunWorld {
  readonly engine: EmbeddedEngine;
  readonly key: string;
  /** As the engine's administrator. */
  readonly admin: (sql: string) => Promise<string>;
  /** Another service process over the same metadata database. The first one is open already. */
  openService(options: ServiceOptions): Promise<Service>;
  close(): Promise<void>;
}

export interface ServiceOptions {
  /** How it reaches the engine; absent: directly. */
  readonly url?: string;
  /** Whether the engine is its own to start again. */
  readonly isLocal: boolean;
  readonly times: Partial<EngineTimes>;
  /** Processor time of the engine, in place of what the system measures. */
  readonly cpuSeconds?: () => number;
}

export interface Service {
  readonly app: App;
  /** Makes every sync due that its schedule has put off. */
  readonly makeSyncsDue: () => Promise<void>;
  /** The lines of its log that are errors. */
  readonly errors: () => readonly Readonly<Record<string, unknown>>[];
  ask(method: string, tail: string, body?: unknown): Promise<RunOutcome>;
  close(): Promise<void>;
}

export interface RunOutcome {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

export async function openOverrunWorld(): Promise<OverrunWorld> {
  const database = await freshDatabase();
  const dir = await mkdtemp(path.join(os.tmpdir(), 'querydock-overrun-'));
  const log = openLog('silent');
  const options = { dir, config, log, secret: 'shared', highestProjectId: 0 };
  const engine = await openEmbeddedEngine(options);
  const world = { engine, databaseUrl: database.databaseUrl };
  const first = await openService(world, { isLocal: true, times: {} });
  const project = await first.app.core.projects.createProject('flights');
  await first.app.core.engine.provision(project.id);
  const user = await first.app.core.users.findOrCreateUser({ email: 'a@querydock.test' });
  const draft = { label: 'x', scopes: ['endpoint:write'], projectIds: [project.id] };
  const { key } = await createKey(first.app.core, user.id, { ...draft, expiresAt: null });
  const admin = adminRunner(engine.connection);
  await makeTables(admin, `project_${project.id}`);
  return {
    engine,
    key,
    admin,
    openService: (service) => openService({ ...world, key }, service),
    async close() {
      await first.close();
      await engine.stop();
      await database.drop();
      await rm(dir, { recursive: true, force: true });
    },
  };
}

/** Hours of work in one function call, which looks at no limit; in a view of the operator, where no guard looks. */
const work = 'arraySimilarity(n, n, n, n)';

const overRange = (size: number) =>
  `SELECT ${work} AS v FROM (SELECT range(materialize(${size})) AS n)`;

async function makeTables(admin: OverrunWorld['admin'], database: string): Promise<void> {
  await admin(`CREATE VIEW ${database}.endless AS ${overRange(400_000)}`);
  // A fraction of a second of the same: on a busy machine it ends within the grace period, too.
  await admin(`CREATE VIEW ${database}.slow AS ${overRange(3000)}`);
  const columns = '(k UInt8, n Array(UInt64)) ENGINE = MergeTree ORDER BY k';
  await admin(`CREATE TABLE ${database}.source ${columns}`);
  await admin(`CREATE VIEW ${database}.derived AS SELECT k, ${work} AS v FROM ${database}.source`);
}

async function openService(
  world: { readonly engine: EmbeddedEngine; readonly databaseUrl: string; readonly key?: string },
  { url, isLocal, times, cpuSeconds }: ServiceOptions,
): Promise<Service> {
  const { engine, databaseUrl, key = '' } = world;
  const lines: string[] = [];
  const log = openLog('error', { write: (line) => lines.push(line) });
  const own = engine.connection;
  const connection: EngineConnection = { ...own, url: url ?? own.url };
  const measured = cpuSeconds === undefined ? engine : { ...engine, cpuSeconds };
  const local = isLocal ? { local: measured } : {};
  const driver = openClickHouseEngine({ connection, config, log, times, ...local });
  const records = await openMetadataDatabase({ log, databaseUrl });
  const backends: Backends = {
    metadata: records,
    engine: withProvisioning(driver),
    engineConnection: connection,
    local: { databaseUrl: null, engineSecret: null, nodes: null },
    readiness: async () => ({ records: null, engine: null }),
    stop: async () => {},
  };
  const app = await openApp({ config, log, backends });
  return {
    app,
    errors: () => lines.map((line) => JSON.parse(line) as Record<string, unknown>),
    async makeSyncsDue() {
      await records.pool.query(
        "UPDATE materialization_status SET next_sync_at = now() - interval '1 s' WHERE enabled",
      );
    },
    ask: (method, tail, body) => ask(app, key, { method, tail, body }),
    async close() {
      await app.stop();
      await driver.close();
      await records.close();
    },
  };
}

async function ask(
  app: App,
  key: string,
  call: { readonly method: string; readonly tail: string; readonly body: unknown },
): Promise<RunOutcome> {
  const { method, tail, body } = call;
  const path = tail === '/graphql' ? tail : `/api/projects/@current/endpoints${tail}`;
  const response = await app.fetch(
    new Request(`http://querydock.test${path}`, {
      method,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    }),
  );
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}
