/** What each node of a cluster is asked and told, however the service reaches them. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openClickHouseEngine } from '../../../src/engine/clickhouse/clickhouse-engine.ts';
import { remoteConnection } from '../../../src/engine/clickhouse/http/connection.ts';
import { withRequestScope } from '../../../src/lib/request-scope.ts';
import {
  type ClusteredApp,
  listed,
  openClusteredApp,
} from '../../materialization/cluster/support/clustered-app.ts';
import { balanced } from '../../materialization/cluster/support/on-cluster-proxy.ts';
import { eventually } from '../../support/eventually.ts';
import { openTwoNodes } from '../../support/two-nodes.ts';
import { config, log } from '../support/local-engine.ts';

const forever = {
  sql: 'SELECT sum(sipHash64(number)) AS s FROM numbers(1000000000000)',
  params: {},
  limit: 1,
  offset: 0,
  integers: 'number',
} as const;

describe.each([
  ['whose nodes are listed', listed],
  ['behind a balancer, that passes statements on', balanced],
])('an engine %s', (_which, openWay) => {
  let world: ClusteredApp;
  let database = '';

  beforeAll(async () => {
    world = await openClusteredApp(openWay);
    database = `project_${world.test.project.id}`;
  });
  afterAll(() => world.close());

  async function query(sql: string, variables: object = {}) {
    const { status, body } = await world.test.rest('POST', '/query', {
      body: { query: sql, variables },
    });
    expect(body).not.toHaveProperty('code');
    expect(status).toBe(200);
    return body.results;
  }

  describe('a project', () => {
    it('has its database and its users on every node', async () => {
      const { connection } = world.nodes;
      const { test } = world;
      for (const node of [0, 1] as const) {
        for (const role of ['reader', 'writer'] as const) {
          const login = connection.credentials(test.project.id, role);
          const sql = `SELECT count() FROM ${database}.orders`;
          expect(await world.nodes.sql(node, sql, login)).toBe('40000\n');
        }
      }
    });
  });

  describe('running queries', () => {
    it('have progress and are cancelled on whatever node they run', async () => {
      const { engine } = world.test.app.core;
      const projectId = world.test.project.id;
      const ids: string[] = [];
      const requestId = randomUUID();
      const outcomes: Promise<string | undefined>[] = [];
      const start = (queryId: string) =>
        withRequestScope({ requestId }, () =>
          engine.query({ ...forever, projectId, queryId, share: { threads: 1, priority: 1 } }),
        ).then(
          () => 'done',
          (error: { code?: string }) => error.code,
        );
      await eventually('each node runs one', async () => {
        const queryId = randomUUID();
        ids.push(queryId);
        outcomes.push(start(queryId));
        await eventually('its rows are counted', async () => {
          const progress = await engine.progress(queryId, projectId);
          return progress !== null && progress.rowsRead > 0;
        });
        return Math.min(...(await Promise.all(([0, 1] as const).map(runningOn)))) > 0;
      });
      await eventually('each is counted once for their request', async () => {
        const found = await engine.requestProgress({ projectId, requestId });
        return found?.rowsTotal === ids.length * 1e12;
      });
      for (const queryId of ids) expect(await engine.cancel(queryId, projectId)).toBe(true);
      expect(await Promise.all(outcomes)).toEqual(ids.map(() => 'query_cancelled'));
      expect(await engine.cancel(ids[0] ?? '', projectId)).toBe(false);
    });

    async function runningOn(node: 0 | 1): Promise<number> {
      const sql = "SELECT count() FROM system.processes WHERE user LIKE 'project_%_reader'";
      return Number(await world.nodes.sql(node, sql));
    }
  });

  describe('the processor time of executions', () => {
    const settledMs = 10_000;

    async function runs(count: number): Promise<void> {
      for (let at = 0; at < count; at += 1)
        await query(
          `SELECT country, sum(cents) AS total FROM all_orders WHERE customer != ${Math.floor(Math.random() * 1e9)} GROUP BY country`,
        );
    }

    async function measured() {
      const { body } = await world.test.rest('GET', '/usage?step=all');
      return body.total as Readonly<Record<string, number>>;
    }

    /** Microseconds of what the executions did on a node, for themselves or for another one. */
    async function loggedOn(node: 0 | 1, ids: readonly string[]): Promise<number> {
      const sum = await world.nodes.sql(
        node,
        `SELECT sum(ProfileEvents['UserTimeMicroseconds'] + ProfileEvents['SystemTimeMicroseconds']) FROM system.query_log WHERE initial_query_id IN ('${ids.join("', '")}') AND type != 'QueryStart'`,
      );
      return Number(sum);
    }

    /** The engine answers before it logs that an execution has ended, so that a flush right after may come too early. */
    async function flush(node: 0 | 1, ids: readonly string[]): Promise<void> {
      await eventually('the node has logged its part of each execution', async () => {
        await world.nodes.sql(node, 'SYSTEM FLUSH LOGS');
        const count = await world.nodes.sql(
          node,
          `SELECT uniqExact(initial_query_id) FROM system.query_log WHERE initial_query_id IN ('${ids.join("', '")}') AND type != 'QueryStart'`,
        );
        return Number(count) === ids.length;
      });
    }

    async function executed(): Promise<readonly string[]> {
      const { body } = await world.test.rest('GET', '/logs');
      return (body.results as { instance_id: string }[]).map(({ instance_id: id }) => id);
    }

    async function collect(): Promise<void> {
      world.test.clock.advance(settledMs);
      await world.test.app.core.loggedWork.collect();
    }

    it('is that of every node that worked for them, or not known', async () => {
      const { nodes, test } = world;
      test.clock.advance(3 * 86_400_000);
      for (const node of [0, 1] as const)
        await nodes.sql(
          node,
          `CREATE TABLE ${database}.all_orders AS ${database}.orders ENGINE = Distributed('${nodes.clusters.shards}', '${database}', 'orders', rand())`,
        );
      await runs(6);
      const ids = await executed();
      expect(ids).toHaveLength(6);
      for (const node of [0, 1] as const) await flush(node, ids);
      const parts = [await loggedOn(0, ids), await loggedOn(1, ids)];
      expect(Math.min(...parts)).toBeGreaterThan(0);
      await collect();
      const micros = parts.reduce((sum, part) => sum + part, 0);
      const known = { measured_executions: 6, processor_seconds: micros / 1e6 };
      expect(await measured()).toMatchObject({ executions: 6, ...known });

      await runs(2);
      await flush(0, await executed());
      await nodes.kill(1);
      await collect();
      expect(await measured()).toMatchObject({ executions: 8, ...known });
      await nodes.start(1);
      await eventually('the node answers', async () => {
        await test.app.core.engine.ping();
        return (await nodes.sql(1, 'SELECT 1')) === '1\n';
      });
      for (const node of [0, 1] as const)
        await nodes.sql(node, `DROP TABLE ${database}.all_orders`);
    });
  });

  describe('a project that is made while a node is away', () => {
    it('is there as well once the node is back', async () => {
      const { test, nodes } = world;
      await nodes.kill(1);
      const { id } = await test.app.core.projects.createProject('late');
      await test.app.core.engine.provision(id);
      expect(await nodes.sql(0, `EXISTS DATABASE project_${id}`)).toBe('1\n');
      await nodes.start(1);
      await eventually('the node has it', async () => {
        await test.app.core.engine.ping();
        return (await nodes.sql(1, `EXISTS DATABASE project_${id}`)) === '1\n';
      });
      await test.app.core.engine.deprovision(id);
      for (const node of [0, 1] as const)
        expect(await nodes.sql(node, `EXISTS DATABASE project_${id}`)).toBe('0\n');
    });
  });

  describe('shards', () => {
    beforeAll(async () => {
      const { shards } = world.nodes.clusters;
      for (const node of [0, 1] as const) {
        const statements = [
          'CREATE TABLE $.part (id UInt32, name String) ENGINE = MergeTree ORDER BY id',
          `INSERT INTO $.part SELECT number, concat('n', toString(number % 50)) FROM numbers(1000) WHERE number % 2 = ${node}`,
          `CREATE TABLE $.whole AS $.part ENGINE = Distributed('${shards}', '$', 'part')`,
        ];
        for (const sql of statements) await world.nodes.sql(node, sql.replaceAll('$', database));
      }
    });

    it.each([
      ['a Distributed table', 'SELECT count(), sum(id) FROM whole'],
      [
        'GLOBAL IN',
        'SELECT count() FROM whole WHERE name GLOBAL IN (SELECT name FROM whole WHERE id < 30)',
      ],
      // Another shard ends what it is asked for early where that is its whole answer: not by DISTINCT or GROUP BY.
      [
        'GLOBAL JOIN with rows of each shard',
        'SELECT count(), sum(w.id), sum(n.id) FROM whole AS w GLOBAL INNER JOIN (SELECT name, id FROM whole WHERE id >= 970) AS n USING (name)',
      ],
      [
        'GLOBAL JOIN with a Distributed table',
        'SELECT count(), sum(w.id), sum(n.id) FROM whole AS w GLOBAL INNER JOIN whole AS n ON w.name = n.name',
      ],
      [
        'GLOBAL JOIN with different values of all shards',
        'SELECT count(), sum(w.id) FROM whole AS w GLOBAL ANY INNER JOIN (SELECT DISTINCT name FROM whole WHERE id >= 970) AS n USING (name)',
      ],
    ])('%s has the rows that an administrator gets', async (_what, sql) => {
      const qualified = sql.replaceAll(/(FROM|JOIN) whole/g, `$1 ${database}.whole`);
      const asAdmin = await world.nodes.sql(0, `${qualified} FORMAT JSONCompactEachRow`);
      for (let round = 0; round < 2; round += 1)
        expect(((await query(sql)) as unknown[][]).map((row) => row.map(String))).toEqual([
          (JSON.parse(asAdmin) as unknown[]).map(String),
        ]);
    });

    describe('in the catalogue', () => {
      const uneven = [10, 15] as const;

      beforeAll(async () => {
        for (const node of [0, 1] as const)
          for (const sql of [
            'CREATE TABLE $.uneven (n UInt32) ENGINE = MergeTree ORDER BY n',
            `INSERT INTO $.uneven SELECT number FROM numbers(${uneven[node]})`,
          ])
            await world.nodes.sql(node, sql.replaceAll('$', database));
        await world.nodes.sql(
          1,
          `CREATE TABLE ${database}.lone (a UInt8, b String) ENGINE = MergeTree ORDER BY a AS SELECT 1, 'x'`,
        );
      });
      afterAll(async () => {
        for (const node of [0, 1] as const)
          for (const name of ['lone', 'uneven'])
            await world.nodes.sql(node, `DROP TABLE IF EXISTS ${database}.${name} SYNC`);
      });

      async function bytesOf(table: string): Promise<readonly number[]> {
        const sql = `SELECT total_bytes FROM system.tables WHERE database = '${database}' AND name = '${table}'`;
        return Promise.all(
          ([0, 1] as const).map(async (node) => Number(await world.nodes.sql(node, sql))),
        );
      }

      it('have what all of them have once, and other tables what one node has', async () => {
        const { engine } = world.test.app.core;
        const shares = (await bytesOf('part')).reduce((sum, bytes) => sum + bytes, 0);
        const expected = [
          { name: 'lone', rows: 1, bytes: Math.max(...(await bytesOf('lone'))) },
          { name: 'orders', rows: 40_000, bytes: Math.max(...(await bytesOf('orders'))) },
          { name: 'part', rows: 1000, bytes: shares },
          { name: 'uneven', rows: 15, bytes: Math.max(...(await bytesOf('uneven'))) },
          { name: 'whole', rows: 1000, bytes: shares },
        ];
        // Whichever node is asked first.
        for (let round = 0; round < 4; round += 1) {
          const { body } = await world.test.rest('GET', '/tables');
          expect(body.results).toMatchObject(expected);
          expect(await engine.tables(world.test.project.id)).toMatchObject(expected);
        }
      });

      it('have the columns of a table that one node has, which queries read there', async () => {
        for (let round = 0; round < 4; round += 1) {
          const { body } = await world.test.rest('GET', '/tables/lone');
          expect(body).toMatchObject({ columns: [{ name: 'a' }, { name: 'b' }] });
          expect(await query('SELECT a, b FROM lone')).toEqual([[1, 'x']]);
        }
      });
    });

    it('are materialized as one table on every node', async () => {
      const { test } = world;
      const saved = await test.rest('POST', '/endpoints', {
        body: {
          name: 'whole',
          query: 'SELECT name, count() AS n FROM whole GROUP BY name ORDER BY name',
          is_materialized: true,
        },
      });
      expect(saved.status).toBe(201);
      expect((await test.app.materialization.runOnce()).syncs).toEqual(['completed']);
      for (let round = 0; round < 4; round += 1) {
        const { body } = await test.rest('POST', '/endpoints/whole/run', {
          body: { refresh: 'force', debug: true, limit: 2 },
        });
        expect(body).toMatchObject({
          served_from: 'materialized',
          results: [
            ['n0', 20],
            ['n1', 20],
          ],
        });
      }
    });
  });
});

describe('an engine that has no ON CLUSTER', () => {
  it('is refused with what to set', async () => {
    const nodes = await openTwoNodes();
    const clickhouseUrl = nodes.shared.clickhouseUrl;
    const connection = remoteConnection(clickhouseUrl, nodes.shared.secret, {
      clickhouseCluster: nodes.cluster,
      clickhouseNodes: '',
    });
    const engine = openClickHouseEngine({ connection, config, log });
    try {
      await expect(engine.provision(1)).rejects.toMatchObject({
        code: 'engine_unavailable',
        internal: expect.stringContaining('CLICKHOUSE_NODES'),
      });
    } finally {
      await engine.close();
      await nodes.stop();
    }
  });
});
