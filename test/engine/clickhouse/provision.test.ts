/**
 * What making a project's place comes to on a server whose users an operator keeps, by what is there already. Making users
 * by SQL takes a server that lets its administrator make them; the statements are tried in `provision-sql.test.ts`.
 */
import { randomUUID } from 'node:crypto';
import { Writable } from 'node:stream';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Config } from '../../../src/config/config.ts';
import { openLog } from '../../../src/config/open-log.ts';
import { openClickHouseEngine } from '../../../src/engine/clickhouse/clickhouse-engine.ts';
import {
  type EngineConnection,
  remoteConnection,
} from '../../../src/engine/clickhouse/http/connection.ts';
import type { QueryEngine } from '../../../src/engine/query-engine.ts';
import { adminRunner } from '../support/admin.ts';
import { config, type LocalEngine, secret, startLocalEngine } from '../support/local-engine.ts';

let server: LocalEngine;
let admin: (sql: string) => Promise<string>;
let logged = '';
let opened: QueryEngine | undefined;

beforeAll(async () => {
  server = await startLocalEngine();
  admin = adminRunner(server.engine.connection);
});
afterEach(async () => {
  await opened?.close();
  opened = undefined;
  logged = '';
});
afterAll(() => server?.close());

/** The engine as a service by URL sees it. */
function openRemote(
  settings: Partial<Config> = {},
  by = secret,
  own: Partial<EngineConnection> = {},
): QueryEngine {
  const { url, admin: login } = server.engine.connection;
  const byAdmin = url.replace('://', `://${login.user}:${login.password}@`);
  const connection = { ...remoteConnection(byAdmin, by), ...own };
  const sink = new Writable({
    write(chunk, _encoding, done) {
      logged += String(chunk);
      done();
    },
  });
  const log = openLog('warn', sink);
  opened = openClickHouseEngine({ connection, config: { ...config, ...settings }, log });
  return opened;
}

const run = (engine: QueryEngine, projectId: number, limits = {}) =>
  engine.query({
    projectId,
    sql: 'SELECT currentDatabase() AS d',
    params: {},
    queryId: randomUUID(),
    limit: 10,
    offset: 0,
    integers: 'number',
    limits,
  });

const databases = async () =>
  (await admin("SELECT name FROM system.databases WHERE name LIKE 'project_%' ORDER BY name"))
    .split('\n')
    .filter((name) => name !== '');

describe('a project on a server', () => {
  it('whose users are there gets its database, and nothing more when that is there', async () => {
    const engine = openRemote();
    expect(await databases()).toEqual([]);
    await engine.provision(1);
    expect(await databases()).toEqual(['project_1']);
    await admin('CREATE TABLE project_1.kept ENGINE = MergeTree ORDER BY v AS SELECT 7 AS v');
    await engine.provision(1);
    expect(await admin('SELECT v FROM project_1.kept')).toBe('7\n');
    expect((await run(engine, 1)).rows.toString()).toBe('[["project_1"]]');
    expect(logged).toBe('');
  });

  it('whose users do not let the service set limits keeps its own limits, logs that once, and runs', async () => {
    // More than those users may ever have, so that what is sent with each query would be refused.
    const more = { streamTimeoutSeconds: 60, maxStreamBytes: 2_000_000_000 };
    const engine = openRemote(more);
    await engine.provision(2);
    expect(logged).not.toContain('its own limits apply');
    await engine.provision(2);
    expect(logged.match(/its own limits apply/g)).toHaveLength(1);
    expect(logged).toContain('"projectId":2');
    const { rows } = await run(engine, 2, { executionSeconds: 3, memoryBytes: 100_000_000 });
    expect(rows.toString()).toBe('[["project_2"]]');
  });

  it('whose users nobody has made, and that may not make them, is refused', async () => {
    const engine = openRemote({}, 'another secret');
    const refused = {
      code: 'engine_unavailable',
      message: expect.stringContaining('no users for this project'),
      internal: expect.stringContaining('CREATE SETTINGS PROFILE'),
    };
    await expect(engine.provision(3)).rejects.toMatchObject(refused);
    await expect(run(engine, 3)).rejects.toMatchObject({ code: 'engine_unavailable' });
    expect(await databases()).not.toContain('project_3');
  });

  it('shows of its tables those that its reader may select', async () => {
    const engine = openRemote();
    await engine.provision(6);
    await engine.provision(7);
    await admin('CREATE TABLE project_6.kept ENGINE = MergeTree ORDER BY v AS SELECT 7 AS v');
    const all = await engine.tables(6);
    expect(all).toMatchObject([{ name: 'kept', rows: 1, columns: [{ name: 'v', comment: '' }] }]);
    expect(await engine.readableTables(6)).toEqual(all);
    await engine.close();
    const { credentials } = server.engine.connection;
    const narrow = openRemote({}, secret, { credentials: (_id, role) => credentials(7, role) });
    expect(await narrow.tables(6)).toEqual(all);
    expect(await narrow.readableTables(6)).toEqual([]);
  });

  it('loses its database and not the users that the operator keeps', async () => {
    const engine = openRemote();
    await engine.provision(4);
    await engine.provision(5);
    await admin('CREATE TABLE project_4.kept ENGINE = MergeTree ORDER BY v AS SELECT 7 AS v');
    await engine.deprovision(4);
    await engine.deprovision(4);
    expect(await databases()).not.toContain('project_4');
    expect(await databases()).toContain('project_5');
    await engine.provision(4);
    expect((await run(engine, 4)).rows.toString()).toBe('[["project_4"]]');
  });
});
