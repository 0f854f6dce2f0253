/** A ClickHouse of somebody else with projects that are bound to its databases, and a service that stores their results. */
import { expect } from 'vitest';
import { attachProject } from '../../../../../src/access/attach-project.ts';
import { engineConfig } from '../../../../../src/backends.ts';
import { readConfig } from '../../../../../src/config/config.ts';
import {
  readerGrants,
  writerGrants,
} from '../../../../../src/engine/clickhouse/bound/binding-sql.ts';
import {
  readerSettings,
  writerSettings,
} from '../../../../../src/engine/clickhouse/provision/project-users.ts';
import { openSealer } from '../../../../../src/lib/seal.ts';
import { commandLineActor } from '../../../../../src/model/actor.ts';
import { openBindingStore } from '../../../../../src/store/binding-store.ts';
import {
  type DbaServer,
  type DbaUser,
  profileOf,
  startDbaServer,
} from '../../../../support/dba-server.ts';
import { type HeldEngine, openHeldEngine } from '../../../../support/held-engine.ts';
import { openTestApp, type TestApp, type TestProject } from '../../../../support/test-app.ts';

const key = 'a1'.repeat(32);
/** Each project has users of its own and stores in a database of its own. */
const projects = [
  'usual',
  'earlier',
  'copyless',
  'differing',
  'mapped',
  'tenant',
  'viewing',
  'arriving',
] as const;
type Name = (typeof projects)[number];
const placeOf = (name: Name) => ({
  databases: ['shop', 'archive'],
  stored: `${name}_stored`,
  dictionaries: ['shop.labels'],
});
const limits = engineConfig(readConfig({}));
const ofTenant = { database: 'shop', table: 'orders', condition: "tenant = 'a'" };
/** The text is the same for both users, its rows are not. */
const ofMap = 'tenant IN (SELECT tenant FROM shop.access WHERE user = currentUser())';
/** A table that is empty at first, of which the reader sees some rows. */
const ofArriving = { database: 'shop', table: 'arriving', condition: "tenant = 'a'" };
const ofLabel = "tenant IN (SELECT code FROM shop.codes WHERE label = 'Anna')";

