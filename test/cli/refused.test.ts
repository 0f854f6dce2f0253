/** Commands that are refused: they leave nothing behind, and say what to change. */

import { once } from 'node:events';
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { openLog } from '../../src/config/open-log.ts';
import { openEndpointStore } from '../../src/store/endpoint-store.ts';
import { openMetadataDatabase } from '../../src/store/metadata-database.ts';
import { testClock } from '../support/clock.ts';
import { type FreshDatabase, freshDatabase } from '../support/postgres.ts';
import { fixedProjectIds } from '../support/project-ids.ts';
import { endpointDraft } from '../support/stored-endpoints.ts';
import { withClient } from '../support/test-server.ts';
import {
  querydock,
  querydockJson,
  querydockProcess,
  type TempFolder,
  tempFolder,
} from './support/processes.ts';

/** Far from the ids of the other files, which share the engine. */
const projectId = fixedProjectIds.refused;

let folder: TempFolder;
let database: FreshDatabase;
let env: Readonly<Record<string, string>>;

/** The first column of the rows. */
const select = (sql: string) =>
  withClient(database.databaseUrl, async (client) =>
    (await client.query<{ readonly v: unknown }>(sql)).rows.map(({ v }) => v),
  );

beforeAll(async () => {
  folder = await tempFolder();
  database = await freshDatabase();
  await withClient(database.databaseUrl, (client) =>
    client.query("SELECT setval(pg_get_serial_sequence('project', 'id'), $1, false)", [projectId]),
  );
  env = {
    DATA_DIR: path.join(folder.dir, 'data'),
    DATABASE_URL: database.databaseUrl,
    CLICKHOUSE_URL: inject('engine').clickhouseUrl,
    CLICKHOUSE_USER_SECRET: inject('engine').secret,
  };
  await querydockJson(['project', 'create', 'shop'], env);
});
afterAll(async () => {
  const url = new URL(inject('engine').clickhouseUrl);
  const headers = { 'x-clickhouse-user': url.username, 'x-clickhouse-key': url.password };
  for (const id of [projectId, projectId + 1]) {
    const body = `DROP DATABASE IF EXISTS project_${id} SYNC`;
    await fetch(url.origin, { method: 'POST', headers, body });
  }
  await database.drop();
  await folder.remove();
});

it('a project is not created while the engine is down, and can be created later', async () => {
  const create = ['project', 'create', 'later'];
  const down = await querydock(create, { ...env, CLICKHOUSE_URL: 'http://a:b@127.0.0.1:1' });
  expect(down).toMatchObject({ code: 1, stdout: '' });
  expect(down.stderr).toContain('The engine is unavailable');
  expect(await select('SELECT name AS v FROM project')).toEqual(['shop']);
  expect(await querydockJson(create, env)).toMatchObject({ name: 'later' });
  expect(await select('SELECT name AS v FROM project ORDER BY id')).toEqual(['shop', 'later']);
});

it.each([
  [502, 'text/html', '<html><body><h1>502 Bad Gateway</h1></body></html>', 'HTTP 502 Bad Gateway'],
  [200, 'text/html; charset=utf-8', '<!DOCTYPE html><title>Log in</title>', 'HTTP 200 OK'],
  [405, 'application/json', '{"code":"method_not_allowed"}', 'HTTP 405 Method Not Allowed'],
])('an address where another server answers with %i and %s is named as such', async (...given) => {
  const [status, type, body, words] = given;
  const other = createServer((_request, response) =>
    response.writeHead(status, { 'Content-Type': type }).end(body),
  );
  const port = await new Promise<string>((resolve) => {
    other.listen(0, '127.0.0.1', () => {
      const address = other.address();
      resolve(typeof address === 'object' ? String(address?.port) : '');
    });
  });
  const wrong = { ...env, CLICKHOUSE_URL: `http://a:b@127.0.0.1:${port}` };
  const refused = await querydock(['project', 'create', 'elsewhere'], wrong);
  other.close();
  expect(refused).toMatchObject({ code: 1, stdout: '' });
  expect(refused.stderr).toContain(`${words}, which is not an answer of ClickHouse`);
  expect(refused.stderr).not.toContain(body);
});

