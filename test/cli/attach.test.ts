/** The commands of projects that are bound to databases which exist, against a ClickHouse of somebody else. */
import { existsSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { engineConfig } from '../../src/backends.ts';
import { readConfig } from '../../src/config/config.ts';
import { bindingSql, passwordSql } from '../../src/engine/clickhouse/bound/binding-sql.ts';
import { checkBinding } from '../../src/engine/clickhouse/bound/check-binding.ts';
import {
  readerSettings,
  writerSettings,
} from '../../src/engine/clickhouse/provision/project-users.ts';
import { type DbaServer, profileOf, startDbaServer } from '../support/dba-server.ts';
import { type FreshDatabase, freshDatabase } from '../support/postgres.ts';
import { fixedProjectIds } from '../support/project-ids.ts';
import { withClient } from '../support/test-server.ts';
import { querydock, querydockJson, type TempFolder, tempFolder } from './support/processes.ts';

/** Far from the ids of the other files, which share the engine. */
const projectId = fixedProjectIds.attach;
const limits = engineConfig(readConfig({}));
const reader = profileOf(readerSettings(limits));
const writer = profileOf(writerSettings(limits));
const sales = 'SELECT ON sales.*';
const stored = 'SELECT ON stored.*';
const processes = 'SELECT ON system.processes';
const state = ['SELECT ON system.parts', 'SELECT ON system.mutations'];
const queryLog =
  'SELECT(event_date, event_time, type, is_initial_query, initial_query_id, ProfileEvents) ON system.query_log';
const makes = 'SELECT, INSERT, CREATE TABLE, DROP TABLE ON stored.*';
const mergeTree = 'TABLE ENGINE ON MergeTree';
const copies = [
  'ALTER DELETE, CREATE VIEW, DROP VIEW ON stored.*',
  'TABLE ENGINE ON ReplacingMergeTree, TABLE ENGINE ON SummingMergeTree, TABLE ENGINE ON AggregatingMergeTree, TABLE ENGINE ON CollapsingMergeTree, TABLE ENGINE ON VersionedCollapsingMergeTree',
];

const storing = [makes, mergeTree, ...copies, processes, ...state];

let folder: TempFolder;
let database: FreshDatabase;
let server: DbaServer;
let env: Readonly<Record<string, string>>;

beforeAll(async () => {
  server = await startDbaServer([
    { name: 'reads', grants: [sales, stored, processes, queryLog], profile: reader },
    {
      name: 'bare',
      grants: [sales, stored, processes, queryLog],
      profile: '<readonly>1</readonly>',
    },
    { name: 'writable', grants: [sales, stored, processes, queryLog], profile: '' },
    { name: 'narrow', grants: ['SELECT ON sales.orders'], profile: reader },
    { name: 'broad', grants: ['SELECT ON *.*'], profile: reader },
    { name: 'writes', grants: [sales, ...storing], profile: writer },
    {
      name: 'no_engine',
      grants: [sales, ...storing.filter((right) => right !== mergeTree)],
      profile: writer,
    },
    { name: 'no_source', grants: storing, profile: writer },
    {
      name: 'no_drop',
      grants: [sales, ...storing.map((right) => right.replace(', DROP TABLE', ''))],
      profile: writer,
    },
    { name: 'no_copies', grants: [sales, makes, mergeTree, processes], profile: writer },
  ]);
  for (const name of ['sales', 'stored', 'secret']) await server.sql(`CREATE DATABASE ${name}`);
  await server.sql(
    'CREATE TABLE sales.orders (id UInt32) ENGINE = MergeTree ORDER BY id AS SELECT 7',
  );
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
    CREDENTIALS_KEY: 'c3'.repeat(32),
  };
});
afterAll(async () => {
  await server?.stop();
  await database?.drop();
  await folder?.remove();
});

