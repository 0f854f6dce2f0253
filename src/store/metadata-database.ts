/** The connection to the metadata database, local or remote, migrated to this build. */
import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { PrismaPg } from '@prisma/adapter-pg';
import pg from 'pg';
import { PrismaClient } from '../generated/prisma/client.ts';
import type { Log } from '../lib/log.ts';
import { openConnectionWatchdog } from './connection-watchdog.ts';
import type { PostgresConnection } from './embedded-postgres.ts';
import { applyMigrations } from './migrate.ts';
import { findMigrationsDir } from './migrations-folder.ts';
import { isUnavailable } from './prisma-errors.ts';

export interface MetadataDatabase {
  readonly prisma: PrismaClient;
  /** The same connections that Prisma uses, for statements that Prisma cannot express. */
  readonly pool: pg.Pool;
  /** How to open a further connection, for example for the change feed. */
  readonly connection: pg.ClientConfig;
  /** Resolves when PostgreSQL responds; rejects with the connection's error. */
  ping(): Promise<void>;
  close(): Promise<void>;
}

export interface MetadataDatabaseOptions {
  /** The local PostgreSQL; otherwise `databaseUrl`. */
  readonly connection?: PostgresConnection;
  readonly databaseUrl?: string;
  readonly log: Log;
  /** Default: the migrations of this build. */
  readonly migrationsDir?: string;
  /** Maximum number of connections; default 20. */
  readonly maxConnections?: number;
  /** Called with the text of every statement that Prisma sends, so that a test can count them. */
  readonly onStatement?: (sql: string) => void;
}

/** PostgreSQL cannot be used. The message is meant for an operator and contains no password. */
export class MetadataDatabaseError extends Error {
  override readonly name = 'MetadataDatabaseError';
}

/** What the driver says of a server that is silent, or that hangs up, at the first message. */
const noPostgres = /^(?:timeout expired|Connection terminated unexpectedly)$/;
const oldestServer = 150_000;
const waitMs = 10_000;
const connectTimeoutMs = 5000;
/** The server's own limit plus a few seconds for its response; catches a connection that died silently. */
const statementMs = 35_000;
const maxNamedStatements = 500;

/**
 * Sent on every connection, whatever the server's defaults are. UTC, because the adapter drops time zones. READ
 * COMMITTED, because an update must see what it waited for. Timeouts, so that neither a statement nor an abandoned
 * transaction locks a row forever.
 */
const sessionSetup = `
  SET TIME ZONE 'UTC';
  SET default_transaction_isolation = 'read committed';
  SET statement_timeout = '30s';
  SET idle_in_transaction_session_timeout = '60s'`;

/**
 * Waits up to 10 s for PostgreSQL, applies missing migrations and opens the pool. Throws MetadataDatabaseError when
 * PostgreSQL is unreachable or too old, MigrationError when its tables do not fit this build.
 */
export async function openMetadataDatabase(
  options: MetadataDatabaseOptions,
): Promise<MetadataDatabase> {
  const connection = clientConfig(options);
  await waitForServer(connection);
  const migrationsDir = options.migrationsDir ?? findMigrationsDir();
  const applied = await applyMigrations(connection, migrationsDir, (migration) =>
    options.log.warn(
      { migration },
      'a migration waits until no other client, such as a backup, uses its tables; it tries again every 3 seconds',
    ),
  );
  if (applied.length > 0) options.log.info({ applied }, 'migrated the metadata database');

  const guard = openConnectionWatchdog(connection, options.log);
  const pool = guard.guard(openPool({ ...connection, stream: guard.openSocket }, options));
  const prisma = openPrisma(pool, options);
  return {
    prisma,
    pool,
    connection,
    async ping() {
      await pool.query('SELECT 1');
    },
    async close() {
      await guard.close();
      await prisma.$disconnect();
      await pool.end();
    },
  };
}

function clientConfig(options: MetadataDatabaseOptions): pg.ClientConfig {
  const base = {
    application_name: 'querydock',
    connectionTimeoutMillis: connectTimeoutMs,
    keepAlive: true,
  };
  if (options.connection !== undefined) return { ...base, ...options.connection };
  if (options.databaseUrl !== undefined) return { ...base, connectionString: options.databaseUrl };
  throw new MetadataDatabaseError('Neither a local PostgreSQL nor a DATABASE_URL was given.');
}

