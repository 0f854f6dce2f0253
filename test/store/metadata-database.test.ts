import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openLog } from '../../src/config/open-log.ts';
import { ServiceError } from '../../src/errors/service-error.ts';
import { WriteConflictError } from '../../src/errors/write-conflict-error.ts';
import { openEmbeddedPostgres } from '../../src/store/embedded-postgres.ts';
import { type MetadataDatabase, openMetadataDatabase } from '../../src/store/metadata-database.ts';
import {
  isForeignKeyViolation,
  isUnavailable,
  isUniqueViolation,
  NotRespondingError,
  toMetadataError,
} from '../../src/store/prisma-errors.ts';
import { openProjectStore } from '../../src/store/project-store.ts';
import { testClock } from '../support/clock.ts';
import { eventually } from '../support/eventually.ts';
import { type FreshDatabase, freshDatabase } from '../support/postgres.ts';
import { postmasterPid } from '../support/postgres-owner-process.ts';
import { openRelay } from '../support/relay.ts';
import { withClient } from '../support/test-server.ts';

const log = openLog('silent');
let database: FreshDatabase;
let records: MetadataDatabase;

beforeAll(async () => {
  database = await freshDatabase({ empty: true });
  await withClient(database.databaseUrl, async (client) => {
    const name = new URL(database.databaseUrl).pathname.slice(1);
    await client.query(`ALTER DATABASE ${name} SET timezone = 'Asia/Kolkata'`);
    await client.query(`ALTER DATABASE ${name} SET default_transaction_isolation = 'serializable'`);
  });
  records = await openMetadataDatabase({ databaseUrl: database.databaseUrl, log });
});
afterAll(async () => {
  await records?.close();
  await database?.drop();
});

function failureOf(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => {
      throw new Error('it did not fail');
    },
    (error: unknown) => error,
  );
}

test('opening applies the migrations and serves queries', async () => {
  await records.ping();
  expect(await records.prisma.project.count()).toBe(0);
});

test('a connection that is lost while idle is one short line in the log', async () => {
  const lines: string[] = [];
  const log = openLog('warn', { write: (line) => void lines.push(line) });
  const other = await openMetadataDatabase({ databaseUrl: database.databaseUrl, log });
  const { rows } = await other.pool.query('SELECT pg_backend_pid() AS pid');
  await records.pool.query('SELECT pg_terminate_backend($1)', [rows[0].pid]);
  await eventually('the loss is in the log', () => lines.join('').includes('lost a connection'));
  const found = lines.filter((line) => line.includes('lost a connection'));
  expect(found.join('')).toContain('terminating connection due to administrator command');
  expect(found.join('')).not.toMatch(/connectionParameters|"user"|"client"/);
  await other.ping();
  await other.close();
});

test('times are the same by Prisma and by SQL, whatever the server’s zone is', async () => {
  const createdAt = new Date('2026-03-01T12:00:00.123Z');
  const { id } = await records.prisma.project.create({ data: { name: 'zone', createdAt } });
  const { rows } = await records.pool.query('SELECT created_at FROM project WHERE id = $1', [id]);
  expect(rows).toEqual([{ created_at: createdAt }]);
  const found = await records.prisma.project.findUniqueOrThrow({ where: { id } });
  expect(found.createdAt).toEqual(createdAt);
  const { rows: isolation } = await records.pool.query('SHOW transaction_isolation');
  expect(isolation).toEqual([{ transaction_isolation: 'read committed' }]);
});

test('statements are prepared once per connection and used again', async () => {
  const { rows } = await records.pool.query<{ one: number }>('SELECT 1 AS one');
  expect(rows).toEqual([{ one: 1 }]);
  for (let i = 0; i < 3; i++) await records.prisma.user.count();
  const client = await records.pool.connect();
  const { rows: prepared } = await client.query('SELECT name FROM pg_prepared_statements');
  client.release();
  expect(prepared.length).toBeGreaterThan(0);
});

test('a lost connection does not end the process and is made again', async () => {
  await records.ping();
  await withClient(database.databaseUrl, (client) =>
    client.query(
      'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
    ),
  );
  await eventually('it answers again', async () => {
    await records.ping();
    return true;
  });
  await eventually('Prisma does too', async () => (await records.prisma.user.count()) === 0);
});

