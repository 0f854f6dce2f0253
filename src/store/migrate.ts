/**
 * Migrates the metadata database's tables to this build at startup.
 *
 * Writes what `prisma migrate deploy` writes (the same table, checksums and advisory lock), so that either can continue
 * after the other, and needs no downloaded program.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { listMigrations, type Migration } from './migrations-folder.ts';

export type MigrationRefusal = 'failed' | 'edited' | 'newer' | 'busy' | 'denied';

/** The tables are in a state that this build cannot continue from. The message is meant for an operator. */
export class MigrationError extends Error {
  override readonly name = 'MigrationError';
  readonly reason: MigrationRefusal;

  constructor(reason: MigrationRefusal, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.reason = reason;
  }
}

/** Prisma Migrate's own advisory lock, so that concurrent starts, ours or Prisma's, take turns. */
const lockKey = 72707369;
const lockTimeoutMs = 60_000;

/**
 * How long a migration waits for a table that others use, as a backup does for hours. Whoever comes later waits behind it,
 * other processes of the service included, so it gives up soon and tries again.
 */
const tableLockMs = 1000;
const betweenTriesMs = 2000;

const createTable = `CREATE TABLE _prisma_migrations (
  id VARCHAR(36) PRIMARY KEY NOT NULL,
  checksum VARCHAR(64) NOT NULL,
  finished_at TIMESTAMPTZ,
  migration_name VARCHAR(255) NOT NULL,
  logs TEXT,
  rolled_back_at TIMESTAMPTZ,
  started_at TIMESTAMPTZ NOT NULL DEFAULT now(),
  applied_steps_count INTEGER NOT NULL DEFAULT 0
)`;

/** PostgreSQL's code. */
const lockTimeout = '55P03';

/** A line that marks a migration to run outside of a transaction. */
const noTransaction = /^-- no-transaction\b/m;

/**
 * Applies the missing migrations, each in one transaction with its own record. Returns their names in order. Throws
 * MigrationError.
 *
 * @param onBlocked called with the name of a migration when it first has to wait for a table that others use.
 */
export async function applyMigrations(
  config: pg.ClientConfig,
  migrationsDir: string,
  onBlocked: (migration: string) => void = () => undefined,
): Promise<readonly string[]> {
  const wanted = await listMigrations(migrationsDir);
  const client = new pg.Client(config);
  client.on('error', () => {});
  await client.connect();
  try {
    await takeLock(client);
    await createTableOnce(client);
    const missing = await listMissing(client, wanted);
    for (const migration of missing) await applyOne(client, migration, onBlocked);
    return missing.map((migration) => migration.name);
  } catch (error) {
    throw explainDenied(client, error);
  } finally {
    // The lock belongs to the session and ends with it.
    await client.end().catch(() => {});
  }
}

async function takeLock(client: pg.Client): Promise<void> {
  await client.query(`SET lock_timeout = ${lockTimeoutMs}`);
  try {
    await client.query(`SELECT pg_advisory_lock(${lockKey})`);
  } catch (error) {
    if (!(error instanceof pg.DatabaseError) || error.code !== lockTimeout) throw error;
    throw new MigrationError(
      'busy',
      `Another process has been migrating this database for ${lockTimeoutMs / 1000} s. Start again when it has finished.`,
      error,
    );
  }
  await client.query('SET lock_timeout = DEFAULT; SET statement_timeout = 0');
}

/** Where the table exists, its user needs no right to create one. */
async function createTableOnce(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ exists: boolean }>(
    "SELECT to_regclass('_prisma_migrations') IS NOT NULL AS exists",
  );
  if (rows[0]?.exists !== true) await client.query(createTable);
}

/** What to do where the user lacks a right; any other error as it is. */
function explainDenied(client: pg.Client, error: unknown): unknown {
  const cause = error instanceof MigrationError ? error.cause : error;
  if (!(cause instanceof pg.DatabaseError) || cause.code !== '42501') return error;
  return new MigrationError(
    'denied',
    `The PostgreSQL user ${client.user} may not create or change the tables of the database ${client.database}: ` +
      `${cause.message}. Start as the user that owns the tables or, if there are none yet, as the owner of the database ` +
      'or a user with CREATE on its schema public. While no migration is missing, a user with all rights on the tables ' +
      'and sequences is enough.',
    error,
  );
}