describe('querydock project', () => {
  const attach = (...args: readonly string[]) => [
    'project',
    'attach',
    'shop',
    '--database',
    'sales',
    ...args,
  ];

  it('attach makes a project and prints no password', async () => {
    const without = await querydock(attach('--reader-url', server.urlOf('reads')), {
      ...env,
      CREDENTIALS_KEY: '',
    });
    expect(without).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('CREDENTIALS_KEY is not set'),
    });
    const wrong = await querydock(['project', 'list'], { ...env, CREDENTIALS_KEY: 'not a key' });
    expect(wrong.stderr).toContain('CREDENTIALS_KEY');
    expect(wrong.stderr).not.toContain('not a key');

    const urls = ['--reader-url', server.url, '--writer-url', server.url];
    const made = await querydock(attach('--stored', 'stored', ...urls), env);
    expect(made).toMatchObject({
      code: 0,
      stdout: expect.stringContaining(`Project ${projectId}, shop, reads sales`),
    });
    const sql = await querydock(['project', 'sql'], env);
    expect(sql.stdout).toMatch(
      /CREATE USER OR REPLACE `querydock_project_1570_reader` IDENTIFIED WITH sha256_hash BY '[0-9a-f]{64}'/,
    );
    expect(sql.stdout).toContain('GRANT SELECT ON sales.* TO `querydock_project_1570_reader`;');
    const rotated = await querydock(['project', 'rotate', 'shop'], env);
    expect(rotated.stdout).toMatch(/ALTER USER `querydock_project_1570_writer` IDENTIFIED/);
    expect(made.stdout + sql.stdout + rotated.stdout).not.toMatch(/Qd-/);
    const unmade = await querydock(['project', 'check', 'shop'], env);
    expect(unmade).toMatchObject({
      code: 1,
      stdout: expect.stringMatching(/login as querydock_project_1570_reader\s+no/),
    });
    expect(unmade.stdout).not.toContain('Qd-');
  });

  it.each([
    [
      ['--database', '', '--reader-url', 'http://r:r@127.0.0.1'],
      "argument '' is invalid. It is empty.",
    ],
    [['--database', 'a b', '--reader-url', 'http://r:r@127.0.0.1'], '"a b" is not the name of a'],
    [['--database', 'sales'], '--reader-url is required'],
    [['--database', 'sales', '--stored', 'sales', '--reader-url', 'http://r:r@h'], 'Stored tables'],
    [['--database', 'stored', '--reader-url', 'http://r:r@h'], 'the stored tables of another'],
  ])('attach %j, which is refused, leaves no project', async (options, words) => {
    const list = () => querydockJson<{ projects: readonly object[] }>(['project', 'list'], env);
    const before = await list();
    const refused = await querydock(['project', 'attach', 'refused', ...options], env);
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining(words) });
    expect(await list()).toEqual(before);
    await withClient(database.databaseUrl, async (client) => {
      const { rows } = await client.query(
        "SELECT after FROM audit_entry WHERE action = 'project.create'",
      );
      expect(rows).toMatchObject([{ after: { name: 'shop' } }]);
    });
  });

  it('check says yes to exactly the rights that project sql prints', async () => {
    const urls = ['--reader-url', server.urlOf('reads'), '--writer-url', server.urlOf('writes')];
    const attached = await querydockJson(attach('--stored', 'stored', ...urls, '--json'), env);
    expect(attached).toEqual({
      id: projectId,
      name: 'shop',
      databases: ['sales'],
      stored: 'stored',
      dictionaries: [],
      url: server.url,
      reader: 'reads',
      writer: 'writes',
    });
    const checked = await querydock(['project', 'check', 'shop'], env);
    expect(checked.stdout).not.toMatch(/ no$/m);
    expect(checked.code).toBe(0);
  });

  it('rotate interrupts nothing until its statements have run, however often it is called', async () => {
    const urls = ['--reader-url', server.urlOf('reads'), '--writer-url', server.urlOf('writes')];
    for (const times of [1, 2]) {
      const rotated = await querydock(['project', 'rotate', 'shop'], env);
      expect(rotated, String(times)).toMatchObject({ code: 0 });
    }
    const third = await querydock(['project', 'rotate', 'shop'], env);
    expect(third).toMatchObject({ code: 0 });
    expect(await querydock(['project', 'rotate', 'shop'], env)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('the oldest retained password of reads and writes'),
    });
    const tables = await querydockJson(['tables', '--project', 'shop'], env);
    expect(tables).toMatchObject({ tables: [{ name: 'orders', rows: 1 }] });
    const checked = await querydock(['project', 'check', 'shop'], env);
    expect(checked.stdout).toMatch(/login as reads\s+no/);
    expect(checked.stdout).toContain(
      'Without it: everything works with the previous password, but only the last three',
    );
    expect(checked.stdout.match(/ no$/gm)).toHaveLength(2);
    await querydock(attach('--stored', 'stored', ...urls), env);
    expect(await server.sql("SELECT count() FROM system.tables WHERE database = 'stored'")).toBe(
      '0\n',
    );
  });

  it('lists its databases and tables, and takes no rows', async () => {
    const { projects } = await querydockJson<{ projects: readonly object[] }>(
      ['project', 'list'],
      env,
    );
    expect(projects).toMatchObject([{ id: projectId, database: 'sales' }]);
    expect(await querydockJson(['tables', '--project', 'shop'], env)).toMatchObject({
      tables: [{ name: 'orders', rows: 1 }],
    });
    const drop = await querydock(['data', 'drop', 'orders', '--project', 'shop'], env);
    expect(drop).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('directly in the engine'),
    });
    expect(await server.sql('SELECT id FROM sales.orders')).toBe('7\n');
    expect(existsSync(path.join(env.DATA_DIR ?? '', 'clickhouse'))).toBe(false);
  });

  it('detach gives a project a database of its own again, with no key and once', async () => {
    const detach = (project: string) =>
      querydock(['project', 'detach', project], { ...env, CREDENTIALS_KEY: '' });
    expect(await detach('nobody')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('There is no project nobody'),
    });
    expect(await detach('shop')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining(`Project ${projectId}, shop, now has a managed database`),
    });
    const { projects } = await querydockJson<{ projects: readonly object[] }>(
      ['project', 'list'],
      env,
    );
    expect(projects).toMatchObject([{ id: projectId, database: `project_${projectId}` }]);
    expect(await detach('shop')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('To bind it, use querydock project attach.'),
    });
  });

  it('is created also by a user of the engine who may create no database, and says so', async () => {
    const limited = { ...env, CLICKHOUSE_URL: server.urlOf('reads') };
    const made = await querydock(['project', 'create', 'prepared', '--json'], limited);
    expect(made).toMatchObject({ code: 0 });
    expect(JSON.parse(made.stdout)).toMatchObject({ name: 'prepared' });
    expect(made.stderr).toMatch(
      /^querydock: The database or the users of project \d+ could not .*project sql \d+\./,
    );
    const sql = await querydock(['project', 'sql', 'prepared'], limited);
    expect(sql).toMatchObject({ code: 0, stdout: expect.stringContaining('CREATE DATABASE') });
  });

  it('is bound also where the service may create no users for it, before and after', async () => {
    const limited = { ...env, CLICKHOUSE_URL: server.urlOf('reads') };
    await querydock(['project', 'create', 'limited'], limited);
    for (const _ of ['never bound', 'detached']) {
      const url = ['--reader-url', server.urlOf('reads')];
      const args = ['project', 'attach', 'limited', '--database', 'sales', ...url];
      expect(await querydock(args, limited)).toMatchObject({ code: 0, stderr: '' });
      const detached = await querydock(['project', 'detach', 'limited'], limited);
      expect(detached).toMatchObject({ code: 0 });
    }
    const tables = await querydock(['tables', '--project', 'limited'], limited);
    expect(tables).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('run the statements of querydock project sql'),
    });
  });

  const sql = (body: string) => {
    const url = new URL(env.CLICKHOUSE_URL ?? '');
    const headers = { 'x-clickhouse-user': url.username, 'x-clickhouse-key': url.password };
    return fetch(url.origin, { method: 'POST', headers, body });
  };

  it('create takes no tables of another service with the same engine, unless it is told to', async () => {
    const create = (...args: readonly string[]) =>
      querydockJson<{ id: number }>(['project', 'create', ...args], env);
    const { id } = await create('before');
    const taken = `project_${id + 1}`;
    await sql(`CREATE DATABASE ${taken}`);
    await sql(`CREATE TABLE ${taken}.of_others ENGINE = MergeTree ORDER BY v AS SELECT 1 AS v`);
    expect(await querydock(['project', 'create', 'after'], env)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(`has a database ${taken} with 1 table`),
    });
    expect(await create('after')).toMatchObject({ id: id + 2 });
    await withClient(database.databaseUrl, (client) =>
      client.query("SELECT setval(pg_get_serial_sequence('project', 'id'), $1, false)", [id + 1]),
    );
    expect(await create('same', '--use-tables')).toMatchObject({ id: id + 1 });
    const listed = await querydockJson(['tables', '--project', 'same'], env);
    expect(listed).toMatchObject({ tables: [{ name: 'of_others' }] });
    await withClient(database.databaseUrl, (client) =>
      client.query("SELECT setval(pg_get_serial_sequence('project', 'id'), $1)", [id + 2]),
    );
    for (let of = id; of <= id + 2; of += 1)
      await sql(`DROP DATABASE IF EXISTS project_${of} SYNC`);
  });

  it('refuses to bind a project that has tables of its own', async () => {
    const { id } = await querydockJson<{ id: number }>(['project', 'create', 'owner'], env);
    await sql(`CREATE TABLE project_${id}.kept ENGINE = MergeTree ORDER BY v AS SELECT 1 AS v`);
    const refused = await querydock(
      ['project', 'attach', 'owner', '--database', 'sales', '--reader-url', server.url],
      env,
    );
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('with 1 table') });
    await sql(`DROP DATABASE project_${id} SYNC`);
  });
});

