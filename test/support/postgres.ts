/** What test files use of the run's PostgreSQL. */
import { randomBytes } from 'node:crypto';
import type pg from 'pg';
import { inject } from 'vitest';
import { openLog } from '../../src/config/open-log.ts';
import { type MetadataDatabase, openMetadataDatabase } from '../../src/store/metadata-database.ts';
import { type TestPostgres, withClient, withDatabase } from './test-server.ts';

export interface FreshDatabase {
  readonly databaseUrl: string;
  readonly connection: pg.ClientConfig;
  /** Closes open connections. What a file forgets to drop is dropped at the end of the run. */
  drop(): Promise<void>;
}

/**
 * A database of its own for a test file: all migrations and no rows, or `empty`.
 *
 * @param postgres absent: that of the test run.
 */
export async function freshDatabase(
  options?: { readonly empty: true },
  postgres: TestPostgres = inject('postgres'),
): Promise<FreshDatabase> {
  const { databaseUrl: server, prefix, template } = postgres;
  const name = `${prefix}_${randomBytes(6).toString('hex')}`;
  const source = options?.empty === true ? 'template1' : template;
  await withClient(server, (client) => client.query(`CREATE DATABASE ${name} TEMPLATE ${source}`));
  const databaseUrl = withDatabase(server, name);
  return {
    databaseUrl,
    connection: { connectionString: databaseUrl },
    async drop() {
      await withClient(server, (client) =>
        client.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`),
      );
    },
  };
}

export interface TestRecords {
  readonly records: MetadataDatabase;
  readonly database: FreshDatabase;
  /** What Prisma sent since the last call, without the marks of transactions. */
  readonly takeStatements: () => readonly string[];
  close(): Promise<void>;
}

/** A fresh metadata database, with its statements recorded. */
export async function openTestRecords(postgres?: TestPostgres): Promise<TestRecords> {
  const database = await freshDatabase(undefined, postgres);
  let statements: string[] = [];
  const records = await openMetadataDatabase({
    databaseUrl: database.databaseUrl,
    log: openLog('silent'),
    onStatement: (sql) => statements.push(sql),
  });
  return {
    records,
    database,
    takeStatements() {
      const taken = statements.filter((sql) => !/^(BEGIN|COMMIT|ROLLBACK|SAVEPOINT)\b/.test(sql));
      statements = [];
      return taken;
    },
    async close() {
      await records.close();
      await database.drop();
    },
  };
}
