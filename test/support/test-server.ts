/** The one PostgreSQL of a test run: a local one, or the one that DATABASE_URL_TEST names. */
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import path from 'node:path';
import pg from 'pg';
import { openLog } from '../../src/config/open-log.ts';
import { openEmbeddedPostgres } from '../../src/store/embedded-postgres.ts';
import { applyMigrations } from '../../src/store/migrate.ts';
import { findMigrationsDir } from '../../src/store/migrations-folder.ts';
import { serverFolder } from './memory-folder.ts';

/** What test files get to know. */
export interface TestPostgres {
  /** Of its maintenance database, with a user that may create databases. */
  readonly databaseUrl: string;
  /** Every database of this run begins with it. */
  readonly prefix: string;
  /** A database with all migrations and no rows. */
  readonly template: string;
}

export async function startTestPostgres(): Promise<{
  readonly shared: TestPostgres;
  readonly stop: () => Promise<void>;
}> {
  const given = process.env.DATABASE_URL_TEST;
  const server = given === undefined || given === '' ? await startLocal() : external(given);
  const prefix = `qd_test_${randomBytes(4).toString('hex')}`;
  const template = `${prefix}_template`;
  const { databaseUrl } = server;
  try {
    await makeTemplate(databaseUrl, template);
  } catch (error) {
    await server.stop();
    throw error;
  }
  return {
    shared: { databaseUrl, prefix, template },
    async stop() {
      await dropAll(databaseUrl, prefix).finally(server.stop);
    },
  };
}

async function makeTemplate(databaseUrl: string, template: string): Promise<void> {
  await withClient(databaseUrl, (client) => client.query(`CREATE DATABASE ${template}`));
  const connectionString = withDatabase(databaseUrl, template);
  await applyMigrations({ connectionString }, findMigrationsDir());
}

interface Server {
  readonly databaseUrl: string;
  readonly stop: () => Promise<void>;
}

async function startLocal(): Promise<Server> {
  const dir = await mkdtemp(path.join(await serverFolder(), 'querydock-test-'));
  const remove = () => rm(dir, { recursive: true, force: true });
  try {
    const postgres = await openEmbeddedPostgres({ dir, log: openLog('warn') });
    return {
      databaseUrl: postgres.databaseUrl,
      stop: () => postgres.stop().finally(remove),
    };
  } catch (error) {
    await remove();
    throw error;
  }
}

function external(databaseUrl: string): Server {
  return { databaseUrl, stop: async () => {} };
}

async function dropAll(databaseUrl: string, prefix: string): Promise<void> {
  await withClient(databaseUrl, async (client) => {
    const { rows } = await client.query<{ datname: string }>(
      'SELECT datname FROM pg_database WHERE starts_with(datname, $1)',
      [prefix],
    );
    for (const { datname } of rows) await client.query(`DROP DATABASE ${datname} WITH (FORCE)`);
  });
}

export async function withClient<T>(
  databaseUrl: string,
  use: (client: pg.Client) => Promise<T>,
): Promise<T> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    return await use(client);
  } finally {
    await client.end();
  }
}

/** The same server's other database. */
export function withDatabase(databaseUrl: string, database: string): string {
  const url = new URL(databaseUrl);
  url.pathname = `/${database}`;
  return url.href;
}