async function waitForServer(config: pg.ClientConfig): Promise<void> {
  const began = performance.now();
  for (;;) {
    try {
      return await checkServer(config);
    } catch (error) {
      if (error instanceof MetadataDatabaseError) throw error;
      const late = performance.now() - began > waitMs;
      if (late || !isUnavailable(error)) throw refusedBy(config, error);
    }
    await delay(200);
  }
}

async function checkServer(config: pg.ClientConfig): Promise<void> {
  const client = new pg.Client(config);
  client.on('error', () => {});
  try {
    await client.connect();
    const { rows } = await client.query<{ version: number; readonly: string }>(
      "SELECT current_setting('server_version_num')::int AS version, current_setting('transaction_read_only') AS readonly",
    );
    const version = rows[0]?.version ?? 0;
    if (version < oldestServer) {
      throw new MetadataDatabaseError(
        `Querydock needs PostgreSQL 15 or newer; this one is ${Math.trunc(version / 10_000)}.`,
      );
    }
    if (rows[0]?.readonly === 'on') {
      throw refusedBy(config, new Error('it is read-only, as a standby is; the primary is needed'));
    }
  } finally {
    await client.end().catch(() => {});
  }
}

function refusedBy(config: pg.ClientConfig, error: unknown): MetadataDatabaseError {
  const { host, port, database } = new pg.Client(config);
  const given = error instanceof Error ? error.message || error.name : String(error);
  const reason = noPostgres.test(given)
    ? `no PostgreSQL answers there (${given}); the port may be that of another server`
    : given;
  return new MetadataDatabaseError(
    `PostgreSQL at ${host}:${port}, database ${database}, cannot be used: ${reason}. Check DATABASE_URL.`,
    { cause: error },
  );
}

function openPool(connection: pg.ClientConfig, options: MetadataDatabaseOptions): pg.Pool {
  const pool = new pg.Pool({
    ...connection,
    query_timeout: statementMs,
    max: options.maxConnections ?? 20,
    idleTimeoutMillis: 30_000,
    onConnect: async (client) => {
      await client.query(sessionSetup);
    },
  });
  // Without a listener, a connection that breaks while idle would end the process.
  pool.on('error', warnOfLoss(pool, options));
  return pool;
}

/** A local server that stops right after the pool may cut connections that are still closing; nothing is lost. */
function warnOfLoss(pool: pg.Pool, { log }: MetadataDatabaseOptions): (error: Error) => void {
  return (error) => {
    // The driver attaches the connection with all its settings, which a line of the log would list.
    if ('client' in error) Object.defineProperty(error, 'client', { enumerable: false });
    if (!pool.ending) log.warn({ err: error }, 'lost a connection to the metadata database');
  };
}

function openPrisma(pool: pg.Pool, options: MetadataDatabaseOptions): PrismaClient {
  const adapter = new PrismaPg(pool, {
    schema: 'public',
    ...(usesPgBouncer(options) ? {} : { statementNameGenerator: nameStatements() }),
    onConnectionError: warnOfLoss(pool, options),
  });
  const { onStatement } = options;
  if (onStatement === undefined) return new PrismaClient({ adapter });
  const prisma = new PrismaClient({ adapter, log: [{ emit: 'event', level: 'query' }] });
  prisma.$on('query', (event) => onStatement(event.query));
  return prisma;
}

/** Prisma's own parameter for a pooler without support for named statements. */
function usesPgBouncer({ databaseUrl }: MetadataDatabaseOptions): boolean {
  if (databaseUrl === undefined || !URL.canParse(databaseUrl)) return false;
  return new URL(databaseUrl).searchParams.get('pgbouncer') === 'true';
}

/**
 * Names statements by content, so that PostgreSQL plans each once per connection. Prisma's texts vary with the length
 * of lists, hence the bound: texts after the first 500 distinct ones are sent without a name.
 */
function nameStatements(): (query: { readonly sql: string }) => string {
  const names = new Map<string, string>();
  return ({ sql }) => {
    const existing = names.get(sql);
    if (existing !== undefined) return existing;
    if (names.size >= maxNamedStatements) return '';
    const name = `q_${createHash('sha1').update(sql).digest('hex')}`;
    names.set(sql, name);
    return name;
  };
}
