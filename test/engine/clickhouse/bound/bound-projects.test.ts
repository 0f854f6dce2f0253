/** Projects that are bound to databases of somebody else’s ClickHouse. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  attachProject,
  detachProject,
  renewPasswords,
} from '../../../../src/access/attach-project.ts';
import { engineConfig } from '../../../../src/backends.ts';
import { readConfig } from '../../../../src/config/config.ts';
import { openLog } from '../../../../src/config/open-log.ts';
import { withBoundProjects } from '../../../../src/engine/bound-engines.ts';
import { readerGrants, writerGrants } from '../../../../src/engine/clickhouse/bound/binding-sql.ts';
import { openClickHouseEngine } from '../../../../src/engine/clickhouse/clickhouse-engine.ts';
import { openEngineClient } from '../../../../src/engine/clickhouse/http/http-client.ts';
import {
  readerSettings,
  writerSettings,
} from '../../../../src/engine/clickhouse/provision/project-users.ts';
import { openSealer } from '../../../../src/lib/seal.ts';
import { commandLineActor } from '../../../../src/model/actor.ts';
import { type BindingStore, openBindingStore } from '../../../../src/store/binding-store.ts';
import { type DbaServer, profileOf, startDbaServer } from '../../../support/dba-server.ts';
import { eventually } from '../../../support/eventually.ts';
import { openRelay } from '../../../support/relay.ts';
import { openTestApp, type TestApp, type TestProject } from '../../../support/test-app.ts';

const key = 'a1'.repeat(32);
const reads = ['SELECT ON sales.*', 'SELECT ON marketing.*', 'SELECT ON shop_stored.*'];
const place = {
  databases: ['sales', 'marketing'],
  stored: 'shop_stored',
  dictionaries: ['sales.countries'],
};
const limits = engineConfig(readConfig({}));
const readonly2 = '<readonly>2</readonly>';

let server: DbaServer;
let tested: TestApp;
let bindings: BindingStore;
let shop: TestProject;

beforeAll(async () => {
  server = await startDbaServer([
    // Exactly the rights and the settings that `querydock project sql` prints.
    {
      name: 'shop_reader',
      grants: readerGrants(place),
      profile: profileOf(readerSettings(limits)),
    },
    {
      name: 'shop_writer',
      grants: writerGrants(place),
      profile: profileOf(writerSettings(limits)),
    },
    {
      name: 'blind_reader',
      grants: ['SELECT ON sales.*'],
      profile: profileOf(readerSettings(limits)),
    },
    {
      name: 'blind_writer',
      grants: writerGrants({ ...place, stored: 'blind_stored' }),
      profile: profileOf(writerSettings(limits)),
    },
    { name: 'broad_reader', grants: ['SELECT ON *.*', 'dictGet ON *.*'], profile: readonly2 },
    {
      name: 'quiet_reader',
      grants: reads,
      profile: profileOf(readerSettings(limits).filter(({ name }) => name !== 'log_comment')),
    },
    {
      name: 'earlier_reader',
      grants: readerGrants(place),
      profile: profileOf(
        readerSettings(limits).filter(
          ({ name }) =>
            !/^(?:optimize_use_projections|query_plan_split_filter|enable_multiple_prewhere_read_steps|optimize_rewrite_like_perfect_affix)$/.test(
              name,
            ),
        ),
      ),
    },
    { name: 'strict_reader', grants: reads, profile: '<readonly>1</readonly>' },
  ]);
  for (const statement of world) await server.sql(statement);
  // Less memory than the profiles above were made with, as after a change of the setting.
  tested = await openTestApp({ credentialsKey: key, queryMemoryBytes: 200_000_000 }, undefined, {
    projects: 24,
  });
  const { prisma } = tested.backends.metadata;
  const { clock } = tested;
  bindings = openBindingStore({ prisma, clock, sealer: openSealer(key) });
  shop = await openBound('shop', {
    readerUrl: server.urlOf('shop_reader'),
    writerUrl: server.urlOf('shop_writer'),
  });
});
afterAll(async () => {
  await tested?.close();
  await server?.stop();
});

const world = [
  ...['sales', 'marketing', 'shop_stored', 'blind_stored', 'secret'].map(
    (name) => `CREATE DATABASE ${name}`,
  ),
  'CREATE TABLE sales.orders (id UInt32, country String, amount Float64) ENGINE = MergeTree ORDER BY id',
  "INSERT INTO sales.orders SELECT number, ['DE', 'FR'][number % 2 + 1], number FROM numbers(350)",
  'CREATE TABLE sales.shared (v UInt8) ENGINE = MergeTree ORDER BY v AS SELECT 1',
  'CREATE TABLE marketing.shared (v UInt8) ENGINE = MergeTree ORDER BY v AS SELECT 2',
  'CREATE TABLE marketing.campaigns (id UInt32, name String) ENGINE = ReplacingMergeTree ORDER BY id',
  "INSERT INTO marketing.campaigns SELECT number, concat('c', toString(number)) FROM numbers(10)",
  'CREATE TABLE secret.t (s String) ENGINE = MergeTree ORDER BY s',
  "INSERT INTO secret.t VALUES ('hidden')",
  // Its name begins as that of a table of another database is written.
  'CREATE DATABASE `sales.x, y`',
  'CREATE TABLE `sales.x, y`.t ENGINE = MergeTree ORDER BY s AS SELECT s FROM secret.t',
  'CREATE TABLE shop_stored.others ENGINE = MergeTree ORDER BY s AS SELECT s FROM secret.t',
  'CREATE TABLE sales.everywhere AS sales.orders ENGINE = Distributed(one, sales, orders)',
  'CREATE TABLE sales.codes (code String, label String) ENGINE = MergeTree ORDER BY code',
  "INSERT INTO sales.codes VALUES ('DE', 'Germany'), ('FR', 'France')",
  ...['sales.countries', 'secret.countries'].map(
    (name) =>
      `CREATE DICTIONARY ${name} (code String, label String DEFAULT '') PRIMARY KEY code SOURCE(CLICKHOUSE(USER 'dba' PASSWORD 'dba' DB 'sales' TABLE 'codes')) LAYOUT(COMPLEX_KEY_HASHED()) LIFETIME(0)`,
  ),
  'CREATE VIEW sales.by_definer DEFINER = dba SQL SECURITY DEFINER AS SELECT count() AS n FROM secret.t',
  'CREATE VIEW sales.by_invoker SQL SECURITY INVOKER AS SELECT country, sum(amount) AS total FROM sales.orders GROUP BY country',
  'CREATE DATABASE `sales.secret`',
  'CREATE TABLE `sales.secret`.t ENGINE = MergeTree ORDER BY s AS SELECT s FROM secret.t',
  'CREATE TABLE sales.`secret.t` ENGINE = MergeTree ORDER BY s AS SELECT s FROM secret.t',
  'CREATE VIEW sales.forbidden SQL SECURITY INVOKER AS SELECT s FROM secret.t',
];

interface Users {
  readonly readerUrl: string;
  readonly writerUrl: string | null;
  readonly stored?: string | null;
  readonly databases?: readonly string[];
  readonly dictionaries?: readonly string[];
}

async function openBound(name: string, users: Users): Promise<TestProject> {
  const { id } = await tested.app.core.projects.createProject(name);
  await bindUsers(id, users);
  const bare = { id, readKey: '', writeKey: '' };
  const issue = async (scope: string) =>
    (await tested.issueKey({ scopes: [scope], projects: [bare] })).key;
  return { id, readKey: await issue('endpoint:read'), writeKey: await issue('endpoint:write') };
}

async function bindUsers(projectId: number, users: Users): Promise<void> {
  const {
    readerUrl,
    writerUrl,
    stored = 'shop_stored',
    databases = ['sales', 'marketing'],
    dictionaries = ['sales.countries'],
  } = users;
  const attachment = { databases, stored, dictionaries, readerUrl, writerUrl };
  await attachProject({ bindings }, projectId, { attachment, by: commandLineActor });
}

const run = (query: string, project = shop, variables = {}) =>
  tested.rest('POST', '/query', { project, body: { query, variables } });
const rowsOf = async (query: string, project = shop) => {
  const response = await run(query, project);
  return response.status === 200 ? response.body.results : response.text;
};

describe('a query of a bound project', () => {
  it.each([
    ['a table of its first database', 'SELECT count() FROM orders', [[350]]],
    ['one with its database', 'SELECT count() FROM sales.orders', [[350]]],
    ['a table of a later database', 'SELECT count() FROM campaigns', [[10]]],
    ['the first of two tables of a name', 'SELECT v FROM shared', [[1]]],
    ['the second of them', 'SELECT v FROM marketing.shared', [[2]]],
    [
      'both in a join',
      "SELECT count() FROM orders AS o JOIN campaigns USING (id) WHERE campaigns.name != ''",
      [[10]],
    ],
    [
      'one behind the condition of a join and a comma',
      'SELECT count() FROM orders AS a JOIN orders AS b ON a.id = [b.id, 0][1], campaigns WHERE campaigns.id = a.id',
      [[10]],
    ],
    [
      'one in a subquery',
      'SELECT count() FROM orders WHERE id IN (SELECT id FROM campaigns FINAL)',
      [[10]],
    ],
    [
      'a name of WITH before a table',
      'WITH campaigns AS (SELECT 1 AS id) SELECT count() FROM campaigns',
      [[1]],
    ],
    ['a table with the alias of a column', 'SELECT count() AS campaigns FROM campaigns', [[10]]],
    ['a table under its own name', 'SELECT count() FROM campaigns AS campaigns', [[10]]],
    ['a subquery with the name of a table', 'SELECT id FROM (SELECT 7 AS id) AS campaigns', [[7]]],
    [
      'a name of WITH in each part of a union',
      'WITH campaigns AS (SELECT 1 AS id) SELECT id FROM campaigns UNION ALL SELECT count() FROM campaigns',
      [[1], [1]],
    ],
    ['a view of its definer', 'SELECT n FROM by_definer', [[1]]],
    ['a view of its invoker', 'SELECT total FROM by_invoker ORDER BY country', [[30450], [30625]]],
    ['a Distributed table', 'SELECT count() FROM everywhere', [[350]]],
    [
      'a dictionary',
      "SELECT dictGet('sales.countries', 'label', country) AS l, count() FROM orders GROUP BY l ORDER BY l",
      [
        ['France', 175],
        ['Germany', 175],
      ],
    ],
    [
      'a condition by a dictionary',
      "SELECT count() FROM orders WHERE dictGet('sales.countries', 'label', country) = 'Germany'",
      [[175]],
    ],
    ['rows that it holds', 'SELECT a FROM format(JSONEachRow, \'{"a": 7}\')', [[7]]],
    ['no table', 'SELECT 1, timezone()', [[1, 'UTC']]],
  ])('reads %s', async (_what, query, expected) => {
    expect(await rowsOf(query)).toEqual(expected);
  });
});

it('refuses FINAL of a Distributed table over a SummingMergeTree of which not all sums are read', async () => {
  await server.sql(
    'CREATE TABLE sales.`daily sums` (k UInt8, a Int32, b Int32) ENGINE = SummingMergeTree ORDER BY k',
  );
  await server.sql(
    'CREATE TABLE sales.all_sums AS sales.`daily sums` ENGINE = Distributed(one, sales, `daily sums`)',
  );
  await server.sql('INSERT INTO sales.`daily sums` VALUES (1, 0, 1)');
  const refused = 'read b as well, or write sum(a)';
  for (const table of ['all_sums', '`daily sums`'])
    expect(await rowsOf(`SELECT k, a FROM ${table} FINAL`)).toContain(refused);
  expect(await rowsOf('SELECT k, a, b FROM all_sums FINAL')).toEqual([[1, 0, 1]]);
  await server.sql('DROP TABLE sales.all_sums');
  await server.sql('DROP TABLE sales.`daily sums`');
});

describe('a dictionary of a bound project', () => {
  const source = (name: string, from: string) =>
    `CREATE DICTIONARY sales.${name} (code String, label String DEFAULT '') PRIMARY KEY code SOURCE(CLICKHOUSE(${from} USER 'dba' PASSWORD 'top secret' DB 'sales' TABLE 'codes')) LAYOUT(COMPLEX_KEY_HASHED()) LIFETIME(0)`;
  let reading: TestProject;
  beforeAll(async () => {
    await server.sql(source('away', "HOST '127.0.0.2' PORT 9"));
    await server.sql(source('locked', ''));
    reading = await openBound('of dictionaries', {
      readerUrl: server.urlOf('broad_reader'),
      writerUrl: null,
      stored: null,
      dictionaries: ['sales.countries', 'sales.away', 'sales.locked'],
    });
  });
  afterAll(async () => {
    for (const name of ['away', 'locked']) await server.sql(`DROP DICTIONARY sales.${name}`);
  });

  it.each(['away', 'locked'])('is named when its source does not let it load: %s', async (name) => {
    const detail = `The dictionary sales.${name} cannot be loaded: the engine cannot read its source at the moment.`;
    const constant = `SELECT dictGet('sales.${name}', 'label', 'DE')`;
    const perRow = `SELECT dictGet('sales.${name}', 'label', country) FROM orders`;
    const saved = await tested.rest('POST', '/endpoints', {
      project: reading,
      body: { name: `of_${name}`, query: constant },
    });
    for (const response of [await run(constant, reading), await run(perRow, reading), saved]) {
      expect(response.status).toBe(400);
      expect(response.body).toMatchObject({ code: 'query_failed', detail });
      expect(response.text).not.toMatch(/top secret|127\.0|dba/);
    }
  });

  it('is named without its id at the engine', async () => {
    for (const called of [
      "dictGetAll('sales.countries', 'label', 'DE')",
      "dictGetHierarchy('sales.countries', 'DE')",
    ]) {
      const { body } = await run(`SELECT ${called}`, reading);
      expect(body).toMatchObject({ code: 'invalid_query' });
      expect(body.detail).toMatch(/sales\.countries (?:dictionary|does not support)/);
    }
  });
});

/** Each is refused by the guard alone: this user may read the whole server. */
describe('a bound project whose user may read everything', () => {
  let broad: TestProject;
  beforeAll(async () => {
    broad = await openBound('broad', {
      readerUrl: server.urlOf('broad_reader'),
      writerUrl: null,
      stored: null,
      databases: ['sales'],
    });
    expect(await rowsOf('SELECT count() FROM orders', broad)).toEqual([[350]]);
  });

  it.each([
    'SELECT s FROM secret.t',
    'SELECT s FROM `secret`.`t`',
    'SELECT s FROM "secret"."t"',
    'SELECT s FROM `sales.secret`.t',
    'SELECT s FROM sales.`secret.t`',
    'SELECT s FROM `secret.t`',
    'SELECT s FROM orders JOIN `sales.secret`.t AS x ON 1',
    'SELECT count() FROM marketing.campaigns',
    'SELECT count() FROM campaigns',
    'SELECT count() FROM t',
    'SELECT 1 FROM orders WHERE id IN secret.t',
    'SELECT 1 FROM orders WHERE id IN (SELECT 1 FROM secret.t)',
    // The engine evaluates these while it resolves the text, and the error would tell what it has read.
    "SELECT (SELECT throwIf('hidden' IN secret.t, 'it is hidden'))",
    "SELECT (SELECT throwIf('hidden' IN (`secret`.`t` AS a), 'it is hidden'))",
    "SELECT (SELECT throwIf(globalNotNullIn('x', secret.t), 'it is hidden'))",
    "SELECT (SELECT * FROM (SELECT throwIf('hidden' IN secret.t, 'it is hidden')) AS secret)",
    "WITH 1 AS secret SELECT 1 LIMIT (SELECT throwIf(in('hidden', secret.t), 'it is hidden'))",
    "SELECT (SELECT throwIf('default' IN system.users, 'it is hidden'))",
    'SELECT s FROM `sales.x, y`.t',
    'SELECT s FROM `sales.x`.t',
    'SELECT s FROM shop_stored.t',
    'SELECT (SELECT any(s) FROM secret.t)',
    'WITH x AS (SELECT s FROM secret.t) SELECT * FROM x',
    'SELECT s FROM orders JOIN secret.t ON 1',
    'SELECT name FROM system.tables',
    'SELECT name FROM system.users',
    'SELECT query FROM system.processes',
    'SELECT table_name FROM information_schema.tables',
    "SELECT s FROM merge('secret', '.*')",
    "SELECT s FROM merge('.*')",
    "SELECT s FROM remote('127.0.0.1', secret.t)",
    "SELECT s FROM cluster('one', secret.t)",
    "SELECT s FROM clusterAllReplicas('one', 'secret', 't')",
    "SELECT * FROM dictionary('secret.countries')",
    "SELECT * FROM url('http://127.0.0.1/')",
    "SELECT * FROM file('/etc/passwd', 'LineAsString')",
    "SELECT file('/etc/passwd')",
    "SELECT dictGet('secret.countries', 'label', 'DE')",
    "SELECT dictGet('countries', 'label', 'DE')",
    "SELECT dictGet(concat('secret', '.countries'), 'label', 'DE')",
    "WITH 'secret.countries' AS d SELECT dictGet(d, 'label', 'DE')",
    "SELECT dictGetOrDefault('secret.countries', 'label', 'DE', '')",
    "SELECT dictHas('secret.countries', 'DE')",
    "SELECT dictHas(`country`, 'DE') FROM orders",
    "SELECT arrayMap(dictHas, ['secret.countries'], ['DE'])",
    'SELECT * APPLY(dictHas) FROM orders',
    "SELECT joinGet('secret.j', 's', 1)",
    "SELECT hasColumnInTable('secret', 't', 's')",
    'SELECT * FROM loop(secret.t)',
    'SELECT * FROM view(SELECT s FROM secret.t)',
    'INSERT INTO sales.orders VALUES (1, 2, 3)',
    'DESCRIBE secret.t',
    'SELECT s FROM sales.orders, secret.t',
  ])('refuses %s', async (query) => {
    const response = await run(query, broad);
    expect(response.status).toBe(400);
    expect(response.body.code).toBe('invalid_query');
    expect(response.text).not.toMatch(/hidden|Germany/);
    const saved = await tested.rest('POST', '/endpoints', {
      project: broad,
      body: { name: 'hostile', query },
    });
    expect(saved.status).toBe(400);
  });

  it('accepts IN with a table of its own, with a database or without', async () => {
    for (const table of ['shared', 'sales.shared'])
      expect(await rowsOf(`SELECT (SELECT 1 IN ${table}), 2 IN ${table}`, broad)).toEqual([[1, 0]]);
  });

  it('keeps to the limits of the service while a text is analyzed, though its user has none', async () => {
    const query = 'SELECT (SELECT length(groupArray(number)) FROM numbers(30000000))';
    const body = { query, dry_run: true };
    const response = await tested.rest('POST', '/query', { project: broad, body });
    expect(response.body).toMatchObject({ code: 'query_memory_limit' });
  });

  it('refuses a variable as the name of a dictionary', async () => {
    const response = await run("SELECT dictGet({d:String}, 'label', 'DE')", broad, {
      d: 'secret.countries',
    });
    expect(response.body).toMatchObject({ code: 'invalid_query' });
  });

  it('names the dictionaries and the databases that it accepts', async () => {
    const one = await run("SELECT dictGet('secret.countries', 'label', 'DE')", broad);
    expect(one.body.detail).toContain('the project is bound to sales.countries');
    const other = await run('SELECT s FROM secret.t', broad);
    const missing = await run('SELECT s FROM nowhere.t', broad);
    expect(other.body.detail).toContain('can read them: sales. This one names another database');
    expect(missing.body.detail).toBe(other.body.detail);
  });

  it('tells nothing of what a view reads that its invoker may not', async () => {
    const response = await run('SELECT s FROM forbidden', shop);
    expect(response.body).toMatchObject({ code: 'invalid_query' });
    expect(response.text).not.toMatch(/secret|hidden/);
  });

  it('refuses a name that could mean something else than a table', async () => {
    for (const query of [
      'SELECT 1 FROM (SELECT 1 AS id) AS campaigns, campaigns',
      'SELECT 1 FROM orders WHERE id IN campaigns',
    ]) {
      expect((await run(query, shop)).body).toMatchObject({ code: 'invalid_query' });
    }
    expect(await rowsOf('SELECT count() FROM orders WHERE id IN marketing.shared', shop)).toEqual([
      [1],
    ]);
  });

  it.each([
    ['SELECT id AS campaigns FROM campaigns', 'SELECT id AS campaigns FROM marketing.campaigns'],
    [
      'WITH campaigns AS (SELECT id FROM campaigns) SELECT id FROM campaigns',
      'WITH campaigns AS (SELECT id FROM marketing.campaigns) SELECT id FROM campaigns',
    ],
  ])('says to name the database where a name could be two things: %s', async (query, named) => {
    const { body } = await run(query, shop);
    expect(body).toMatchObject({
      code: 'invalid_query',
      detail: expect.stringMatching(/qualify it with its database, as in marketing\.campaigns\.$/),
      attr: 'query',
    });
    expect(await rowsOf(`SELECT count() FROM (${named})`, shop)).toEqual([[10]]);
  });

  it('leaves a project with a database of its own as it was', async () => {
    for (const query of [
      'SELECT 1 FROM sales.orders',
      "SELECT dictGet('sales.countries', 'label', 'DE')",
    ]) {
      const response = await run(query, tested.project);
      expect(response.body).toMatchObject({ code: 'invalid_query' });
    }
    const { body } = await run('SELECT currentDatabase()', tested.project);
    expect(body.results).toEqual([[`project_${tested.project.id}`]]);
  });
});

