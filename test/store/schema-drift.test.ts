import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { findMissingSql } from '../../scripts/schema-engine.ts';
import { findMigrationsDir } from '../../src/store/migrations-folder.ts';
import { type FreshDatabase, freshDatabase } from '../support/postgres.ts';
import { withClient } from '../support/test-server.ts';

const schemaFile = path.resolve(import.meta.dirname, '../../prisma/schema.prisma');
let dir = '';
let database: FreshDatabase;

beforeAll(async () => {
  dir = await mkdtemp(path.join(os.tmpdir(), 'querydock-schema-'));
  database = await freshDatabase({ empty: true });
});
afterAll(async () => {
  await rm(dir, { recursive: true, force: true });
  await database?.drop();
});

function missingSql(file: string) {
  return findMissingSql(database.databaseUrl, file, findMigrationsDir());
}

test('the migrations make exactly what the schema declares', async () => {
  expect(await missingSql(schemaFile)).toBeNull();
});

test('a column that is in the schema only is found', async () => {
  const schema = await readFile(schemaFile, 'utf8');
  const ahead = path.join(dir, 'schema.prisma');
  await writeFile(ahead, schema.replace('model Project {', 'model Project {\n  colour String?'));
  expect(await missingSql(ahead)).toContain('ALTER TABLE "project" ADD COLUMN     "colour" TEXT');
});

test('looking does nothing to the database and leaves none behind', async () => {
  await missingSql(schemaFile);
  const rows = await withClient(database.databaseUrl, async (client) => {
    const left = await client.query(
      "SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace UNION ALL SELECT datname FROM pg_database WHERE datname LIKE 'shadow_%'",
    );
    return left.rows;
  });
  expect(rows).toEqual([]);
});
