/** Syncs of bound projects, which are filled by another user than the one that runs queries. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { attachProject } from '../../../../src/access/attach-project.ts';
import { engineConfig } from '../../../../src/backends.ts';
import { readConfig } from '../../../../src/config/config.ts';
import { readerGrants, writerGrants } from '../../../../src/engine/clickhouse/bound/binding-sql.ts';
import {
  readerSettings,
  writerSettings,
} from '../../../../src/engine/clickhouse/provision/project-users.ts';
import { openSealer } from '../../../../src/lib/seal.ts';
import { commandLineActor } from '../../../../src/model/actor.ts';
import { openBindingStore } from '../../../../src/store/binding-store.ts';
import { type DbaServer, profileOf, startDbaServer } from '../../../support/dba-server.ts';
import { openTestApp, type TestApp, type TestProject } from '../../../support/test-app.ts';

const key = 'a1'.repeat(32);
/** Each project has users of its own and stores in a database of its own. */
const projects = ['usual', 'earlier', 'differing', 'tenant'] as const;
type Name = (typeof projects)[number];
const placeOf = (name: Name) => ({
  databases: ['shop'],
  stored: `${name}_stored`,
  dictionaries: ['shop.labels'],
});
const limits = engineConfig(readConfig({}));
const ofTenant = { database: 'shop', table: 'orders', condition: "tenant = 'a'" };

const world = [
  'CREATE DATABASE shop',
  ...projects.map((name) => `CREATE DATABASE ${name}_stored`),
  'CREATE TABLE shop.orders (id UInt32, tenant String, amount UInt32) ENGINE = MergeTree ORDER BY id',
  "INSERT INTO shop.orders SELECT number, 'a', number FROM numbers(100)",
  'CREATE VIEW shop.large SQL SECURITY INVOKER AS SELECT tenant, id, amount FROM shop.orders WHERE amount > 1 AND id > 1',
  "CREATE TABLE shop.every ENGINE = Merge(shop, '^orders$') AS shop.orders",
  "CREATE TABLE shop.open ENGINE = MergeTree ORDER BY id AS SELECT number AS id, ['a', 'b', 'c'][number % 3 + 1] AS tenant FROM numbers(60)",
  'CREATE TABLE shop.codes (code String, label String) ENGINE = MergeTree ORDER BY code',
  "INSERT INTO shop.codes VALUES ('a', 'Anna'), ('b', 'Bert')",
  "CREATE DICTIONARY shop.labels (code String, label String DEFAULT 'none') PRIMARY KEY code SOURCE(CLICKHOUSE(USER 'dba' PASSWORD 'dba' DB 'shop' TABLE 'codes')) LAYOUT(COMPLEX_KEY_HASHED()) LIFETIME(0)",
];

let server: DbaServer;
let tested: TestApp;
let number = 0;
const opened = new Map<Name, TestProject>();

beforeAll(async () => {
  const reader = (name: Name) => ({
    name: `${name}_reader`,
    grants: readerGrants(placeOf(name)),
    profile: profileOf(readerSettings(limits)),
  });
  const writer = (name: Name) => ({
    name: `${name}_writer`,
    grants: writerGrants(placeOf(name)),
    profile: profileOf(writerSettings(limits)),
  });
  const earlier = writer('earlier');
  server = await startDbaServer([
    ...[reader('usual'), writer('usual'), reader('earlier')],
    {
      ...earlier,
      grants: earlier.grants.filter((right) => !/^dictGet|system\.(?:parts|mutations)/.test(right)),
    },
    ...[{ ...reader('differing'), sees: ofTenant }, writer('differing')],
    ...[reader('tenant'), writer('tenant')].map((user) => ({ ...user, sees: ofTenant })),
  ]);
  for (const statement of world) await server.sql(statement);
  tested = await openTestApp({ credentialsKey: key }, undefined, { projects: 8 });
  for (const name of projects) opened.set(name, await openBound(name));
});
afterAll(async () => {
  await tested?.close();
  await server?.stop();
});

