/** PostgreSQL and ClickHouse by their URLs: nothing is started, and commands find the server all the same. */
import { cpSync, existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { type FreshDatabase, freshDatabase } from '../support/postgres.ts';
import { fixedProjectIds } from '../support/project-ids.ts';
import { withClient } from '../support/test-server.ts';
import { type Caller, callRest, type RunBody } from './support/calls.ts';
import {
  descendantsOf,
  querydock,
  querydockJson,
  readDemo,
  startServer,
  type TempFolder,
  tempFolder,
} from './support/processes.ts';

/** Far from the ids of the other files, which share the engine. */
const projectId = fixedProjectIds.externalBackends;

let folder: TempFolder;
let database: FreshDatabase;
let urls: { readonly DATABASE_URL: string; readonly CLICKHOUSE_URL: string };
let place: { readonly DATA_DIR: string; readonly DRAIN_SECONDS: string };

const engineEnv = () => ({ CLICKHOUSE_USER_SECRET: inject('engine').secret });

beforeAll(async () => {
  folder = await tempFolder();
  database = await freshDatabase();
  await withClient(database.databaseUrl, (client) =>
    client.query("SELECT setval(pg_get_serial_sequence('project', 'id'), $1, false)", [projectId]),
  );
  place = { DATA_DIR: path.join(folder.dir, 'data'), DRAIN_SECONDS: '0' };
  urls = { DATABASE_URL: database.databaseUrl, CLICKHOUSE_URL: inject('engine').clickhouseUrl };
});

afterAll(async () => {
  const url = new URL(urls.CLICKHOUSE_URL);
  const headers = { 'x-clickhouse-user': url.username, 'x-clickhouse-key': url.password };
  for (const id of [projectId, projectId + 1, projectId + 2, projectId + 3]) {
    const body = `DROP DATABASE IF EXISTS project_${id} SYNC`;
    await fetch(url.origin, { method: 'POST', headers, body });
  }
  await database.drop();
  await folder.remove();
});

it('serves the demo from them, and commands work beside it and without it', async () => {
  const server = await startServer('demo', { ...urls, ...engineEnv(), ...place });
  expect(descendantsOf(server.pid)).toEqual([]);
  expect(existsSync(path.join(place.DATA_DIR, 'postgres'))).toBe(false);
  const demo = await readDemo(place.DATA_DIR);
  const caller: Caller = { url: demo.url, projectId: demo.project_id, key: demo.api_key };
  expect(caller.projectId).toBe(projectId);
  const response = await callRest<RunBody>(caller, { path: '/busiest_routes/run?limit=1' });
  expect(response.body.results).toEqual([['LAX', 'LAS', 8323, 236, 9.7]]);

  // It holds no lock; the server file alone tells where its parts are.
  expect(await querydockJson(['project', 'create', 'beside'], place)).toMatchObject({
    id: projectId + 1,
  });
  await server.end('SIGINT');
  const own = { ...urls, ...engineEnv(), DATA_DIR: path.join(folder.dir, 'elsewhere') };
  expect(await querydockJson(['project', 'create', 'alone'], own)).toMatchObject({
    id: projectId + 2,
  });
  expect(existsSync(own.DATA_DIR)).toBe(false);
});

it('finds each of several servers in one folder until the last has stopped', async () => {
  const shared = { ...place, DATA_DIR: path.join(folder.dir, 'shared') };
  const start = () => startServer('start', { ...urls, ...engineEnv(), ...shared });
  const list = () => querydockJson<{ projects: readonly object[] }>(['project', 'list'], shared);
  const [first, second] = [await start(), await start()];
  await querydockJson(['project', 'create', 'shared'], shared);
  const all = await list();
  expect(all.projects.at(-1)).toMatchObject({ name: 'shared' });
  await second.end('SIGINT');
  expect(await list()).toEqual(all);
  const third = await start();
  await first.end('SIGKILL');
  expect(await list()).toEqual(all);
  await third.end('SIGINT');
  // Of the killed server, until the next one replaces it.
  expect(readdirSync(shared.DATA_DIR)).toEqual(['server.json']);
  const fourth = await start();
  expect(await list()).toEqual(all);
  await fourth.end('SIGINT');
  // A command would start backends there now.
  expect(readdirSync(shared.DATA_DIR)).toEqual([]);
});

it('a command in a copy of the folder does not reach the server of the original', async () => {
  const original = { ...place, DATA_DIR: path.join(folder.dir, 'original') };
  const copy = { ...place, DATA_DIR: path.join(folder.dir, 'copy') };
  const server = await startServer('start', { ...urls, ...engineEnv(), ...original });
  cpSync(original.DATA_DIR, copy.DATA_DIR, { recursive: true });
  const list = (env: typeof copy) =>
    querydockJson<{ projects: object[] }>(['project', 'list'], env);
  const before = await list(original);
  expect(before.projects).not.toEqual([]);
  expect(await list(copy)).toEqual({ projects: [] });
  const other = await startServer('start', { ...urls, ...engineEnv(), ...copy });
  expect(readdirSync(copy.DATA_DIR)).not.toContain(`server-${other.pid}.json`);
  expect(await list(copy)).toEqual(before);
  await other.end('SIGINT');
  expect(await list(original)).toEqual(before);
  await server.end('SIGINT');
});

it('names what is wrong with a URL', async () => {
  const gone = await querydock(['project', 'list'], {
    ...place,
    ...engineEnv(),
    CLICKHOUSE_URL: urls.CLICKHOUSE_URL,
    DATABASE_URL: `${urls.DATABASE_URL.replace(/\/[^/?]*\?/, '/no_such_database?')}`,
  });
  expect(gone.code).toBe(1);
  expect(gone.stderr).toMatch(/^querydock: PostgreSQL at .* cannot be used: .*no_such_database/);
  const open = await querydock(['start'], { ...place, CLICKHOUSE_URL: 'http://localhost:1' });
  expect(open.code).toBe(1);
  expect(open.stderr).toMatch(/CLICKHOUSE_URL has no password and CLICKHOUSE_USER_SECRET is empty/);
});
