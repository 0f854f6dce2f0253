/**
 * `npm run db:migration -- <name>` writes a migration for what is new in prisma/schema.prisma.
 * `npm run db:check` exits 1 when such a migration is missing.
 *
 * Works on the PostgreSQL in DATABASE_URL, else on a local one that lives as long as this script.
 */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { openLog } from '../src/config/open-log.ts';
import { openEmbeddedPostgres } from '../src/store/embedded-postgres.ts';
import { findMissingSql } from './schema-engine.ts';

const root = path.resolve(import.meta.dirname, '..');
const migrationsDir = path.join(root, 'prisma/migrations');

async function withPostgres<T>(use: (databaseUrl: string) => Promise<T>): Promise<T> {
  const given = process.env.DATABASE_URL;
  if (given !== undefined && given !== '') return use(given);
  const dir = await mkdtemp(path.join(os.tmpdir(), 'querydock-migration-'));
  const postgres = await openEmbeddedPostgres({ dir, log: openLog('warn') });
  try {
    return await use(postgres.databaseUrl);
  } finally {
    await postgres.stop();
    await rm(dir, { recursive: true, force: true });
  }
}

/** 2026-01-31T12:34:56Z → 20260131123456, which sorts by time. */
function stamp(now: Date): string {
  return now.toISOString().slice(0, 19).replace(/\D/g, '');
}

async function main(argument: string | undefined): Promise<number> {
  const missing = await withPostgres((databaseUrl) =>
    findMissingSql(databaseUrl, path.join(root, 'prisma/schema.prisma'), migrationsDir),
  );
  if (argument === '--check') {
    if (missing === null) return 0;
    console.error(
      `prisma/schema.prisma is ahead of prisma/migrations. Run: npm run db:migration -- <name>\n\n${missing}`,
    );
    return 1;
  }
  if (argument === undefined || !/^[a-z][a-z0-9_]{0,60}$/.test(argument)) {
    console.error(
      'Name the migration in lower case letters, digits and _: npm run db:migration -- add_tags',
    );
    return 2;
  }
  if (missing === null) {
    console.error('Nothing to do: prisma/migrations are up to date with prisma/schema.prisma.');
    return 0;
  }
  const folder = path.join(migrationsDir, `${stamp(new Date())}_${argument}`);
  await mkdir(folder);
  await writeFile(path.join(folder, 'migration.sql'), missing);
  console.error(
    `Wrote ${path.relative(root, folder)}/migration.sql. Review it before you commit it.`,
  );
  return 0;
}

process.exitCode = await main(process.argv[2]);
