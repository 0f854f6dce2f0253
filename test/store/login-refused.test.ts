/** A PostgreSQL that no longer lets a running service in, as when its password or the database's name was changed. */
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { type App, openApp } from '../../src/app.ts';
import { openLog } from '../../src/config/open-log.ts';
import { type MetadataDatabase, openMetadataDatabase } from '../../src/store/metadata-database.ts';
import { openTestApp, type TestApp } from '../support/test-app.ts';
import { withClient } from '../support/test-server.ts';

const log = openLog('silent');
const role = `login_refused_${process.pid}`;
let test: TestApp;
let metadata: MetadataDatabase;
let app: App;
/** Of the database. */
let name: string;

const admin = async (...statements: readonly string[]) => {
  await withClient(inject('postgres').databaseUrl, async (client) => {
    for (const statement of statements) await client.query(statement);
  });
};
const cut = () =>
  admin(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${name}' AND usename = '${role}'`,
  );

/** A second process, whose statements are sent as a user of its own. */
beforeAll(async () => {
  test = await openTestApp();
  await test.rest('POST', '/endpoints', { body: { name: 'one', query: 'SELECT 1' } });
  const url = new URL(test.backends.metadata.connection.connectionString ?? '');
  name = url.pathname.slice(1);
  await admin(`CREATE ROLE ${role} LOGIN`);
  await withClient(url.href, (client) =>
    client.query(
      `GRANT ALL ON ALL TABLES IN SCHEMA public TO ${role};
       GRANT ALL ON ALL SEQUENCES IN SCHEMA public TO ${role}`,
    ),
  );
  url.username = role;
  metadata = await openMetadataDatabase({ log, databaseUrl: url.href });
  const { connection } = test.backends.metadata;
  app = await openApp({
    config: test.app.core.config,
    log,
    backends: { ...test.backends, metadata: { ...metadata, connection } },
    clock: test.clock,
  });
});
afterAll(async () => {
  await app?.stop();
  await metadata?.close();
  await test?.close();
  await admin(`DROP ROLE ${role}`);
});

async function ask(path: string, init: RequestInit = {}) {
  const url = `http://querydock.test/api/projects/${test.project.id}${path}`;
  const headers = {
    authorization: `Bearer ${test.project.writeKey}`,
    'content-type': 'application/json',
  };
  const response = await app.fetch(new Request(url, { ...init, headers }));
  const retryAfter = response.headers.get('retry-after');
  return { ...(await response.json()), status: response.status, retryAfter };
}

const describeOne = (description: string) =>
  ask('/endpoints/one', { method: 'PATCH', body: JSON.stringify({ description }) });

describe.each([
  ['its user may not log in', `ALTER ROLE ${role} NOLOGIN`, `ALTER ROLE ${role} LOGIN`],
  ['the database accepts no connections', 'ALLOW_CONNECTIONS false', 'ALLOW_CONNECTIONS true'],
])('while %s', (_what, refuse, accept) => {
  const set = (what: string) =>
    admin(what.startsWith('ALTER') ? what : `ALTER DATABASE ${name} ${what}`);

  it('changes are 503 and known runs continue, until it lets the service in again', async () => {
    expect(await ask('/endpoints/one/run')).toMatchObject({ status: 200 });
    await set(refuse);
    await cut();
    // From here on, what was looked up would be read again.
    test.clock.advance(5001);
    expect(await ask('/endpoints/one/run')).toMatchObject({ status: 200 });
    expect(await describeOne('lost')).toMatchObject({
      status: 503,
      code: 'service_unavailable',
      detail: expect.stringContaining('does not accept the login of this service'),
      retryAfter: '1',
    });
    await set(accept);
    expect(await ask('/endpoints/one')).toMatchObject({ status: 200, description: '' });
  });
});

it('changes are 503 while its user lacks a right, until it has that again', async () => {
  const own = (statement: string) =>
    withClient(test.backends.metadata.connection.connectionString ?? '', (client) =>
      client.query(statement),
    );
  await own(`REVOKE UPDATE ON ALL TABLES IN SCHEMA public FROM ${role}`);
  expect(await describeOne('lost')).toMatchObject({
    status: 503,
    code: 'service_unavailable',
    detail: expect.stringContaining('refuses this service a right that it needs'),
    retryAfter: '1',
  });
  await own(`REVOKE SELECT ON ALL TABLES IN SCHEMA public FROM ${role}`);
  test.clock.advance(5001);
  expect(await ask('/endpoints/one/run')).toMatchObject({ status: 200 });
  expect(await ask('/endpoints/one')).toMatchObject({ status: 503, code: 'service_unavailable' });
  await own(`GRANT ALL ON ALL TABLES IN SCHEMA public TO ${role}`);
  expect(await ask('/endpoints/one')).toMatchObject({ status: 200, description: '' });
});

it('changes work again afterwards', async () => {
  expect(await describeOne('kept')).toMatchObject({ status: 200, description: 'kept' });
});