interface AppliedRow {
  readonly migration_name: string;
  readonly checksum: string;
  readonly finished_at: Date | null;
}

async function listMissing(
  client: pg.Client,
  wanted: readonly Migration[],
): Promise<readonly Migration[]> {
  const { rows } = await client.query<AppliedRow>(
    'SELECT migration_name, checksum, finished_at FROM _prisma_migrations WHERE rolled_back_at IS NULL',
  );
  refuse('failed', namesOf(rows.filter((row) => row.finished_at === null)));
  const checksums = new Map(wanted.map((migration) => [migration.name, migration.checksum]));
  refuse('newer', namesOf(rows.filter((row) => !checksums.has(row.migration_name))));
  refuse(
    'edited',
    namesOf(rows.filter((row) => checksums.get(row.migration_name) !== row.checksum)),
  );
  const applied = new Set(namesOf(rows));
  return wanted.filter((migration) => !applied.has(migration.name));
}

function namesOf(rows: readonly AppliedRow[]): readonly string[] {
  return rows.map((row) => row.migration_name);
}

const refusals = {
  failed: 'The database has a migration that failed halfway',
  newer: 'The database was migrated by a newer Querydock than this one',
  edited: 'The database was migrated with files that have changed since',
} as const;

function refuse(reason: keyof typeof refusals, names: readonly string[]): void {
  if (names.length === 0) return;
  const advice = {
    failed:
      'Undo in the database what it has done, and record that: UPDATE _prisma_migrations SET rolled_back_at = now() ' +
      'WHERE finished_at IS NULL. The next start runs it again.',
    newer: 'Start the newer version; this one would damage its data.',
    edited: 'Restore the original files; a change needs a new migration.',
  }[reason];
  throw new MigrationError(reason, `${refusals[reason]}: ${names.join(', ')}. ${advice}`);
}

async function applyOne(
  client: pg.Client,
  migration: Migration,
  onBlocked: (migration: string) => void,
): Promise<void> {
  try {
    if (noTransaction.test(migration.sql)) return await applyBare(client, migration);
    for (let tries = 0; !(await wasApplied(client, migration)); tries += 1) {
      if (tries === 0) onBlocked(migration.name);
      await delay(betweenTriesMs);
    }
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new MigrationError('failed', `The migration ${migration.name} failed: ${reason}`, error);
  }
}

/** False, and nothing is changed, while others use a table that it needs for itself. */
async function wasApplied(client: pg.Client, migration: Migration): Promise<boolean> {
  try {
    await applyWhole(client, migration);
    return true;
  } catch (error) {
    if (!(error instanceof pg.DatabaseError) || error.code !== lockTimeout) throw error;
    return false;
  }
}

/** Runs the script and inserts its row in one transaction; a failure leaves neither. */
async function applyWhole(client: pg.Client, migration: Migration): Promise<void> {
  await client.query(`BEGIN; SET LOCAL lock_timeout = ${tableLockMs}`);
  try {
    // One simple query: PostgreSQL itself splits the script into statements, whatever its quoting.
    await client.query(migration.sql);
    await client.query(
      `INSERT INTO _prisma_migrations (id, checksum, migration_name, started_at, finished_at, applied_steps_count)
       VALUES ($1, $2, $3, clock_timestamp(), clock_timestamp(), 1)`,
      [randomUUID(), migration.checksum, migration.name],
    );
    await client.query('COMMIT');
  } catch (error) {
    await client.query('ROLLBACK').catch(() => {});
    throw error;
  }
}

/** Inserts the row first and marks it finished afterwards; a failure stays visible and is refused at the next start. */
async function applyBare(client: pg.Client, migration: Migration): Promise<void> {
  const id = randomUUID();
  await client.query(
    'INSERT INTO _prisma_migrations (id, checksum, migration_name) VALUES ($1, $2, $3)',
    [id, migration.checksum, migration.name],
  );
  try {
    await client.query(migration.sql);
  } catch (error) {
    await client.query('UPDATE _prisma_migrations SET logs = $2 WHERE id = $1', [
      id,
      String(error),
    ]);
    throw error;
  }
  await client.query(
    'UPDATE _prisma_migrations SET finished_at = clock_timestamp(), applied_steps_count = 1 WHERE id = $1',
    [id],
  );
}