describe('the catalogue of a bound project', () => {
  it('lists the tables of its databases in their order, with their rows', async () => {
    const { body } = await tested.rest('GET', '/tables', { project: shop });
    const rows = (body.results as { name: string; rows: number | null }[]).map((t) => [
      t.name,
      t.rows,
    ]);
    expect(rows).toEqual([
      ['by_definer', null],
      ['by_invoker', null],
      ['codes', 2],
      ['countries', null],
      ['everywhere', 350],
      ['forbidden', null],
      ['orders', 350],
      ['shared', 1],
      ['marketing.campaigns', 10],
      ['marketing.shared', 1],
    ]);
  });

  it('comes with what the project is bound to, but for its server and users', async () => {
    const document = `query ($id: ID!) { project(id: $id) { name binding { databases stored dictionaries } } }`;
    const bindingOf = async (project: TestProject) =>
      (await tested.graphql(document, { id: project.id }, { project })).body;
    expect(await bindingOf(shop)).toEqual({
      data: {
        project: {
          name: 'shop',
          binding: {
            databases: ['sales', 'marketing'],
            stored: 'shop_stored',
            dictionaries: ['sales.countries'],
          },
        },
      },
    });
    expect(await bindingOf(tested.project)).toMatchObject({ data: { project: { binding: null } } });
    const foreign = await tested.graphql(document, { id: shop.id }, { project: tested.project });
    expect(foreign.text).not.toContain('shop_stored');
    const more = `query ($id: ID!) { project(id: $id) { binding { url users } } }`;
    const refused = await tested.graphql(more, { id: shop.id }, { project: shop });
    expect(refused.text).toContain('Cannot query field');
  });

  it('shows one with its first rows', async () => {
    const { body } = await tested.rest('GET', '/tables/marketing.shared?rows=1', { project: shop });
    expect(body).toMatchObject({
      name: 'marketing.shared',
      rows: 1,
      columns: [{ name: 'v', type: 'UInt8' }],
    });
  });

  it('tells which of them a query reads', async () => {
    const query = 'SELECT count() FROM orders JOIN campaigns USING (id)';
    const { body } = await tested.rest('POST', '/query', {
      project: shop,
      body: { query, dry_run: true },
    });
    expect(body.tables).toMatchObject([{ name: 'marketing.campaigns' }, { name: 'orders' }]);
  });

  it('takes no rows', async () => {
    const { key } = await tested.issueKey({ scopes: ['data:write'], projects: [shop] });
    const response = await tested.rest('PUT', '/tables/orders/rows', {
      project: shop,
      key,
      body: '{"id": 1}',
      headers: { 'content-type': 'application/x-ndjson' },
    });
    expect(response.body).toMatchObject({
      code: 'invalid_input',
      detail: expect.stringContaining('directly in the engine'),
    });
  });
});

