/** A project that is bound to databases which every node of a cluster has. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openSealer } from '../../../../src/lib/seal.ts';
import { commandLineActor } from '../../../../src/model/actor.ts';
import { openBindingStore } from '../../../../src/store/binding-store.ts';
import {
  type ClusteredApp,
  listed,
  openClusteredApp,
} from '../../../materialization/cluster/support/clustered-app.ts';
import { balanced } from '../../../materialization/cluster/support/on-cluster-proxy.ts';
import type { TestProject } from '../../../support/test-app.ts';

const credentialsKey = 'b2'.repeat(32);
const query = 'SELECT country, sum(amount) AS total FROM sales GROUP BY country ORDER BY country';
const rows = [
  ['DE', 30],
  ['FR', 25],
];

describe.each([
  ['whose nodes are listed', listed, 'materialized'],
  ['behind a balancer', balanced, 'inline'],
] as const)('a project that is bound to a cluster %s', (_which, openWay, servedFrom) => {
  let world: ClusteredApp;
  let shop: TestProject;
  let url = '';
  beforeAll(async () => {
    world = await openClusteredApp(async (nodes) => {
      const way = await openWay(nodes);
      url = way.settings.clickhouseUrl ?? nodes.shared.clickhouseUrl;
      return { ...way, settings: { ...way.settings, credentialsKey } };
    });
    for (const node of [0, 1] as const) {
      for (const sql of [
        'CREATE DATABASE shop',
        'CREATE DATABASE shop_stored',
        'CREATE TABLE shop.sales (country String, amount UInt32) ENGINE = MergeTree ORDER BY country',
        "INSERT INTO shop.sales SELECT ['DE', 'FR'][number % 2 + 1], number FROM numbers(11)",
      ])
        await world.nodes.sql(node, sql);
    }
    shop = await bind();
  });
  afterAll(() => world.close());

  async function bind(): Promise<TestProject> {
    const { test } = world;
    const { prisma } = test.backends.metadata;
    const bindings = openBindingStore({
      prisma,
      clock: test.clock,
      sealer: openSealer(credentialsKey),
    });
    const { id } = await test.app.core.projects.createProject('shop');
    // Its users come from files: one has rights in these databases.
    const { admin } = world.nodes.connection;
    const binding = {
      databases: ['shop'],
      stored: 'shop_stored',
      dictionaries: [],
      url: new URL(url).origin,
      reader: admin,
      writer: admin,
    };
    const bound = { projectId: id, binding, expected: undefined, by: commandLineActor };
    expect(await bindings.bind(bound)).toBe(true);
    const bare = { id, readKey: '', writeKey: '' };
    const writeKey = (await test.issueKey({ scopes: ['endpoint:write'], projects: [bare] })).key;
    return { id, readKey: writeKey, writeKey };
  }

  it(`has the same rows from any node, ${servedFrom}`, async () => {
    const { test } = world;
    const created = await test.rest('POST', '/endpoints', {
      project: shop,
      body: { name: 'totals', query, is_materialized: servedFrom === 'materialized' },
    });
    expect(created.status).toBe(201);
    await test.app.materialization.runOnce();
    for (let count = 0; count < 6; count += 1) {
      const { body } = await test.rest('POST', '/endpoints/totals/run', {
        project: shop,
        body: { refresh: 'force', debug: true },
      });
      expect(body).toMatchObject({ results: rows, served_from: servedFrom });
    }
    const tables = await Promise.all(
      ([0, 1] as const).map((node) => world.nodes.sql(node, 'SHOW TABLES FROM shop_stored')),
    );
    expect(tables[0]).toBe(tables[1]);
    expect(tables[0] === '').toBe(servedFrom === 'inline');
  });

  it('stores a query that needs several tables as well, where it stores any', async () => {
    const { test } = world;
    const created = await test.rest('POST', '/endpoints', {
      project: shop,
      body: {
        name: 'shares',
        query:
          'SELECT country, sum(amount) / (SELECT sum(amount) FROM sales WHERE amount < {most:UInt32}) AS share FROM sales WHERE amount < {most:UInt32} GROUP BY country ORDER BY country',
        is_materialized: servedFrom === 'materialized',
      },
    });
    expect(created.status).toBe(201);
    await test.app.materialization.runOnce();
    const shares = [
      ['DE', 12 / 21],
      ['FR', 9 / 21],
    ];
    for (let count = 0; count < 4; count += 1) {
      const body = { refresh: 'force', debug: true, variables: { most: 7 } };
      const run = await test.rest('POST', '/endpoints/shares/run', { project: shop, body });
      expect(run.body).toMatchObject({ results: shares, served_from: servedFrom });
    }
    const copies =
      "SELECT count() FROM system.tables WHERE database = 'shop_stored' AND position(name, '_source_') > 0";
    for (const node of [0, 1] as const) expect(await world.nodes.sql(node, copies)).toBe('0\n');
  });

  it('says why it stores nothing, where it does not', async () => {
    const { body } = await world.test.rest('PATCH', '/endpoints/totals', {
      project: shop,
      body: { is_materialized: true },
    });
    const reason = 'An operator must list the nodes in CLICKHOUSE_NODES';
    if (servedFrom === 'inline')
      expect(body).toMatchObject({
        code: 'cannot_materialize',
        detail: expect.stringContaining(reason),
      });
    else expect(body).toMatchObject({ is_materialized: true });
  });
});