const world = [
  'CREATE DATABASE shop',
  'CREATE DATABASE archive',
  'CREATE TABLE shop.arriving (id UInt32, tenant String) ENGINE = MergeTree ORDER BY id',
  ...projects.map((name) => `CREATE DATABASE ${name}_stored`),
  'CREATE TABLE shop.orders (id UInt32, tenant String, amount UInt32) ENGINE = MergeTree ORDER BY id',
  "INSERT INTO shop.orders SELECT number, ['a', 'b'][if(number % 7 = 0, 2, 1)], number FROM numbers(100)",
  'CREATE VIEW shop.large SQL SECURITY INVOKER AS SELECT tenant, id, amount FROM shop.orders WHERE amount > 1 AND id > 1',
  "CREATE TABLE shop.access ENGINE = MergeTree ORDER BY user AS SELECT 'mapped_reader' AS user, 'a' AS tenant UNION ALL SELECT 'mapped_writer', code FROM values('code String', 'a', 'b')",
  "CREATE TABLE shop.every ENGINE = Merge(shop, '^orders$') AS shop.orders",
  "CREATE TABLE shop.open ENGINE = MergeTree ORDER BY id AS SELECT number AS id, ['a', 'b', 'c'][number % 3 + 1] AS tenant FROM numbers(60)",
  "CREATE TABLE archive.open ENGINE = MergeTree ORDER BY id AS SELECT number AS id, ['a', 'b'][number % 2 + 1] AS tenant FROM numbers(40)",
  'CREATE TABLE archive.versions (id UInt32, tenant String, v UInt32) ENGINE = ReplacingMergeTree(v) PARTITION BY id % 3 ORDER BY id',
  "INSERT INTO archive.versions SELECT number % 50, ['a', 'b'][number % 2 + 1], number FROM numbers(100)",
  "CREATE TABLE shop.rich (id UInt32, tenant LowCardinality(String) DEFAULT 'a', day Date, twice UInt32 MATERIALIZED id * 2, PROJECTION p (SELECT tenant, count() GROUP BY tenant), INDEX i tenant TYPE bloom_filter) ENGINE = MergeTree PARTITION BY toYYYYMM(day) PRIMARY KEY (day, intHash32(id)) ORDER BY (day, intHash32(id), tenant) SAMPLE BY intHash32(id) TTL day + INTERVAL 100 YEAR SETTINGS index_granularity = 512",
  "INSERT INTO shop.rich (id, day) SELECT number, toDate('2026-01-01') + number FROM numbers(90)",
  'CREATE TABLE shop.`order-items` (id UInt32, tenant String, amount UInt32) ENGINE = SummingMergeTree(amount) ORDER BY (id, tenant)',
  "INSERT INTO shop.`order-items` SELECT number, ['a', 'b'][number % 2 + 1], 1 FROM numbers(30)",
  'CREATE TABLE shop.held (id UInt32, tenant String) ENGINE = Memory',
  "INSERT INTO shop.held SELECT number, ['a', 'b'][number % 2 + 1] FROM numbers(30)",
  'CREATE TABLE shop.expired (id UInt32, tenant String, day Date) ENGINE = MergeTree ORDER BY id TTL day + INTERVAL 1 DAY',
  'SYSTEM STOP MERGES shop.expired',
  "INSERT INTO shop.expired SELECT number, ['a', 'b'][number % 2 + 1], '2020-01-01' FROM numbers(60)",
  'CREATE TABLE shop.typed (id UInt32, tenant FixedString(300), level LowCardinality(UInt8), steps Nested(a UInt8)) ENGINE = MergeTree ORDER BY id SETTINGS allow_suspicious_low_cardinality_types = 1, allow_suspicious_fixed_string_types = 1, flatten_nested = 0',
  "INSERT INTO shop.typed SELECT number, ['a', 'b'][number % 2 + 1], 1, [] FROM numbers(60)",
  'CREATE VIEW shop.defined DEFINER = dba SQL SECURITY DEFINER AS SELECT id, tenant FROM shop.rich WHERE id > 3',
  'CREATE TABLE shop.few ENGINE = MergeTree ORDER BY id AS SELECT toUInt64(number) AS id FROM numbers(50)',
  'CREATE TABLE shop.joined (id UInt64, tenant String) ENGINE = Join(ANY, LEFT, id)',
  "INSERT INTO shop.joined SELECT number, 'a' FROM numbers(60)",
  'CREATE TABLE shop.codes (code String, label String) ENGINE = MergeTree ORDER BY code',
  "INSERT INTO shop.codes VALUES ('a', 'Anna'), ('b', 'Bert')",
  "CREATE DICTIONARY shop.labels (code String, label String DEFAULT 'none') PRIMARY KEY code SOURCE(CLICKHOUSE(USER 'dba' PASSWORD 'dba' DB 'shop' TABLE 'codes')) LAYOUT(COMPLEX_KEY_HASHED()) LIFETIME(0)",
];

export interface BoundWorld {
  readonly server: DbaServer;
  readonly tested: TestApp;
  /** The way to the server of the project `arriving`. */
  readonly held: HeldEngine;
  projectOf(name: Name): TestProject;
  /** @returns the name of a materialized endpoint whose first sync has ended as expected. */
  synced(project: TestProject, query: string, expected: string): Promise<string>;
  run(project: TestProject, name: string, variables: object, refresh?: string): Promise<object>;
  /** That runs from the stored table return what the query itself does. */
  expectSame(project: TestProject, name: string, values: readonly object[]): Promise<void>;
  errorOf(project: TestProject, name: string): Promise<unknown>;
  close(): Promise<void>;
}

