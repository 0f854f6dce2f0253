import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createKey } from '../../src/access/create-key.ts';
import { type App, openApp } from '../../src/app.ts';
import { type Backends, openBackends } from '../../src/backends.ts';
import { type Config, readConfig } from '../../src/config/config.ts';
import { openLog } from '../../src/config/open-log.ts';
import {
  type EmbeddedEngine,
  openEmbeddedEngine,
} from '../../src/engine/embedded/embedded-engine.ts';
import { eventually } from '../support/eventually.ts';
import { type FreshDatabase, freshDatabase } from '../support/postgres.ts';
import { openRelay, type Relay } from '../support/relay.ts';

const log = openLog('silent');
let database: FreshDatabase;
let dir: string;
let engine: EmbeddedEngine;
let relay: Relay;
let backends: Backends;
let app: App;
let key: string;

/** Production's way: both backends by URL. */
beforeAll(async () => {
  database = await freshDatabase();
  dir = await mkdtemp(path.join(os.tmpdir(), 'querydock-lost-'));
  engine = await openEmbeddedEngine({
    dir,
    config: readConfig({}),
    log,
    secret: 'shared',
    highestProjectId: 0,
  });
  relay = await openRelay(engine.connection.url);
  await relay.listen();
  const url = new URL(`http://127.0.0.1:${relay.port}`);
  url.username = engine.connection.admin.user;
  url.password = engine.connection.admin.password;
  const config: Config = {
    ...readConfig({
      DATABASE_URL: database.databaseUrl,
      CLICKHOUSE_URL: url.href,
      CLICKHOUSE_USER_SECRET: 'shared',
      QUERY_TIMEOUT_SECONDS: '4',
    }),
    publicUrl: 'http://querydock.test',
  };
  backends = await openBackends(config, log);
  app = await openApp({ config, log, backends });
  const project = await app.core.projects.createProject('flights');
  const user = await app.core.users.findOrCreateUser({ email: 'a@querydock.test' });
  ({ key } = await createKey(app.core, user.id, {
    label: 'x',
    scopes: ['endpoint:write'],
    projectIds: [project.id],
    expiresAt: null,
  }));
  await ask('POST', '', { name: 'one', query: 'SELECT 1 AS one', cache_age_seconds: 0 });
  await ask('POST', '', { name: 'kept', query: 'SELECT 2 AS two' });
  await ask('GET', '/kept/run');
});

afterAll(async () => {
  await app.stop();
  await backends.stop();
  await relay.close();
  await engine.stop();
  await database.drop();
  await rm(dir, { recursive: true, force: true });
});

async function ask(
  method: string,
  tail: string,
  body?: unknown,
): Promise<{ status: number; headers: Headers; body: unknown }> {
  const response = await app.fetch(
    new Request(`http://querydock.test/api/projects/@current/endpoints${tail}`, {
      method,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    }),
  );
  return { status: response.status, headers: response.headers, body: await response.json() };
}

const ready = async () => {
  const response = await app.fetch(new Request('http://querydock.test/readyz'));
  return [response.status, await response.json()];
};

describe('an engine by URL', () => {
  it('serves as the local one does', async () => {
    expect(await ready()).toEqual([
      200,
      { ready: true, parts: { records: 'ready', engine: 'ready' } },
    ]);
    expect((await ask('GET', '/one/run')).body).toMatchObject({ results: [[1]], is_cached: false });
  });

  it('whose response is lost on the way is unavailable, which is not the fault of the query', async () => {
    // New connections work, so that the engine responds to everything else.
    relay.freeze();
    const { status, body } = await ask('GET', '/one/run');
    expect([status, body]).toMatchObject([503, { code: 'engine_unavailable' }]);
    await eventually(
      'runs are served on other connections',
      async () => (await ask('GET', '/one/run')).status === 200,
    );
  });

  it('that is killed is waited for or gets 503, and serves again once it is back', async () => {
    process.kill(engine.pid() ?? 0, 'SIGKILL');
    const { status, headers } = await ask('GET', '/one/run');
    expect([200, 503]).toContain(status);
    if (status === 503) expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
    await eventually(
      'runs are served again',
      async () => (await ask('GET', '/one/run')).status === 200,
    );
  });

  it('that is gone is reported as 503 with Retry-After, while what is cached and stored is served', async () => {
    await engine.stop();
    const run = await ask('GET', '/one/run');
    expect([run.status, run.body]).toMatchObject([
      503,
      { type: 'server_error', code: 'engine_unavailable', attr: null },
    ]);
    expect(Number(run.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await ask('POST', '', { name: 'new', query: 'SELECT 1' })).status).toBe(503);
    expect((await ask('GET', '/new')).status).toBe(404);
    expect((await ask('GET', '/kept/run')).body).toMatchObject({ results: [[2]], is_cached: true });
    expect((await ask('GET', '/one')).status).toBe(200);
    expect(await ready()).toEqual([
      200,
      { ready: true, parts: { records: 'ready', engine: 'does not answer' } },
    ]);
  });
});