describe('a check', () => {
  const place = { databases: ['sales'], stored: 'stored', dictionaries: [] };
  const login = (name: string) => ({ user: name, password: name });

  it.each([
    ['reads', 'writes', []],
    [
      'bare',
      'writes',
      [
        'the settings that queries send',
        'limits sent with queries',
        'the setting of a JOIN that compares with NULL',
        'the setting of PREWHERE',
        'the setting of LIKE with a backslash',
        'the setting of LIKE with a backslash that escapes nothing',
        'the setting of a search of a Nullable text',
        'the setting of a window that counts',
      ],
    ],
    ['writable', 'writes', ['readonly']],
    [
      'narrow',
      'writes',
      [sales, stored, processes, queryLog, 'making, reading and dropping a table'],
    ],
    ['broad', 'writes', ['nothing else']],
    ['reads', 'no_engine', [mergeTree, 'making, reading and dropping a table']],
    ['reads', 'no_source', [sales]],
    ['reads', 'no_drop', [makes, 'making, reading and dropping a table']],
    ['reads', 'no_copies', [...copies, ...state]],
    ['nobody', 'writes', ['login as nobody', 'making, reading and dropping a table']],
    ['reads', 'nobody', ['login as nobody']],
    ['reads', null, ['a user that writes']],
  ])('of %s and %s finds what is missing', async (readerName, writerName, missing) => {
    const users = {
      reader: login(readerName),
      writer: writerName === null ? null : login(writerName),
    };
    const rights = await checkBinding({ ...place, url: server.url, ...users }, limits);
    expect(rights.filter((right) => right.missing !== null).map(({ right }) => right)).toEqual(
      missing,
    );
    expect(rights.every(({ without }) => without !== '')).toBe(true);
    expect(await server.sql("SELECT count() FROM system.tables WHERE database = 'stored'")).toBe(
      '0\n',
    );
  });
});