describe('saved queries of a bound project', () => {
  const save = (name: string, body: object, project = shop) =>
    tested.rest('POST', '/endpoints', { project, body: { name, ...body } });
  const runSaved = (name: string, body: object = {}, project = shop) =>
    tested.rest('POST', `/endpoints/${name}/run`, { project, body: { debug: true, ...body } });

  it('are materialized by the user that writes, and read as the same rows', async () => {
    const query =
      'SELECT country, sum(amount) AS total FROM orders JOIN campaigns USING (id) WHERE country = {country:String} GROUP BY country';
    const saved = await save('stored', { query, is_materialized: true });
    expect(saved.body).toMatchObject({
      is_materialized: true,
      columns: [{ name: 'country' }, { name: 'total' }],
    });
    await tested.app.materialization.runOnce();
    const status = await tested.rest('GET', '/endpoints/stored/materialization_status', {
      project: shop,
    });
    expect(status.body).toMatchObject({ status: 'Completed', error: null, ready: true, rows: 2 });
    const variables = { country: 'DE' };
    const stored = await runSaved('stored', { variables });
    const inline = await runSaved('stored', { variables, refresh: 'direct' });
    expect(stored.body).toMatchObject({ served_from: 'materialized', results: [['DE', 20]] });
    expect(inline.body).toMatchObject({ served_from: 'inline', results: [['DE', 20]] });
    const tables = await server.sql(
      "SELECT name FROM system.tables WHERE database = 'shop_stored' AND name != 'others'",
    );
    expect(tables).toMatch(/^_materialized_\w+\n$/);
    expect(await rowsOf(`SELECT count() FROM ${tables.trim()}`, tested.project)).toContain(
      'invalid_query',
    );

    for (const query of [
      'SELECT s FROM shop_stored.others',
      `SELECT count() FROM shop_stored.${tables.trim()}`,
      "SELECT (SELECT throwIf('hidden' IN shop_stored.others, 'it is hidden'))",
    ]) {
      const response = await run(query);
      expect(response.body).toMatchObject({ code: 'invalid_query' });
      expect(response.text).not.toContain('hidden');
    }

    const otherDatabases = bindUsers(shop.id, {
      readerUrl: server.urlOf('shop_reader'),
      writerUrl: server.urlOf('shop_writer'),
      databases: ['sales'],
    });
    await expect(otherDatabases).rejects.toThrow(/disable its materializations first/);
    await tested.rest('DELETE', '/endpoints/stored', { project: shop });
    await tested.app.materialization.runOnce();
    expect(
      await server.sql(
        "SELECT count() FROM system.tables WHERE database = 'shop_stored' AND name != 'others'",
      ),
    ).toBe('0\n');
  });

  it.each([
    ['shop_reader', 'with settings that make short reads faster', [1, 1]],
    ['earlier_reader', 'without them where the user refuses them, of which nobody is told', [1, 0]],
  ])('are read as %s %s', async (user, _how, expected) => {
    const sent: string[] = [];
    const relay = await openRelay(server.url, (chunk) => {
      sent.push(chunk.toString('latin1'));
      return false;
    });
    await relay.listen();
    const through = (name: string) => {
      const url = new URL(server.urlOf(name));
      url.port = String(relay.port);
      return url.href;
    };
    const users = { readerUrl: through(user), writerUrl: through('shop_writer') };
    const project = await openBound(`short_${user}`, users);
    const query =
      'SELECT country, sum(amount) AS total FROM orders WHERE id >= {least:UInt32} GROUP BY country ORDER BY country';
    await save('short', { query, is_materialized: true }, project);
    await tested.app.materialization.runOnce();
    for (const [at, least] of [340, 345].entries()) {
      sent.length = 0;
      const { body } = await runSaved('short', { variables: { least }, refresh: 'force' }, project);
      const inline = await runSaved('short', { variables: { least }, refresh: 'direct' }, project);
      expect(body).toMatchObject({
        served_from: 'materialized',
        results: inline.body.results,
      });
      const withThem = sent.filter((chunk) => chunk.includes('optimize_use_projections=0'));
      expect(withThem).toHaveLength(expected[at] ?? -1);
    }
    const join = (where: string) =>
      `SELECT count() AS n FROM orders JOIN campaigns ON orders.id = campaigns.id AND orders.id = {id:Nullable(UInt32)} ${where}`;
    const needed = [
      'query_plan_split_filter=0',
      'enable_multiple_prewhere_read_steps=0',
      'optimize_rewrite_like_perfect_affix=0',
    ];
    const plain = '{id:Nullable(UInt32)} IS NULL';
    for (const [query, isSent] of [
      [join('PREWHERE orders.id > 0'), [true, true, false]],
      [join(''), [true, false, false]],
      [
        'SELECT count() AS n FROM orders PREWHERE id > 0 WHERE {id:Nullable(UInt32)} IS NULL',
        [false, true, false],
      ],
      [`SELECT id FROM orders WHERE country LIKE '%_\\\\a' AND ${plain}`, [false, false, true]],
      [`SELECT id FROM orders WHERE country LIKE '%a' AND ${plain}`, [false, false, false]],
    ] as const) {
      sent.length = 0;
      const body = { query, variables: { id: null } };
      const { status } = await tested.rest('POST', '/query', { project, body });
      const found = needed.map((setting) => sent.some((chunk) => chunk.includes(setting)));
      expect([query, status]).toEqual([query, 200]);
      if (user === 'shop_reader') expect(found).toEqual(isSent);
    }
    // What a user refuses is not tried again.
    if (user === 'earlier_reader')
      expect(sent.filter((chunk) => /split_filter|prewhere_read|like_perfect/.test(chunk))).toEqual(
        [],
      );
    await tested.rest('DELETE', '/endpoints/short', { project });
    await tested.app.materialization.runOnce();
    await relay.close();
  });

  it('are stored in tables that no other project and no other deployment drops, though they share a database by mistake', async () => {
    const named = (of: string) => of.replace('127.0.0.1', 'localhost');
    const twin = await openBound('twin', {
      readerUrl: named(server.urlOf('shop_reader')),
      writerUrl: named(server.urlOf('shop_writer')),
    });
    const names = async () =>
      (
        await server.sql(
          "SELECT name FROM system.tables WHERE database = 'shop_stored' AND startsWith(name, '_materialized_') ORDER BY name",
        )
      )
        .trim()
        .split('\n');
    const query = 'SELECT country, count() AS n FROM orders GROUP BY country';
    await save('of_shop', { query, is_materialized: true });
    await tested.app.materialization.runOnce();
    const [ofShop = ''] = await names();
    await save('of_twin', { query, is_materialized: true }, twin);
    await tested.app.materialization.runOnce();
    const [ofTwin = ''] = (await names()).filter((name) => name !== ofShop);

    // Of a deployment whose metadata database this one was copied from: both know the names.
    const known = `_materialized_${'0a'.repeat(16)}`;
    const unknown = `_materialized_${'0b'.repeat(16)}`;
    const foreign = [known, `${known}_p2`, unknown, `${ofTwin}_p2`];
    const comment = (
      await server.sql(`SELECT comment FROM system.tables WHERE name = '${ofShop}'`)
    ).trim();
    expect(comment).toMatch(/^querydock, deployment [0-9a-f]{32}, project \d+$/);
    for (const name of foreign)
      await server.sql(
        `CREATE TABLE shop_stored.${name} ENGINE = MergeTree ORDER BY n COMMENT '${comment.replace(/[0-9a-f]{32}/, '0'.repeat(32))}' AS SELECT 1 AS n`,
      );
    const { prisma } = tested.backends.metadata;
    const now = tested.clock.now();
    const record = { projectId: shop.id, createdAt: now, dropAfter: now };
    await prisma.storedTable.create({ data: { name: known, ...record } });
    // The twin is told of a table of the shop.
    const other = await prisma.storedTable.findUniqueOrThrow({ where: { name: ofShop } });
    await prisma.storedTable.update({
      where: { name: ofShop },
      data: { projectId: twin.id, dropAfter: now },
    });

    await tested.rest('DELETE', '/endpoints/of_twin', { project: twin });
    await tested.app.materialization.runOnce();
    await tested.app.materialization.sweep();
    expect(await names()).toEqual([...foreign, ofShop].sort());
    expect(await prisma.storedTable.count({ where: { droppedAt: null, name: known } })).toBe(0);

    await prisma.storedTable.update({
      where: { name: ofShop },
      data: { ...other, droppedAt: null },
    });
    expect((await runSaved('of_shop')).body).toMatchObject({ served_from: 'materialized' });
    await tested.rest('DELETE', '/endpoints/of_shop', { project: shop });
    await tested.app.materialization.runOnce();
    expect(await names()).toEqual([...foreign].sort());
    for (const name of foreign) await server.sql(`DROP TABLE shop_stored.${name}`);
    await bindUsers(twin.id, {
      readerUrl: server.urlOf('shop_reader'),
      writerUrl: null,
      stored: null,
    });
  });

  it('are not served from a table whose rows the service may not see: that is an error of the sync', async () => {
    const blind = await openBound('blind', {
      readerUrl: server.urlOf('blind_reader'),
      writerUrl: server.urlOf('blind_writer'),
      stored: 'blind_stored',
      databases: ['sales'],
    });
    const query = 'SELECT id FROM orders';
    await save('unseen', { query, is_materialized: true }, blind);
    await tested.app.materialization.runOnce();
    const at = '/endpoints/unseen/materialization_status';
    const status = await tested.rest('GET', at, { project: blind });
    expect(status.body).toMatchObject({
      status: 'Failed',
      error: expect.stringContaining('its rows cannot be counted'),
      ready: false,
    });
    expect((await runSaved('unseen', {}, blind)).body).toMatchObject({ served_from: 'inline' });
    await tested.rest('DELETE', '/endpoints/unseen', { project: blind });
  });

  it('are not materialized without one, with the reason; everything else works', async () => {
    const plain = await openBound('plain', {
      readerUrl: server.urlOf('shop_reader'),
      writerUrl: null,
      stored: null,
    });
    const query = 'SELECT count() AS n FROM campaigns';
    const refused = await save('counted', { query, is_materialized: true }, plain);
    expect(refused.body).toMatchObject({
      code: 'cannot_materialize',
      detail: expect.stringContaining('a user that writes'),
    });
    const saved = await save('counted', { query }, plain);
    expect(saved.status).toBe(201);
    expect(saved.body.materialization).toMatchObject({
      can_materialize: false,
      reason: expect.stringContaining('a user that writes'),
    });
    expect((await runSaved('counted', {}, plain)).body).toMatchObject({
      results: [[10]],
      served_from: 'inline',
    });
    const csv = await tested.rest('GET', '/endpoints/counted/run?format=csv', { project: plain });
    expect(csv.text).toBe('"n"\r\n10\r\n');
  });

  it('read from the databases that the project is bound to now', async () => {
    const moved = await openBound('moved', {
      readerUrl: server.urlOf('shop_reader'),
      writerUrl: null,
      stored: null,
    });
    await save('which', { query: 'SELECT v FROM shared' }, moved);
    expect((await runSaved('which', {}, moved)).body.results).toEqual([[1]]);
    const users = { readerUrl: server.urlOf('shop_reader'), writerUrl: null, stored: null };
    await bindUsers(moved.id, { ...users, databases: ['marketing', 'sales'] });
    await eventually('the other table is read', async () =>
      (await runSaved('which', {}, moved)).text.includes('"results":[[2]]'),
    );
  });
});