export async function openBoundWorld(): Promise<BoundWorld> {
  const server = await startDbaServer(users());
  for (const statement of world) await server.sql(statement);
  const held = await openHeldEngine(server.url);
  const tested = await openTestApp({ credentialsKey: key }, undefined, { projects: 12 });
  const opened = new Map<Name, TestProject>();
  for (const name of projects) opened.set(name, await openBound({ server, tested, held }, name));
  let number = 0;

  async function run(project: TestProject, name: string, variables: object, refresh = 'force') {
    const body = { variables, refresh, debug: true };
    return (await tested.rest('POST', `/endpoints/${name}/run`, { project, body })).body;
  }

  return {
    server,
    tested,
    held,
    projectOf(name) {
      const project = opened.get(name);
      if (project === undefined) throw new Error(`${name} is not open`);
      return project;
    },
    async synced(project, query, expected) {
      number += 1;
      const body = { name: `e${number}`, query, is_materialized: true };
      const saved = await tested.rest('POST', '/endpoints', { project, body });
      expect(saved.body).toMatchObject({ is_materialized: true });
      expect((await tested.app.materialization.runOnce()).syncs).toEqual([expected]);
      return body.name;
    },
    run,
    async expectSame(project, name, values) {
      for (const variables of values) {
        const { results } = await run(project, name, variables, 'direct');
        const served = { served_from: 'materialized', results };
        expect(await run(project, name, variables)).toMatchObject(served);
      }
    },
    async errorOf(project, name) {
      const path = `/endpoints/${name}/materialization_status`;
      return (await tested.rest('GET', path, { project })).body.error;
    },
    async close() {
      await tested.close();
      await held.close();
      await server.stop();
    },
  };
}

function users(): readonly DbaUser[] {
  const reader = (name: Name) => ({
    name: `${name}_reader`,
    grants: readerGrants(placeOf(name)),
    profile: profileOf(readerSettings(limits)),
  });
  const writer = (name: Name, lacks = /^$/) => ({
    name: `${name}_writer`,
    grants: writerGrants(placeOf(name)).filter((right) => !lacks.test(right)),
    profile: profileOf(writerSettings(limits)),
  });
  const both = (name: Name, sees?: DbaUser['sees']) =>
    [reader(name), writer(name)].map((user) => (sees === undefined ? user : { ...user, sees }));
  return [
    ...both('usual'),
    ...[reader('earlier'), writer('earlier', /^dictGet|^ALTER DELETE|system\.(?:parts|mutations)/)],
    ...[reader('copyless'), writer('copyless', /^ALTER DELETE/)],
    ...[{ ...reader('differing'), sees: ofTenant }, writer('differing')],
    ...both('mapped', { ...ofTenant, condition: ofMap }),
    ...both('tenant', ofTenant),
    ...[{ ...reader('arriving'), sees: ofArriving }, writer('arriving', /^ALTER DELETE/)],
    ...both('viewing', { ...ofTenant, table: 'large', condition: ofLabel }),
  ];
}

async function openBound(
  { server, tested, held }: Pick<BoundWorld, 'server' | 'tested' | 'held'>,
  name: Name,
): Promise<TestProject> {
  const { id } = await tested.app.core.projects.createProject(name);
  const { prisma } = tested.backends.metadata;
  const bindings = openBindingStore({ prisma, clock: tested.clock, sealer: openSealer(key) });
  const urlOf = (user: string) => {
    const url = new URL(server.urlOf(`${name}_${user}`));
    if (name === 'arriving') url.port = new URL(held.clickhouseUrl).port;
    return url.href;
  };
  const [readerUrl, writerUrl] = [urlOf('reader'), urlOf('writer')];
  const attachment = { ...placeOf(name), readerUrl, writerUrl };
  await attachProject({ bindings }, id, { attachment, by: commandLineActor });
  const bare = { id, readKey: '', writeKey: '' };
  const issue = async (scope: string) =>
    (await tested.issueKey({ scopes: [scope], projects: [bare] })).key;
  return { id, readKey: await issue('endpoint:read'), writeKey: await issue('endpoint:write') };
}

/** Needs several stored tables. */
export const several = (table: string) =>
  `WITH few AS (SELECT tenant, count() AS n FROM ${table} WHERE id < {x:UInt32} GROUP BY tenant), total AS (SELECT tenant, sum(id) AS ids FROM ${table} GROUP BY tenant) SELECT tenant, n, ids FROM few JOIN total ON few.tenant = total.tenant ORDER BY tenant`;

export interface Repeated {
  stop(): Promise<void>;
}

/** Repeats the statement until it is stopped. */
export function repeated({ server }: Pick<BoundWorld, 'server'>, statement: string): Repeated {
  let isOn = true;
  const all = (async () => {
    while (isOn) await server.sql(statement);
  })();
  return {
    stop: () => {
      isOn = false;
      return all;
    },
  };
}
