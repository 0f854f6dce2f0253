/** What prisma/schema.prisma cannot say and the migrations therefore say by hand. */
import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type FreshDatabase, freshDatabase } from '../support/postgres.ts';

let database: FreshDatabase;
let client: pg.Client;
const id = '01900000-0000-7000-8000-000000000001';

beforeAll(async () => {
  database = await freshDatabase();
  client = new pg.Client(database.connection);
  await client.connect();
  await client.query(`
    INSERT INTO "user" (id, uuid, email) VALUES (1, gen_random_uuid(), 'a@example.com');
    INSERT INTO project (id, name) VALUES (1, 'p');
    INSERT INTO endpoint (id, project_id, name, graphql_name) VALUES ('${id}', 1, 'sales', 'sales')`);
});
afterAll(async () => {
  await client?.end();
  await database?.drop();
});

/** Inserts inside a transaction that is always rolled back. Returns the constraint that refused, or null. */
async function refusedBy(table: string, row: Readonly<Record<string, unknown>>) {
  const columns = Object.keys(row);
  await client.query('BEGIN');
  try {
    await client.query(
      `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${columns.map((_, i) => `$${i + 1}`).join(', ')})`,
      Object.values(row),
    );
    return null;
  } catch (error) {
    if (error instanceof pg.DatabaseError) return error.constraint ?? error.message;
    throw error;
  } finally {
    await client.query('ROLLBACK');
  }
}

const other = '01900000-0000-7000-8000-000000000002';
const endpoint = { id: other, project_id: 1, name: 'ok', graphql_name: 'ok' };
const version = { id: other, endpoint_id: id, version: 1, query: '{}' };
const key = {
  id: other,
  user_id: 1,
  label: 'l',
  prefix: 'qdk_abcd',
  hash: randomBytes(32),
  scopes: ['admin'],
};
const execution = {
  id: other,
  project_id: 1,
  endpoint_name: 'sales',
  version: 1,
  door: 'rest',
  served_from: 'inline',
  start_time: '2026-01-01T00:00:00Z',
};

describe('an endpoint’s name', () => {
  test.each(['a', 'A_b-9', 'run', `a${'b'.repeat(127)}`])('may be %s', async (name) => {
    expect(await refusedBy('endpoint', { ...endpoint, name })).toBeNull();
  });
  test.each([
    '',
    '9a',
    '_a',
    'a b',
    'a\n',
    'a.b',
    'ä',
    'aé',
    `a${'b'.repeat(128)}`,
    'last_execution_times',
  ])('may not be %j', async (name) => {
    expect(await refusedBy('endpoint', { ...endpoint, name })).toBe('endpoint_name_check');
  });
});

describe('the name of an endpoint’s field', () => {
  test.each(['a', 'aB_2', 'salesV2', `a${'b'.repeat(139)}`])('may be %s', async (name) => {
    expect(await refusedBy('endpoint', { ...endpoint, graphql_name: name })).toBeNull();
  });
  test.each(['', 'A', '_a', '2a', 'a-b', 'é', 'a_v2', `a${'b'.repeat(140)}`])(
    'may not be %j',
    async (name) => {
      const row = { ...endpoint, graphql_name: name };
      expect(await refusedBy('endpoint', row)).toBe('endpoint_graphql_name_check');
    },
  );
  test('is that of one endpoint of its project', async () => {
    const row = { ...endpoint, graphql_name: 'sales' };
    expect(await refusedBy('endpoint', row)).toBe('endpoint_project_id_graphql_name_key');
  });
});

test.each([
  [1, null],
  [0, 'endpoint_version_version_check'],
  [-1, 'endpoint_version_version_check'],
])('version %s: %s', async (number, constraint) => {
  expect(await refusedBy('endpoint_version', { ...version, version: number })).toBe(constraint);
});

test.each([
  [null, null],
  [0, null],
  [86_400, null],
  [-1, 'endpoint_version_cache_age_seconds_check'],
  [86_401, 'endpoint_version_cache_age_seconds_check'],
])('cache age %s: %s', async (age, constraint) => {
  expect(await refusedBy('endpoint_version', { ...version, cache_age_seconds: age })).toBe(
    constraint,
  );
});

const cadences = '5min 15min 30min 1hour 2hour 4hour 6hour 12hour 24hour 7day 30day'.split(' ');
test.each([...cadences, 'weekly', '', '1min'])('cadence %j', async (cadence) => {
  await client.query('BEGIN');
  await client.query(
    `INSERT INTO endpoint_version (id, endpoint_id, version, query) VALUES ('${other}', '${id}', 1, '{}')`,
  );
  const insert = client.query(
    `INSERT INTO materialization_status (id, version_id, sync_frequency) VALUES ('${other}', '${other}', $1)`,
    [cadence],
  );
  const refused = await insert.then(
    () => null,
    (error: unknown) => (error instanceof pg.DatabaseError ? error.constraint : error),
  );
  await client.query('ROLLBACK');
  const allowed = cadences.includes(cadence);
  expect(refused).toBe(allowed ? null : 'materialization_status_sync_frequency_check');
});

test.each([
  [{}, null],
  [{ door: 'graphql', served_from: 'materialized' }, null],
  [{ door: 'ftp' }, 'query_status_door_check'],
  [{ served_from: 'cache' }, 'query_status_served_from_check'],
  [{ version: 0 }, 'query_status_version_check'],
])('execution %j: %s', async (over, constraint) => {
  expect(await refusedBy('query_status', { ...execution, ...over })).toBe(constraint);
});

test.each([
  [{}, null],
  [{ scopes: ['endpoint:read', 'endpoint:write'] }, null],
  [{ scopes: [] }, 'api_key_scopes_check'],
  [{ scopes: null }, 'api_key_scopes_check'],
  [{ scopes: ['root'] }, 'api_key_scopes_check'],
  [{ hash: randomBytes(20) }, 'api_key_hash_check'],
])('key %#: %s', async (over, constraint) => {
  expect(await refusedBy('api_key', { ...key, ...over })).toBe(constraint);
});

test('the tables with many small updates keep room for them', async () => {
  const { rows } = await client.query(
    "SELECT relname, reloptions FROM pg_class WHERE relname IN ('endpoint', 'api_key') ORDER BY 1",
  );
  expect(rows).toEqual([
    { relname: 'api_key', reloptions: ['fillfactor=80'] },
    { relname: 'endpoint', reloptions: ['fillfactor=80'] },
  ]);
});