describe('a project that is detached', () => {
  it('keeps its endpoints, which read its own database from then on', async () => {
    const users = {
      readerUrl: server.urlOf('shop_reader').replace('127.0.0.1', 'localhost'),
      writerUrl: server.urlOf('shop_writer').replace('127.0.0.1', 'localhost'),
    };
    const leaving = await openBound('leaving', users);
    const at = '/endpoints/kept';
    const asked = (method: 'GET' | 'PATCH', path: string, body?: object) =>
      tested.rest(method, path, { project: leaving, ...(body === undefined ? {} : { body }) });
    const detach = (leaveTables = false) =>
      detachProject({ bindings }, { projectId: leaving.id, leaveTables, by: commandLineActor });
    const query = 'SELECT count() AS n FROM orders';
    const body = { name: 'kept', query, is_materialized: true, cache_age_seconds: 3600 };
    await tested.rest('POST', '/endpoints', { project: leaving, body });
    await tested.app.materialization.runOnce();
    expect((await asked('GET', `${at}/run`)).body).toMatchObject({ results: [[350]] });
    await expect(detach()).rejects.toThrow(/materializes kept .* disable materialization/);
    await expect(detach(true)).rejects.toThrow(/materializes kept/);
    expect((await asked('PATCH', at, { is_materialized: false })).status).toBe(200);
    await expect(detach()).rejects.toThrow(/1 stored table of the project is still to be dropped/);
    await tested.app.materialization.runOnce();
    expect((await asked('GET', `${at}/run`)).body).toMatchObject({ results: [[350]] });

    const before = Number(await bindings.findRevision(leaving.id));
    await detach();
    await expect(detach()).rejects.toThrow(/is not bound to existing databases/);
    const { prisma } = tested.backends.metadata;
    const where = { action: 'project.detach', projectId: leaving.id };
    expect(await prisma.auditEntry.findMany({ where })).toMatchObject([
      {
        door: 'command line',
        before: { databases: ['sales', 'marketing'], stored: 'shop_stored' },
      },
    ]);
    await eventually('the endpoint has no table', async () => {
      const failed = await asked('GET', `${at}/run`);
      return failed.status === 400 && failed.body.code === 'query_failed';
    });
    expect((await asked('GET', at)).body).toMatchObject({ name: 'kept' });
    expect((await asked('GET', '/tables')).body.results).toEqual([]);
    const { key } = await tested.issueKey({ scopes: ['data:write'], projects: [leaving] });
    const loaded = await tested.rest('PUT', '/tables/orders/rows', {
      project: leaving,
      key,
      body: '{"id": 1}',
      headers: { 'content-type': 'application/x-ndjson' },
    });
    expect(loaded.status).toBeLessThan(300);
    expect((await asked('GET', `${at}/run`)).body).toMatchObject({ results: [[1]] });
    expect(await rowsOf('SELECT count() FROM orders')).toEqual([[350]]);

    // A process that did not notice that it was detached takes no later binding for the one that it knows.
    await bindUsers(leaving.id, { ...users, stored: null });
    expect(Number(await bindings.findRevision(leaving.id))).toBeGreaterThan(before);
    await eventually('it reads what it is bound to', async () =>
      (await asked('GET', `${at}/run`)).text.includes('[[350]]'),
    );
  });

  it('leaves stored tables where they are if it is told to, because their server is gone', async () => {
    const { id } = await tested.app.core.projects.createProject('stranded');
    const gone = { readerUrl: 'http://a:b@127.0.0.1:9', writerUrl: 'http://c:d@127.0.0.1:9' };
    await bindUsers(id, gone);
    const { prisma } = tested.backends.metadata;
    const now = tested.clock.now();
    const name = `_materialized_${'0c'.repeat(16)}`;
    await prisma.storedTable.create({
      data: { name, projectId: id, createdAt: now, dropAfter: now },
    });
    const detach = (leaveTables: boolean) =>
      detachProject({ bindings }, { projectId: id, leaveTables, by: commandLineActor });
    await expect(detach(false)).rejects.toThrow(/--leave-tables/);
    await detach(true);
    expect(await bindings.findRevision(id)).toBeNull();
    expect(await prisma.storedTable.count({ where: { name } })).toBe(0);
  });
});

