import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { createKey } from '../../src/access/create-key.ts';
import { type App, openApp } from '../../src/app.ts';
import { type Backends, openBackends } from '../../src/backends.ts';
import { readConfig } from '../../src/config/config.ts';
import { openLog } from '../../src/config/open-log.ts';
import { findMigrationsDir, listMigrations } from '../../src/store/migrations-folder.ts';
import { isThere } from '../support/needs.ts';
import { fixedProjectIds } from '../support/project-ids.ts';
import { withClient, withDatabase } from '../support/test-server.ts';

const server = process.env.DATABASE_URL_EXTERNAL ?? '';
const available = isThere('a PostgreSQL server in DATABASE_URL_EXTERNAL', server !== '');

describe.skipIf(!available)('production: PostgreSQL and ClickHouse by their URLs', () => {
  const database = `querydock_test_${randomBytes(4).toString('hex')}`;
  /** Far from the ids of the other files, which share the engine. */
  const projectId = fixedProjectIds.productionMode;
  let backends: Backends;
  let app: App;
  let key: string;

  async function open(): Promise<void> {
    const engine = inject('engine');
    const config = readConfig({
      DATABASE_URL: withDatabase(server, database),
      DRAIN_SECONDS: '0',
      CLICKHOUSE_URL: engine.clickhouseUrl,
      CLICKHOUSE_USER_SECRET: engine.secret,
      PUBLIC_URL: 'http://querydock.test',
      DATA_DIR: '/nonexistent/and/not/needed',
    });
    const log = openLog('silent');
    backends = await openBackends(config, log);
    app = await openApp({ config, log, backends });
  }

  async function ask(path: string, init: RequestInit = {}) {
    const response = await app.fetch(
      new Request(`http://querydock.test/api/projects/${projectId}/endpoints${path}`, {
        ...init,
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      }),
    );
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  }

  beforeAll(async () => {
    await withClient(server, (client) => client.query(`CREATE DATABASE ${database}`));
    await open();
    await backends.metadata.pool.query(
      "SELECT setval(pg_get_serial_sequence('project', 'id'), $1, false)",
      [projectId],
    );
    const project = await app.core.projects.createProject('flights');
    const user = await app.core.users.findOrCreateUser({ email: 'a@querydock.test' });
    const request = {
      label: 'x',
      scopes: ['endpoint:write'],
      projectIds: [project.id],
      expiresAt: null,
    };
    ({ key } = await createKey(app.core, user.id, request));
  });

  afterAll(async () => {
    await backends.engine.deprovision(projectId);
    await app.stop();
    await backends.stop();
    await withClient(server, (client) => client.query(`DROP DATABASE ${database} WITH (FORCE)`));
  });

  it('migrates an empty database, saves and runs, without a data folder', async () => {
    const body = JSON.stringify({ name: 'one', query: 'SELECT {n:UInt64} AS n' });
    expect((await ask('', { method: 'POST', body })).status).toBe(201);
    expect(await ask('/one/run?variables[n]=18446744073709551615&integers=string')).toMatchObject({
      status: 200,
      body: { results: [['18446744073709551615']], is_cached: false },
    });
  });

  it('finds everything again at the next start, and migrates nothing', async () => {
    await app.stop();
    await backends.stop();
    await open();
    expect(await ask('/one')).toMatchObject({
      status: 200,
      body: { name: 'one', current_version: 1 },
    });
    const { rows } = await backends.metadata.pool.query(
      'SELECT count(*)::int AS applied FROM _prisma_migrations',
    );
    expect(rows).toEqual([{ applied: (await listMigrations(findMigrationsDir())).length }]);
  });
});