describe('what a failure means', () => {
  test('a taken value, by the name of its index', async () => {
    await records.prisma.project.create({ data: { name: 'taken' } });
    const viaPrisma = await failureOf(records.prisma.project.create({ data: { name: 'taken' } }));
    const viaPool = await failureOf(
      records.pool.query("INSERT INTO project (name) VALUES ('taken')"),
    );
    const viaRaw = await failureOf(
      records.prisma.$executeRaw`INSERT INTO project (name) VALUES ('taken')`,
    );
    for (const error of [viaPrisma, viaPool, viaRaw]) {
      expect(isUniqueViolation(error)).toBe(true);
      expect(isUniqueViolation(error, 'project_name_key')).toBe(true);
      expect(isUniqueViolation(error, 'user_email_key')).toBe(false);
      expect([isForeignKeyViolation(error), isUnavailable(error)]).toEqual([false, false]);
      expect(toMetadataError(error)).toBe(error);
    }
  });

  test('a reference to nothing', async () => {
    const data = { projectId: 2_000_000, name: 'a', graphqlName: 'a' };
    const error = await failureOf(records.prisma.endpoint.create({ data }));
    expect(isForeignKeyViolation(error)).toBe(true);
    expect(isUniqueViolation(error)).toBe(false);
  });

  test('a refusal by PostgreSQL, which is none of these', async () => {
    const { id } = await records.prisma.project.create({ data: { name: 'rules' } });
    const error = await failureOf(
      records.prisma.endpoint.create({ data: { projectId: id, name: '9', graphqlName: 'a' } }),
    );
    expect([isUniqueViolation(error), isForeignKeyViolation(error)]).toEqual([false, false]);
    expect(toMetadataError(error)).toBe(error);
  });

  test.each([
    ['a database that is read-only', 'SET TRANSACTION READ ONLY', /is read-only/],
    ['a statement that takes too long', 'SET LOCAL statement_timeout = 1', /took too long/],
  ])('%s, which may pass', async (_what, setting, message) => {
    const work = records.prisma.$transaction(async (tx) => {
      await tx.$executeRawUnsafe(setting);
      await tx.$executeRawUnsafe("SELECT pg_sleep(0.2), set_config('a.b', '', true)");
      await tx.project.create({ data: { name: 'refused' } });
    });
    expect(toMetadataError(await failureOf(work))).toMatchObject({
      code: 'service_unavailable',
      message: expect.stringMatching(message),
    });
  });

  test('a conflict between serializable transactions, which is not an outage', async () => {
    const { id } = await records.prisma.project.create({ data: { name: 'conflict' } });
    const bothRead = Promise.withResolvers<void>();
    let readers = 0;
    const rename = (name: string) =>
      records.prisma.$transaction(
        async (tx) => {
          await tx.project.findUnique({ where: { id } });
          readers++;
          if (readers === 2) bothRead.resolve();
          await bothRead.promise;
          await tx.project.update({ where: { id }, data: { name } });
        },
        { isolationLevel: 'Serializable' },
      );
    const results = await Promise.allSettled([rename('x'), rename('y')]);
    const failed = results.flatMap((r) => (r.status === 'rejected' ? [r.reason] : []));
    expect(failed).toHaveLength(1);
    expect(isUnavailable(failed[0])).toBe(false);
    expect(toMetadataError(failed[0])).toBeInstanceOf(WriteConflictError);
  });

  test('nothing, for what is no error of the database', () => {
    for (const error of [null, undefined, 'x', new Error('x'), new ServiceError('error', 'x')]) {
      expect(isUniqueViolation(error)).toBe(false);
      expect(isUnavailable(error)).toBe(false);
      expect(toMetadataError(error)).toBe(error);
    }
  });
});

describe('a PostgreSQL that is not there', () => {
  test('is unavailable when the heartbeat says so, whoever passes its error on', () => {
    const failure = new NotRespondingError();
    const passedOn = [failure, new Error('wrapped', { cause: failure })];
    for (const error of passedOn)
      expect(toMetadataError(error)).toMatchObject({ code: 'service_unavailable' });
    expect(isUnavailable(new Error(failure.message))).toBe(false);
  });

  test('is refused with its address and without its password', async () => {
    const databaseUrl = database.databaseUrl.replace(/\/[^/?]*(\?|$)/, '/no_such_database$1');
    const error = await failureOf(openMetadataDatabase({ databaseUrl, log }));
    expect(error).toMatchObject({
      name: 'MetadataDatabaseError',
      message: expect.stringMatching(/no_such_database.*does not exist.*DATABASE_URL/),
    });
  });

  test('is waited for while it starts', async () => {
    const relay = await openRelay(database.databaseUrl);
    const opening = openMetadataDatabase({ databaseUrl: relay.databaseUrl, log });
    await relay.listen();
    const late = await opening;
    await late.ping();
    expect((await late.pool.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
    await late.close();
    await relay.close();
  });

  test('makes every store throw service_unavailable, and works again when it is back', async () => {
    const dir = await mkdtemp(path.join(os.tmpdir(), 'querydock-records-'));
    const postgres = await openEmbeddedPostgres({ dir, log });
    const own = await openMetadataDatabase({ connection: postgres.connection, log });
    const projects = openProjectStore({ prisma: own.prisma, clock: testClock() });
    try {
      const made = await projects.createProject('kept');
      process.kill(await postmasterPid(dir), 'SIGKILL');
      const failures: unknown[] = [];
      await eventually('it fails once', async () => {
        await projects.findProject(made.id).catch((error: unknown) => failures.push(error));
        return failures.length > 0;
      });
      await eventually('it is back', () => postgres.state() === 'ready');
      await eventually('it is found again', async () => {
        const found = await projects.findProject(made.id).catch((error: unknown) => {
          failures.push(error);
          return null;
        });
        return found?.name === 'kept';
      });
      for (const failure of failures) {
        expect(failure).toMatchObject({ code: 'service_unavailable', retryAfterSeconds: 1 });
      }
      await postgres.stop();
      const refused = await failureOf(projects.createProject('late'));
      expect(refused).toMatchObject({ code: 'service_unavailable', retryAfterSeconds: 1 });
      const direct = await failureOf(own.prisma.project.count());
      expect(isUnavailable(direct)).toBe(true);
    } finally {
      await own.close();
      await postgres.stop();
      await rm(dir, { recursive: true, force: true });
    }
  });
});