describe('a running query of a bound project', () => {
  it('tells its progress and is stopped by its id, with the rights of its own user', async () => {
    const query = 'SELECT sum(sipHash64(number)) AS s FROM numbers(1000000000000)';
    const pending = tested.rest('POST', '/query', {
      project: shop,
      body: { query, client_query_id: 'long' },
    });
    const running = "SELECT count() FROM system.processes WHERE user = 'shop_reader'";
    await eventually('it runs', async () => Number(await server.sql(running)) > 0);
    const ask = (text: string) => tested.graphql(text, {}, { project: shop });
    await eventually('it has progress', async () => {
      const { text } = await ask(
        `{ queryStatus(projectId: "${shop.id}", id: "long") { queryProgress { rowsRead } } }`,
      );
      return /"rowsRead":"?[1-9]/.test(text);
    });
    await ask(`mutation { cancelQuery(projectId: "${shop.id}", id: "long") { id } }`);
    expect((await pending).body).toMatchObject({ code: 'query_cancelled' });
    await eventually('it has ended', async () => Number(await server.sql(running)) === 0);
  });
});

describe('the comment of a statement in the log of the engine', () => {
  const slow = 'SELECT sum(sipHash64(number)) AS s FROM numbers(1000000000000)';

  /** What the engine knows of a statement that runs. */
  async function settingsOf(user: string, project: TestProject): Promise<string> {
    const pending = tested.rest('POST', '/query', {
      project,
      body: { query: slow, client_query_id: user },
    });
    const running = `SELECT toJSONString(Settings) FROM system.processes WHERE user = '${user}' AND position(query, 'sipHash64') > 0 LIMIT 1 FORMAT TSVRaw`;
    let settings = '';
    await eventually('it runs', async () => {
      settings = await server.sql(running);
      return settings !== '';
    });
    await tested.graphql(
      `mutation { cancelQuery(projectId: "${project.id}", id: "${user}") { id } }`,
      {},
      { project },
    );
    await pending;
    return settings;
  }

  it('names the project', async () => {
    const settings = JSON.parse(await settingsOf('shop_reader', shop)) as { log_comment: string };
    expect(JSON.parse(settings.log_comment)).toMatchObject({ project: shop.id });
  });

  it('is not sent where the user does not accept it; the limits are', async () => {
    const project = await openBound('quiet', {
      readerUrl: server.urlOf('quiet_reader'),
      writerUrl: null,
      stored: null,
    });
    const settings = JSON.parse(await settingsOf('quiet_reader', project)) as object;
    expect(settings).not.toHaveProperty('log_comment');
    expect(settings).toMatchObject({ max_memory_usage: '200000000' });
  });
});