it('a check names each right that is missing from a group of rights', async () => {
  const place = { databases: ['sales'], stored: 'stored', dictionaries: [] };
  const login = (user: string) => ({ user, password: user });
  const users = { reader: login('reads'), writer: login('no_drop') };
  const rights = await checkBinding({ ...place, url: server.url, ...users }, limits);
  expect(rights.filter((right) => right.missing !== null)).toMatchObject([
    { right: makes, missing: 'DROP TABLE ON stored.*' },
    { missing: 'no table was made, because it could not be dropped again' },
  ]);
});

it('a check of a project that is bound to listed nodes names the node where a right is missing', async () => {
  const second = await startDbaServer([
    { name: 'reads', grants: ['SELECT ON sales.orders'], profile: reader },
  ]);
  try {
    await second.sql('CREATE DATABASE sales');
    const gone = 'http://127.0.0.1:9';
    const nodes = [server.url, second.url, gone].join(',');
    const clustered = { ...env, CLICKHOUSE_URL: server.urlOf('dba'), CLICKHOUSE_NODES: nodes };
    const args = ['--database', 'sales', '--reader-url', server.urlOf('reads'), '--no-writer'];
    expect(await querydock(['project', 'attach', 'spread', ...args], clustered)).toMatchObject({
      code: 0,
    });
    const checked = await querydock(['project', 'check', 'spread', '--json'], clustered);
    const { rights } = JSON.parse(checked.stdout) as {
      rights: { right: string; missing: string | null }[];
    };
    const missing = new Map(rights.map((right) => [right.right, right.missing]));
    expect(missing.get('login as reads')).toBe(null);
    expect(missing.get(sales)).toBe(`at ${second.url}: it is not granted`);
    expect(missing.get('every node')).toBe(`at ${gone}: it does not respond`);
    const single = await querydock(['project', 'check', 'spread'], env);
    expect(single.stdout).not.toContain(second.url);
  } finally {
    await second.stop();
  }
});

describe('the statements for an administrator', () => {
  const binding = {
    databases: ['sales', 'with-hyphen'],
    stored: 'stored',
    dictionaries: ['sales.countries'],
    url: 'http://127.0.0.1',
    reader: { user: 'a reader', password: 'of the reader' },
    writer: { user: 'a writer', password: 'of the writer' },
  };
  const statements = [...bindingSql(7, binding, limits), ...passwordSql(binding)];

  it.each(statements)('are understood by the engine: %s', async (sql) => {
    expect(await server.sql(`EXPLAIN AST ${sql}`)).toMatch(/^(?:create|alter|grant)/i);
  });

  it('hold no password, and are for the reader nothing but reading', () => {
    expect(statements.join('\n')).not.toMatch(/of the (?:reader|writer)/);
    const grants = statements.filter((sql) => /^GRANT .* TO `a reader`$/.test(sql));
    expect(grants.map((sql) => sql.replace(/^GRANT (.*) TO .*$/, '$1'))).toEqual([
      'SELECT ON sales.*',
      'SELECT ON `with-hyphen`.*',
      'SELECT ON stored.*',
      'dictGet ON sales.countries',
      processes,
      queryLog,
    ]);
  });
});