async function openBound(name: Name): Promise<TestProject> {
  const { id } = await tested.app.core.projects.createProject(name);
  const { prisma } = tested.backends.metadata;
  const bindings = openBindingStore({ prisma, clock: tested.clock, sealer: openSealer(key) });
  const [readerUrl, writerUrl] = [server.urlOf(`${name}_reader`), server.urlOf(`${name}_writer`)];
  const attachment = { ...placeOf(name), readerUrl, writerUrl };
  await attachProject({ bindings }, id, { attachment, by: commandLineActor });
  const bare = { id, readKey: '', writeKey: '' };
  const issue = async (scope: string) =>
    (await tested.issueKey({ scopes: [scope], projects: [bare] })).key;
  return { id, readKey: await issue('endpoint:read'), writeKey: await issue('endpoint:write') };
}

function projectOf(name: Name): TestProject {
  const project = opened.get(name);
  if (project === undefined) throw new Error(`${name} is not open`);
  return project;
}

/** @returns the name of a materialized endpoint whose first sync has ended as expected. */
async function synced(project: TestProject, query: string, expected: string): Promise<string> {
  number += 1;
  const body = { name: `e${number}`, query, is_materialized: true };
  const saved = await tested.rest('POST', '/endpoints', { project, body });
  expect(saved.body).toMatchObject({ is_materialized: true });
  expect((await tested.app.materialization.runOnce()).syncs).toEqual([expected]);
  return body.name;
}

async function run(project: TestProject, name: string, variables: object, refresh = 'force') {
  const body = { variables, refresh, debug: true };
  return (await tested.rest('POST', `/endpoints/${name}/run`, { project, body })).body;
}

async function expectSame(project: TestProject, name: string, values: readonly object[]) {
  for (const variables of values) {
    const { results } = await run(project, name, variables, 'direct');
    const served = { served_from: 'materialized', results };
    expect(await run(project, name, variables)).toMatchObject(served);
  }
}

it.each([
  "SELECT dictGet('shop.labels', 'label', tenant) AS label, count() AS n FROM open WHERE id >= {x:UInt32} GROUP BY label ORDER BY label",
  "SELECT id FROM open WHERE dictGetOrDefault('shop.labels', 'label', tenant, 'other') = 'other' AND id > {x:UInt32} ORDER BY id",
  "SELECT tenant, any(dictGet('shop.labels', 'label', tenant)) AS label, uniqExact(id) AS n FROM open WHERE id < {x:UInt32} GROUP BY tenant ORDER BY tenant",
])('what a dictionary has is stored: %s', async (query) => {
  const project = projectOf('usual');
  await expectSame(project, await synced(project, query, 'completed'), [{ x: 0 }, { x: 31 }]);
});

it.each([
  "SELECT dictGet('shop.labels', 'label', {x:String}) AS label, count() AS n FROM open WHERE tenant = {x:String}",
  "SELECT id FROM open WHERE tenant = dictGet('shop.labels', 'label', {x:String})",
  "SELECT dictGetOrDefault('shop.labels', 'label', tenant, {x:String}) AS label, count() AS n FROM open GROUP BY label",
])('what runs would look up is not materialized: %s', async (query) => {
  const body = { name: 'looks_up', query, is_materialized: true };
  const { status, body: refused } = await tested.rest('POST', '/endpoints', {
    project: projectOf('usual'),
    body,
  });
  expect(status).toBe(400);
  expect(refused.detail).toMatch(
    /^Cannot materialize endpoint\. The function dictGet(?:OrDefault)? would look a value up in each run, .* \(line 1, column \d+\)\.$/,
  );
});

it('says that the user that stores results lacks rights', async () => {
  const project = projectOf('earlier');
  const query =
    "SELECT id, dictGet('shop.labels', 'label', tenant) AS label FROM open WHERE id = {x:UInt32}";
  const name = await synced(project, query, 'failed');
  const status = await tested.rest('GET', `/endpoints/${name}/materialization_status`, { project });
  expect(status.body).toMatchObject({
    can_materialize: true,
    error:
      'The user that stores results may not read all that the query reads, such as a column or a dictionary; querydock project check names the rights that it lacks.',
  });
});