describe('a bound project whose user is not what it should be', () => {
  it.each([
    ['accepts no settings', () => server.urlOf('strict_reader'), 'readonly = 1'],
    [
      'has another password',
      () => server.urlOf('shop_reader').replace(':shop_reader@', ':wrong@'),
      'rejects the user',
    ],
  ])('is told what to change: one that %s', async (what, readerUrl, says) => {
    const project = await openBound(what, {
      readerUrl: readerUrl(),
      writerUrl: null,
      stored: null,
    });
    const response = await run('SELECT count() FROM orders', project);
    expect(response.body).toMatchObject({
      code: 'engine_unavailable',
      detail: expect.stringContaining(says),
    });
    expect(response.text).not.toMatch(/strict_reader|wrong|127\.0\.0\.1/);
  });

  it('is told the same where a project with a database of its own has such a user', async () => {
    const admin = { user: 'dba', password: 'dba' };
    const login = { user: 'strict_reader', password: 'strict_reader', database: 'sales' };
    const connection = { url: server.url, admin, credentials: () => login };
    const engine = openClickHouseEngine({ connection, config: limits, log: openLog('silent') });
    await expect(engine.provision(9)).rejects.toMatchObject({
      code: 'engine_unavailable',
      message: expect.stringContaining('readonly = 1'),
    });
    expect(await server.sql('SHOW DATABASES')).not.toContain('project_9');
    await engine.close();
  });

  it('keeps its users encrypted, and needs the key that encrypted them', async () => {
    const { prisma } = tested.backends.metadata;
    const row = await prisma.projectBinding.findUniqueOrThrow({ where: { projectId: shop.id } });
    expect(Buffer.from(row.users).toString('latin1')).not.toMatch(/shop_reader|shop_writer/);
    const audit = await prisma.auditEntry.findMany({ where: { action: 'project.attach' } });
    expect(audit.length).toBeGreaterThan(0);
    expect(JSON.stringify(audit.map(({ before, after }) => [before, after]))).not.toMatch(
      /password|127\.0\.0\.1:\d+:|wrong/,
    );
    const withKeys = (keys: string) =>
      openBindingStore({ prisma, clock: tested.clock, sealer: openSealer(keys) });
    const other = 'b2'.repeat(32);
    for (const keys of ['', other]) {
      const refused = withKeys(keys).findBinding(shop.id);
      await expect(refused).rejects.toMatchObject({
        code: 'engine_unavailable',
        internal: expect.stringContaining('CREDENTIALS_KEY'),
      });
    }
    await expect(
      withKeys('').bind({
        projectId: shop.id,
        binding: (await mustFind()).binding,
        expected: undefined,
        by: commandLineActor,
      }),
    ).rejects.toThrow(/CREDENTIALS_KEY is not set/);
    await withKeys(`${other},${key}`).sealAgain();
    expect((await withKeys(other).findBinding(shop.id))?.binding).toEqual(
      (await withKeys(`${key},${other}`).findBinding(shop.id))?.binding,
    );
    await withKeys(`${key},${other}`).sealAgain();
    // A row that is copied to another project does not open there.
    await prisma.projectBinding.create({
      data: { ...row, projectId: tested.other.id, stored: null },
    });
    await expect(bindings.findBinding(tested.other.id)).rejects.toMatchObject({
      code: 'engine_unavailable',
    });
    await prisma.projectBinding.delete({ where: { projectId: tested.other.id } });
    // Nor do the passwords go to a server that somebody has put into it.
    const where = { projectId: shop.id };
    await prisma.projectBinding.update({ where, data: { url: 'http://elsewhere:8123' } });
    await expect(bindings.findBinding(shop.id)).rejects.toMatchObject({
      code: 'engine_unavailable',
    });
    await prisma.projectBinding.update({ where, data: { url: row.url } });
  });

  it.each([
    [{ databases: ['system'] }, 'it is a system database of the engine'],
    [{ databases: ['project_1'] }, 'it is the managed database of a project'],
    [{ databases: ['sales`.x'] }, 'is not the name of a database'],
    [{ databases: ['sales', 'sales'] }, 'given only once'],
    [{ stored: 'sales' }, 'one that they read'],
    [{ stored: 'shop_stored' }, 'stored tables of another project'],
    [{ databases: ['shop_stored'] }, 'stored tables of another project'],
    [{ readerUrl: 'ftp://a:b@c' }, 'http://'],
    [{ readerUrl: 'http://a:50%@c:8123' }, '%25'],
    [{ writerUrl: 'http://a:b@elsewhere:8123' }, 'a user of the same server as the reader'],
  ])('is not bound to %j', async (wrong, says) => {
    const users = {
      readerUrl: server.urlOf('shop_reader'),
      writerUrl: null,
      stored: null,
      ...wrong,
    };
    await expect(bindUsers(tested.other.id, users)).rejects.toThrow(says);
    expect(await bindings.findRevision(tested.other.id)).toBeNull();
  });
});

