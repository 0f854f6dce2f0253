import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { applyMigrations, type MigrationError } from '../../src/store/migrate.ts';
import { findMigrationsDir, listMigrations } from '../../src/store/migrations-folder.ts';
import { eventually } from '../support/eventually.ts';
import { type FreshDatabase, freshDatabase } from '../support/postgres.ts';
import { withClient } from '../support/test-server.ts';

const folders: string[] = [];
const databases: FreshDatabase[] = [];
let database: FreshDatabase;

beforeEach(async () => {
  database = await freshDatabase({ empty: true });
  databases.push(database);
});
afterAll(async () => {
  await Promise.all(folders.map((dir) => rm(dir, { recursive: true, force: true })));
  await Promise.all(databases.map((one) => one.drop()));
});

/** A folder with these migrations, by name. */
async function folderOf(migrations: Readonly<Record<string, string>>): Promise<string> {
  const dir = await mkdtemp(path.join(os.tmpdir(), 'querydock-migrations-'));
  folders.push(dir);
  for (const [name, sql] of Object.entries(migrations)) {
    await mkdir(path.join(dir, name));
    await writeFile(path.join(dir, name, 'migration.sql'), sql);
  }
  return dir;
}

function apply(dir: string) {
  return applyMigrations(database.connection, dir);
}

function query(sql: string) {
  return withClient(database.databaseUrl, async (client) => (await client.query(sql)).rows);
}

const one = { '1_a': 'CREATE TABLE a (x int);' };
const two = { ...one, '2_b': 'CREATE TABLE b (x int);' };

describe('this build’s migrations', () => {
  test('are applied once and recorded as Prisma does', async () => {
    const dir = findMigrationsDir();
    const known = await listMigrations(dir);
    expect(await apply(dir)).toEqual(known.map(({ name }) => name));
    const rows = await query(
      'SELECT migration_name, checksum, applied_steps_count, finished_at IS NOT NULL AS finished, rolled_back_at, logs FROM _prisma_migrations ORDER BY 1',
    );
    expect(rows).toEqual(
      known.map(({ name, checksum }) => ({
        migration_name: name,
        checksum,
        applied_steps_count: 1,
        finished: true,
        rolled_back_at: null,
        logs: null,
      })),
    );
    expect(await apply(dir)).toEqual([]);
  });

  test('are applied by one of four starts that come together', async () => {
    const dir = findMigrationsDir();
    const done = await Promise.all([apply(dir), apply(dir), apply(dir), apply(dir)]);
    const names = (await listMigrations(dir)).map(({ name }) => name);
    expect(done.filter((applied) => applied.length > 0)).toEqual([names]);
  });

  test('are found from a folder below the package too, as dist/ is', () => {
    expect(path.basename(path.dirname(findMigrationsDir()))).toBe('prisma');
  });
});

test('only what is missing is applied, in the order of the names', async () => {
  await apply(await folderOf(one));
  const more = { ...two, '3_c': 'ALTER TABLE b ADD y int;' };
  expect(await apply(await folderOf(more))).toEqual(['2_b', '3_c']);
});

test('a migration that was edited after it was applied is refused', async () => {
  await apply(await folderOf(one));
  const edited = await folderOf({ ...two, '1_a': 'CREATE TABLE a (x bigint);' });
  await expect(apply(edited)).rejects.toMatchObject({
    name: 'MigrationError',
    reason: 'edited',
    message: expect.stringContaining('1_a'),
  });
  expect(await query("SELECT to_regclass('b') AS b")).toEqual([{ b: null }]);
});

test('a database that is newer than the build is refused', async () => {
  await apply(await folderOf(two));
  await expect(apply(await folderOf(one))).rejects.toMatchObject({
    reason: 'newer',
    message: expect.stringMatching(/newer Querydock.*2_b/),
  });
});

test('a migration that failed in Prisma’s own tool is refused until it is resolved', async () => {
  const dir = await folderOf(two);
  await apply(await folderOf(one));
  await query(
    "INSERT INTO _prisma_migrations (id, checksum, migration_name, logs) VALUES ('x', 'y', '2_b', 'it broke')",
  );
  const refused = (await apply(dir).catch((error: unknown) => error)) as MigrationError;
  expect(refused).toMatchObject({ reason: 'failed', message: expect.stringContaining('2_b') });
  // What the message tells an operator to do is enough.
  const [statement = ''] = /UPDATE .* IS NULL/.exec(refused.message) ?? [];
  await query(statement);
  expect(await apply(dir)).toEqual(['2_b']);
});

test('one that fails half-way leaves nothing of itself and keeps those before it', async () => {
  const broken = { ...one, '2_b': 'CREATE TABLE b (x int); SELECT 1/0;' };
  await expect(apply(await folderOf(broken))).rejects.toMatchObject({
    message: expect.stringMatching(/2_b failed: division by zero/),
  });
  expect(await query("SELECT to_regclass('b') AS b")).toEqual([{ b: null }]);
  expect(await query('SELECT migration_name FROM _prisma_migrations')).toEqual([
    { migration_name: '1_a' },
  ]);
  expect(await apply(await folderOf(two))).toEqual(['2_b']);
});

test('one that needs a table which a backup reads does not make others wait for the backup', async () => {
  await apply(await folderOf(one));
  const more = await folderOf({ ...one, '2_y': 'ALTER TABLE a ADD y int;' });
  await withClient(database.databaseUrl, async (backup) => {
    await backup.query('BEGIN; SELECT * FROM a');
    const blocked: string[] = [];
    const applying = applyMigrations(database.connection, more, (name) => blocked.push(name));
    await eventually('it waits for the table', async () => {
      const waiting = await query(
        "SELECT 1 FROM pg_locks WHERE relation = 'a'::regclass AND NOT granted",
      );
      return waiting.length > 0;
    });
    expect(await query('SELECT * FROM a')).toEqual([]);
    await eventually('it is told', () => blocked.length > 0);
    expect(await query('SELECT migration_name FROM _prisma_migrations')).toHaveLength(1);
    await backup.query('COMMIT');
    expect(await applying).toEqual(['2_y']);
    expect(blocked).toEqual(['2_y']);
  });
  await query('INSERT INTO a (x, y) VALUES (1, 2)');
});

test('quotes, functions and comments with semicolons are left to PostgreSQL', async () => {
  const sql = `-- a; comment
    CREATE FUNCTION f() RETURNS text LANGUAGE plpgsql AS $$ BEGIN RETURN 'a;b'; END $$;
    CREATE TABLE a (x text DEFAULT ';');`;
  await apply(await folderOf({ '1_a': sql }));
  expect(await query('SELECT f()')).toEqual([{ f: 'a;b' }]);
});

test('one that cannot run in a transaction runs outside, and stays visible when it fails', async () => {
  const concurrently = '-- no-transaction\nCREATE INDEX CONCURRENTLY i ON a (x);';
  expect(await apply(await folderOf({ ...one, '2_i': concurrently }))).toEqual(['1_a', '2_i']);
  const broken = '-- no-transaction\nCREATE INDEX CONCURRENTLY j ON nothing (x);';
  const dir = await folderOf({ ...one, '2_i': concurrently, '3_j': broken });
  await expect(apply(dir)).rejects.toMatchObject({ reason: 'failed' });
  await expect(apply(dir)).rejects.toMatchObject({
    message: expect.stringContaining('halfway: 3_j'),
  });
});

test('the checksum is of the bytes of the file', async () => {
  const dir = await folderOf({});
  await cp(findMigrationsDir(), dir, { recursive: true });
  expect(await listMigrations(dir)).toEqual(await listMigrations(findMigrationsDir()));
});