it.each(['orders', 'large', 'every'])(
  'rows that a row policy hides from runs are not stored: of %s',
  async (table) => {
    const query = `SELECT tenant, sum(amount) AS total FROM ${table} WHERE id >= {x:UInt32} GROUP BY tenant`;
    const project = projectOf('differing');
    // The policy hides none of the rows that are there.
    const name = await synced(project, query, 'failed');
    const status = await tested.rest('GET', `/endpoints/${name}/materialization_status`, {
      project,
    });
    expect(status.body).toMatchObject({
      can_materialize: false,
      reason: `Row policies give the user that runs queries other rows of shop.${table} than the user that stores results. Give both users of the project the same row policies.`,
    });
    expect(await run(project, name, { x: 0 })).toMatchObject({ served_from: 'inline' });
  },
);

it('tables with the same row policies for both users are stored, and so are others', async () => {
  const project = projectOf('tenant');
  const query =
    'SELECT tenant, sum(amount) AS total FROM large WHERE id >= {x:UInt32} GROUP BY tenant';
  await expectSame(project, await synced(project, query, 'completed'), [{ x: 0 }, { x: 50 }]);
  const other = projectOf('differing');
  const open =
    'SELECT tenant, count() AS n FROM open WHERE id >= {x:UInt32} GROUP BY tenant ORDER BY tenant';
  await expectSame(other, await synced(other, open, 'completed'), [{ x: 0 }, { x: 50 }]);
});

const several = (table: string) =>
  `WITH few AS (SELECT tenant, count() AS n FROM ${table} WHERE id < {x:UInt32} GROUP BY tenant), total AS (SELECT tenant, sum(id) AS ids FROM ${table} GROUP BY tenant) SELECT tenant, n, ids FROM few JOIN total ON few.tenant = total.tenant ORDER BY tenant`;

const ofDictionary =
  "WITH few AS (SELECT tenant, count() AS n FROM open WHERE id < {x:UInt32} GROUP BY tenant), named AS (SELECT tenant, min(dictGet('shop.labels', 'label', tenant)) AS label FROM open GROUP BY tenant) SELECT n, label FROM few JOIN named ON few.tenant = named.tenant ORDER BY label";

describe('a query that needs several tables', () => {
  it.each([
    several('open'),
    'SELECT tenant, count() / (SELECT count() FROM large WHERE amount > {x:UInt32}) AS share FROM open WHERE id > {x:UInt32} GROUP BY tenant ORDER BY tenant',
  ])('is stored if its sources do not change meanwhile: %s', async (query) => {
    const project = projectOf('usual');
    await expectSame(project, await synced(project, query, 'completed'), [{ x: 0 }, { x: 31 }]);
  });

  it('is tried again if they do', async () => {
    const project = projectOf('usual');
    await server.sql('CREATE TABLE shop.moving AS shop.open');
    const write = () =>
      server
        .sql("INSERT INTO shop.moving SELECT number, 'a' FROM numbers(3)")
        .then(() => undefined);
    await write();
    const writer = repeated(write);
    const name = await synced(project, several('moving'), 'failed').finally(writer.stop);
    expect(await errorOf(project, name)).toMatch(
      /a table or dictionary that the query reads cannot be copied and has changed meanwhile\. The sync is tried again\.$/,
    );
    expect(await run(project, name, { x: 2 })).toMatchObject({ served_from: 'inline' });
    tested.clock.advance(3_600_000);
    expect((await tested.app.materialization.runOnce()).syncs).toContain('completed');
    await expectSame(project, name, [{ x: 0 }, { x: 2 }]);
  });

  it.each([
    ['usual', several('every'), 'of an engine that has no parts'],
    ['earlier', several('open'), 'whose parts its user may not read'],
    ['usual', ofDictionary, 'whose dictionary may be loaded anew'],
  ] as const)('is not stored: by %s, %s, %s', async (user, query, _why) => {
    const project = projectOf(user);
    const name = await synced(project, query, 'failed');
    expect(await errorOf(project, name)).toMatch(
      /a table or dictionary that the query reads can neither be copied nor tell whether it changes\. The sync is tried again\.$/,
    );
  });
});

async function errorOf(project: TestProject, name: string): Promise<unknown> {
  const path = `/endpoints/${name}/materialization_status`;
  return (await tested.rest('GET', path, { project })).body.error;
}

function repeated(work: () => Promise<void>): { stop(): Promise<void> } {
  let isOn = true;
  const all = (async () => {
    while (isOn) await work();
  })();
  return {
    stop: () => {
      isOn = false;
      return all;
    },
  };
}