describe('a changed binding', () => {
  it('is never one to databases where another project gets its stored tables meanwhile', async () => {
    const { projects } = tested.app.core;
    const reading = await projects.createProject('reading');
    const storing = await projects.createProject('storing');
    const users = { readerUrl: server.urlOf('shop_reader'), writerUrl: null };
    for (const name of ['pair_a', 'pair_b', 'pair_c', 'pair_d', 'pair_e']) {
      const both = await Promise.allSettled([
        bindUsers(reading.id, { ...users, databases: [name], stored: null }),
        bindUsers(storing.id, { ...users, stored: name }),
      ]);
      expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    }
  });

  it('is not undone by one that read the binding before it', async () => {
    const { id } = await tested.app.core.projects.createProject('contended');
    const urls = { readerUrl: server.urlOf('shop_reader'), writerUrl: null };
    await bindUsers(id, { ...urls, stored: null });
    const written = async () => {
      const found = await bindings.findBinding(id);
      return { databases: found?.binding.databases, reader: found?.binding.reader.user };
    };
    /** Somebody else's attach comes between reading and writing, the given number of times. */
    const contended = (times: number) => {
      let left = times;
      return {
        bind: bindings.bind,
        async findBinding(projectId: number) {
          const found = await bindings.findBinding(projectId);
          if (left > 0) {
            left -= 1;
            const readerUrl = server.urlOf(left % 2 === 0 ? 'broad_reader' : 'shop_reader');
            await bindUsers(id, { ...urls, readerUrl, stored: null, databases: ['marketing'] });
          }
          return found;
        },
      };
    };
    await renewPasswords({ bindings: contended(1) }, id, commandLineActor);
    expect(await written()).toEqual({ databases: ['marketing'], reader: 'broad_reader' });

    await bindUsers(id, { ...urls, stored: null });
    const kept = { databases: ['sales'], stored: null, dictionaries: [], readerUrl: undefined };
    const call = { attachment: { ...kept, writerUrl: undefined }, by: commandLineActor };
    await attachProject({ bindings: contended(1) }, id, call);
    expect(await written()).toEqual({ databases: ['sales'], reader: 'broad_reader' });

    const revision = await bindings.findRevision(id);
    const again = renewPasswords({ bindings: contended(99) }, id, commandLineActor);
    await expect(again).rejects.toThrow(/Another process is changing the binding/);
    expect(await written()).toMatchObject({ databases: ['marketing'] });
    expect(await bindings.findRevision(id)).toBe(Number(revision) + 5);
  });

  it('with new passwords that the engine does not have yet reads the same databases', async () => {
    const rotated = await openBound('rotated', {
      readerUrl: server.urlOf('shop_reader'),
      writerUrl: null,
      stored: null,
    });
    await renewPasswords({ bindings }, rotated.id, commandLineActor);
    expect(await rowsOf('SELECT v FROM shared', rotated)).toEqual([[1]]);
    expect(await rowsOf('SELECT count() FROM campaigns', rotated)).toEqual([[10]]);
  });

  it('is noticed while the one before is looked up', async () => {
    const own = tested.backends.engine;
    const opened: number[] = [];
    const retired: number[] = [];
    let revision = 1;
    const engine = withBoundProjects({
      own,
      findRevision: async () => revision,
      async open(projectId) {
        const found = revision;
        opened.push(found);
        if (found === 1) {
          revision = 2;
          engine.refresh(projectId);
        }
        return { revision: found, engine: own, retire: () => retired.push(found) };
      },
    });
    for (let use = 0; use < 3; use += 1) await engine.whyNot(shop.id, 'load');
    expect(opened).toEqual([1, 2]);
    expect(retired).toEqual([1]);
  });

  it('serves whoever knows of it before the engine is told', async () => {
    const own = tested.backends.engine;
    const opened: number[] = [];
    let revision = 1;
    const engine = withBoundProjects({
      own: { ...own, query: async () => Promise.reject(new Error('the old one')) },
      findRevision: async () => revision,
      async open() {
        opened.push(revision);
        return { revision, engine: own, retire: () => undefined };
      },
    });
    const ask = (dataRevision: number) =>
      engine.query({
        projectId: shop.id,
        queryId: randomUUID(),
        ...{ sql: 'SELECT 1', params: {}, limit: 1, offset: 0, integers: 'number', dataRevision },
      });
    await Promise.allSettled([ask(1), ask(1)]);
    expect(opened).toEqual([1]);
    revision = 2;
    await Promise.allSettled([ask(1)]);
    expect(opened).toEqual([1]);
    await Promise.allSettled([ask(2), ask(2), ask(3)]);
    expect(opened).toEqual([1, 2]);
  });

  it('ends no query that runs', async () => {
    const client = openEngineClient({ url: server.url });
    const login = { user: 'dba', password: 'dba' };
    const sql = "SELECT sleep(1), 'still here'";
    const running = client.send({ login, sql, settings: {}, timeoutMs: 30_000 });
    await eventually(
      'the query runs',
      async () =>
        (await server.sql("SELECT count() FROM system.processes WHERE query LIKE '%still%'")) ===
        '2\n',
    );
    client.retire();
    expect((await running).body.toString()).toBe('0\tstill here\n');
    client.close();
  });
});

async function mustFind() {
  const found = await bindings.findBinding(shop.id);
  if (found === null) throw new Error('the project is not bound');
  return found;
}