it.each([
  [['--scope', 'bogus'], '"bogus" is not a scope'],
  [['--label', 'x\n\u001b[31mred'], 'A label must have 1 to 200 characters on one line.'],
  [['--label', ''], 'A label must have 1 to 200 characters'],
  [['--expires', '2001-01-01'], 'The expiry must be in the future'],
  [['--limit', 'result_rows=0'], 'result_rows'],
  [['--limit', ''], "option '--limit <name=number>' argument '' is invalid. It is empty."],
  [
    ['--scope', 'admin', '--project', ''],
    "option '--project <id or name>' argument '' is invalid.",
  ],
])('a key with %j is refused, and its user is not created', async (options, words) => {
  const create = ['key', 'create', '--project', 'shop', '--email', 'refused@querydock.test'];
  const refused = await querydock([...create, ...options], env);
  expect(refused).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining(words) });
  expect(await select('SELECT email AS v FROM "user"')).toEqual([]);
  expect(await select("SELECT 1 AS v FROM audit_entry WHERE action <> 'project.create'")).toEqual(
    [],
  );
});

it('a key is created together with its user, who gets further keys', async () => {
  const create = ['key', 'create', '--project', 'shop', '--email', 'Ada@querydock.test'];
  await querydockJson(create, env);
  await querydockJson(create, env);
  expect(await select('SELECT email AS v FROM "user"')).toEqual(['ada@querydock.test']);
  const entries =
    "SELECT action AS v FROM audit_entry WHERE action <> 'project.create' ORDER BY id";
  expect(await select(entries)).toEqual(['user.create', 'key.create', 'key.create']);
});

it('advice can be asked for one endpoint, which must exist', async () => {
  const { DATABASE_URL: databaseUrl = '' } = env;
  const metadata = await openMetadataDatabase({ log: openLog('silent'), databaseUrl });
  const clock = testClock('2025-01-01T00:00:00.000Z');
  const endpoints = openEndpointStore({ prisma: metadata.prisma, clock });
  for (const name of ['sales', 'stock']) {
    await endpoints.createEndpoint(endpointDraft(projectId, { name }));
  }
  await metadata.close();
  const ask = (...args: readonly string[]) => ['usage', '--project', 'shop', '--advice', ...args];
  const advised = async (...args: readonly string[]) =>
    (await querydockJson<{ results: readonly object[] }>(ask(...args), env)).results;
  const unused = (endpoint: string) => ({ endpoint, kind: 'unused_endpoint' });
  expect(await advised()).toMatchObject([unused('sales'), unused('stock')]);
  expect(await advised('stock')).toMatchObject([unused('stock')]);
  const missing = await querydock(ask('stokc'), env);
  expect(missing).toMatchObject({ code: 1, stdout: '' });
  expect(missing.stderr).toMatch(/no endpoint.*Did you mean "stock"/);
});

it.each([
  [
    ['usage', '--by', 'nope'],
    '--by takes endpoint, version, key, interface, path, outcome, not "n',
  ],
  [['usage', '--step', 'nope'], '--step takes minute, hour, day, all, not "nope".'],
  [['usage', '--from', '2026-01-02', '--to', '2026-01-01'], '--from must be before --to'],
  [['usage', '--by', ' , '], "option '--by <groups>' argument ' , ' is invalid. It is empty."],
  [['project', 'limits', '--set', ''], "option '--set <name=number>' argument '' is invalid."],
  [['usage', '--from', '9999-01-01'], '--from must be before --to'],
  [['usage', '--since', 'x'], "option '--since'. querydock usage --help prints the options."],
  [['key', 'xyzzy'], "command 'xyzzy'. querydock key --help prints the commands."],
  [['usage', '--advice', '--by', 'key'], "'--advice' cannot be used with option '--by"],
  [['schema', '--fields', 'nope'], 'no field "nope". --fields takes names of root fields'],
])('%j names the option', async (args, words) => {
  const refused = await querydock([...args, '--project', 'shop'], env);
  expect(refused).toMatchObject({ code: 1, stdout: '' });
  expect(refused.stderr).toContain(words);
  expect(refused.stderr).toMatch(/^querydock: [^\n]+\n$/);
});

it('a temporary folder in which nothing can be made is named', async () => {
  const file = path.join(folder.dir, 'rows.csv');
  writeFileSync(file, 'a\n1\n');
  const args = ['data', 'load', file, '--project', 'shop', '--table', 'rows'];
  const refused = await querydockProcess(args, { ...env, TMPDIR: '/proc' });
  expect(refused).toMatchObject({ code: 1, stdout: '' });
  expect(refused.stderr).toBe(
    'querydock: The temporary folder /proc is not writable (ENOENT). Make it writable, or set TMPDIR to another folder.\n',
  );
  expect(await querydockJson(args, env)).toMatchObject({ rows: 1 });
});

it('a table shows control characters of texts that it has from before as escapes', async () => {
  const label = 'x\n\u001b[31mred\u009b\u2028';
  await withClient(database.databaseUrl, (client) =>
    client.query('UPDATE api_key SET label = $1', [label]),
  );
  const shown = await querydock(['key', 'list'], env);
  expect(shown.stdout.match(/ x\\u000a\\u001b\[31mred\\u009b\\u2028 /g)).toHaveLength(2);
  expect(shown.stdout.split('\n')).toHaveLength(4);
  const { keys } = await querydockJson<{ keys: readonly object[] }>(['key', 'list'], env);
  expect(keys).toMatchObject([{ label }, { label }]);
});

it('a header without rows is refused with the option that makes it loadable', async () => {
  const file = path.join(folder.dir, 'header.csv');
  writeFileSync(file, 'id,note\n');
  const load = ['data', 'load', file, '--project', 'shop', '--table', 'empty'];
  for (const types of [[], ['--column', 'id=Int64']]) {
    const { code, stderr } = await querydock([...load, ...types], env);
    expect(code).toBe(1);
    expect(stderr).toMatch(/^querydock: .*header\.csv has no rows, .* Give each with --column, or/);
  }
  const twice = await querydock([...load, '--column', 'id=Int8', '--column', 'id=Int64'], env);
  expect(twice).toMatchObject({
    code: 1,
    stderr: 'querydock: --column gives the type of id twice.\n',
  });
  const types = ['--column', 'id=Int64', '--column', 'note=String'];
  expect(await querydockJson([...load, ...types], env)).toMatchObject({ rows: 0 });
});

describe('with a PostgreSQL user that has few rights', () => {
  const role = `refused_${process.pid}`;
  const admin = (...statements: readonly string[]) =>
    withClient(database.databaseUrl, (client) => client.query(statements.join(';')));
  const list = (url: string) => {
    const own = new URL(url);
    own.username = role;
    return querydockProcess(['project', 'list', '--json'], { ...env, DATABASE_URL: own.href });
  };
  beforeAll(() => admin(`CREATE ROLE ${role} LOGIN`));
  afterAll(() => admin(`DROP OWNED BY ${role}`, `DROP ROLE ${role}`));

  it('an empty database that it may not change is refused with what it needs', async () => {
    const empty = await freshDatabase({ empty: true });
    const refused = await list(empty.databaseUrl);
    expect(refused).toMatchObject({ code: 1, stdout: '' });
    expect(refused.stderr).toMatch(
      new RegExp(
        `^querydock: The PostgreSQL user ${role} may not create or change .*: permission denied for schema public\\. Start as`,
      ),
    );
    await empty.drop();
  });

  it('rights on the tables are enough while no migration is missing', async () => {
    await admin(`GRANT ALL ON ALL TABLES IN SCHEMA public TO ${role}`);
    expect(await list(database.databaseUrl)).toMatchObject({ code: 0, stderr: '' });
    const [name] = await select('SELECT max(migration_name) AS v FROM _prisma_migrations');
    await admin(
      `UPDATE _prisma_migrations SET rolled_back_at = now() WHERE migration_name = '${String(name)}'`,
    );
    const refused = await list(database.databaseUrl);
    await admin('UPDATE _prisma_migrations SET rolled_back_at = NULL');
    expect(refused).toMatchObject({ code: 1, stdout: '' });
    expect(refused.stderr).toMatch(/must be owner of .*\. Start as the user that owns the tables/);
  });
});

it('a server that is no PostgreSQL or ClickHouse, and a data folder that is a file, are named as such', async () => {
  const closing = createTcpServer((socket) => socket.once('data', () => socket.end()));
  await once(closing.listen(0, '127.0.0.1'), 'listening');
  const { port } = closing.address() as AddressInfo;
  const list = (settings: Readonly<Record<string, string>>) =>
    querydock(['project', 'list'], { ...env, ...settings });
  const refused = await list({ DATABASE_URL: `postgresql://u@127.0.0.1:${port}/x` });
  const create = ['project', 'create', 'never'];
  const hungUp = await querydock(create, {
    ...env,
    CLICKHOUSE_URL: `http://a:b@127.0.0.1:${port}`,
  });
  closing.close();
  expect(hungUp.stderr).toContain(
    'the connection was closed without a response (socket hang up): ClickHouse has stopped, or the port is not that of its HTTP interface',
  );
  expect(refused.stderr).toContain(
    'cannot be used: no PostgreSQL answers there (Connection terminated unexpectedly); the port may be that of another server.',
  );
  const file = path.join(folder.dir, 'file');
  writeFileSync(file, '');
  for (const dir of [file, path.join(file, 'within')])
    expect((await list({ DATA_DIR: dir, DATABASE_URL: '' })).stderr).toBe(
      `querydock: The data folder ${dir} cannot be made: ${file} is a file. Set DATA_DIR to a folder.\n`,
    );
});

it('a read-only PostgreSQL is refused as such', async () => {
  const readonly = new URL(database.databaseUrl);
  readonly.searchParams.set('options', '-c default_transaction_read_only=on');
  const refused = await querydock(['project', 'list'], { ...env, DATABASE_URL: readonly.href });
  expect(refused).toMatchObject({ code: 1, stdout: '' });
  expect(refused.stderr).toMatch(/^querydock: PostgreSQL at .*: it is read-only, as a standby is/);
});

describe('a start', () => {
  const startWith = async (settings: Readonly<Record<string, string>>) => {
    const dir = path.join(folder.dir, 'never');
    const refused = await querydock(['start'], { DATA_DIR: dir, PORT: '0', ...settings });
    expect(refused).toMatchObject({ code: 1, stdout: '' });
    expect(existsSync(dir)).toBe(false);
    return refused.stderr;
  };

  it.each([
    ['{"a": ', 'cannot be read: it is not JSON.'],
    ['["query"]', 'has no JSON object of hash → document'],
    ['{"a": 5}', 'has no JSON object of hash → document'],
    [null, 'cannot be read: ENOENT'],
  ])('with the persisted documents %j says so, and starts nothing', async (text, words) => {
    const file = path.join(folder.dir, 'documents.json');
    if (text === null) rmSync(file, { force: true });
    else writeFileSync(file, text);
    const said = await startWith({ GRAPHQL_PERSISTED_FILE: file });
    expect(said).toContain(`querydock: GRAPHQL_PERSISTED_FILE=${file} ${words}`);
    expect(said).toMatch(/^[^\n]+\n$/);
  });

  it('on a host that does not exist names the setting', async () => {
    const env = {
      HOST: 'http://x',
      DATABASE_URL: database.databaseUrl,
      CLICKHOUSE_URL: 'http://a',
    };
    expect(await startWith(env)).toContain('querydock: HOST=http://x is not an address');
  });
});
