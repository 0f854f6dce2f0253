/** Tables whose rows are replaced by a service over two nodes, one of which may be away or lost meanwhile. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openAlteringWays } from '../../materialization/cluster/support/altering-way.ts';
import {
  type ClusteredApp,
  openClusteredApp,
} from '../../materialization/cluster/support/clustered-app.ts';
import { type EngineRelay, openEngineRelay } from '../../support/engine-relay.ts';
import { eventually } from '../../support/eventually.ts';
import { csv, csv4, rows, tableChanges, written, written4 } from '../support/table-changes.ts';

let world: ClusteredApp;
/** The way to the second node. */
let relay: EngineRelay;
let alter: Awaited<ReturnType<typeof openAlteringWays>>;

beforeAll(async () => {
  world = await openClusteredApp(async (nodes) => {
    alter = await openAlteringWays(nodes);
    const [first = '', second = ''] = alter.urls;
    relay = await openEngineRelay(second);
    const urls = [first, relay.clickhouseUrl.replace(/\/$/, '')];
    const settings = { clickhouseNodes: urls.join(','), clickhouseCluster: nodes.cluster };
    const close = async () => {
      await relay.close();
      await alter.close();
    };
    return { settings, close };
  });
});
afterAll(() => world.close());
const { load, drop, onNodes, query, hidden, journal, complete } = tableChanges(() => world);

const idsOf = (table: string) => query(`SELECT id FROM ${table} ORDER BY id`);

async function expectIds(table: string, ids: readonly number[]): Promise<void> {
  for (let round = 0; round < 4; round += 1)
    expect(await idsOf(table)).toEqual(ids.map((id) => [id]));
}

const all = (text: string) => [text, text];

async function caughtUp(): Promise<void> {
  await eventually('the node is up to date', async () => {
    await complete();
    return (await journal()).length === 0;
  });
}

describe('a table that is replaced', () => {
  it('has the new rows on every node, and who reads it meanwhile has the old ones or the new', async () => {
    await load('both');
    let isDone = false;
    const seen = new Set<string>();
    const reading = (async () => {
      while (!isDone) seen.add(JSON.stringify(await idsOf('both')));
    })();
    for (let round = 0; round < 2; round += 1) {
      expect(await load('both', 'replace', csv4)).toMatchObject({ status: 200, rows: 1 });
      expect(await onNodes('both')).toEqual(all(written4));
      await expectIds('both', [4]);
      expect(await load('both', '', csv)).toMatchObject({ status: 200, rows: 3 });
      await expectIds('both', [1, 2, 3]);
    }
    isDone = true;
    await reading;
    expect([...seen].sort()).toEqual(['[[1],[2],[3]]', '[[4]]']);
    expect(await journal()).toEqual([]);
    expect(await hidden()).toEqual(all('0\n'));
  });

  it('has the rows of one of two loads that come together, the same on every node', async () => {
    await load('raced');
    const other = csv.replaceAll('e', 'E');
    for (let round = 0; round < 2; round += 1) {
      const both = await Promise.all([load('raced', '', csv4), load('raced', '', other)]);
      expect(both.map(({ status }) => status)).toEqual([200, 200]);
      const [first = '', second] = await onNodes('raced');
      expect(first).toBe(second);
      expect([written4, written.replaceAll('e', 'E')]).toContain(first);
    }
    expect(await hidden()).toEqual(all('0\n'));
  });

  it('is as before when the nodes have different rows of the load, or a row is refused', async () => {
    await load('altered');
    const { done, isAltered } = await alter.altering(() => load('altered', '', csv4));
    expect(isAltered).toBe(true);
    expect(done).toMatchObject({ status: 503, code: 'engine_unavailable' });
    const refused = await load('altered', '', 'id,name\n7,seven\n8,eight,more\n');
    expect(refused).toMatchObject({ status: 400, detail: expect.stringContaining('line 3') });
    expect(await onNodes('altered')).toEqual(all(written));
    expect(await hidden()).toEqual(all('0\n'));
    expect(await journal()).toEqual([]);
  });

  it('is read on no node that was away, until that has the rows as well', async () => {
    await load('away');
    await world.nodes.kill(1);
    expect(await load('away', 'replace', csv4)).toMatchObject({ status: 200 });
    await expectIds('away', [4]);
    await world.nodes.start(1);
    expect(await onNodes('away')).toEqual([written4, written]);
    await expectIds('away', [4]);
    expect(await journal()).toEqual([{ table: 'away', kind: 'replace', isMissed: true }]);
    await complete();
    expect(await onNodes('away')).toEqual(all(written4));
    expect(await journal()).toEqual([]);
    expect(await hidden()).toEqual(all('0\n'));
    await world.nodes.kill(0);
    expect(await idsOf('away')).toEqual([[4]]);
    await world.nodes.start(0);
  });

  it('takes no rows, and gives none, while the only node that answers has missed some', async () => {
    await load('missed');
    // The first node has only just come back, and the load may have left it out.
    await caughtUp();
    await world.nodes.kill(1);
    expect(await load('missed', '', csv4)).toMatchObject({ status: 200 });
    await world.nodes.kill(0);
    await world.nodes.start(1);
    expect(await load('missed')).toMatchObject({ status: 503, code: 'engine_unavailable' });
    expect(await idsOf('missed')).toMatchObject({ code: 'engine_unavailable' });
    await world.nodes.start(0);
    await caughtUp();
    expect(await onNodes('missed')).toEqual(all(written4));
  });

  it('is brought up to date on a machine that was replaced', async () => {
    await load('replaced');
    await world.nodes.kill(1);
    expect(await load('replaced', '', csv4)).toMatchObject({ status: 200 });
    await world.nodes.replace(1);
    await expectIds('replaced', [4]);
    await caughtUp();
    expect(await onNodes('replaced')).toEqual(all(written4));
  });

  it('is dropped on a node that has missed both the rows and the drop, and comes back as it is loaded then', async () => {
    await load('twice');
    await world.nodes.kill(1);
    expect(await load('twice', '', csv4)).toMatchObject({ status: 200 });
    expect(await drop('twice')).toMatchObject({ code: 0 });
    expect(await load('twice', 'create', csv4.replace('4,', '5,'))).toMatchObject({ status: 200 });
    await world.nodes.start(1);
    await caughtUp();
    expect(await onNodes('twice')).toEqual(all(written4.replace('4,', '5,')));
    await expectIds('twice', [5]);
  });
});

describe('a node that is lost while a table gets its new rows', () => {
  it('is noted, is not read for the table, and gets the rows', async () => {
    await load('lost');
    const { done, isBroken } = await relay.losingAt('EXCHANGE TABLES', () =>
      load('lost', '', csv4),
    );
    expect(isBroken).toBe(true);
    expect(done).toMatchObject({ status: 200, rows: 1 });
    expect(await onNodes('lost')).toEqual([written4, written]);
    await expectIds('lost', [4]);
    await caughtUp();
    expect(await onNodes('lost')).toEqual(all(written4));
    await expectIds('lost', [4]);
  });

  it('is left out when that happens before', async () => {
    await load('early');
    const { done, isBroken } = await relay.losingAt('INSERT%20INTO', () => load('early', '', csv4));
    expect(isBroken).toBe(true);
    expect(done).toMatchObject({ status: 200, rows: 1 });
    await caughtUp();
    expect(await onNodes('early')).toEqual(all(written4));
  });
});

describe('a process that dies in the midst of a replacement', () => {
  /** As far as a process has come that has prepared the rows on both nodes. */
  async function prepared(table: string): Promise<void> {
    const { test, nodes, settings } = world;
    const database = `project_${test.project.id}`;
    const stagings: string[] = [];
    for (const node of [0, 1] as const) {
      const name = `${database}._load_${table}`;
      await nodes.sql(node, `CREATE TABLE ${name} AS ${database}.${table}`);
      await nodes.sql(node, `INSERT INTO ${name} VALUES (4, 'four')`);
      const id = `SELECT uuid FROM system.tables WHERE database = '${database}' AND name = '_load_${table}'`;
      stagings.push((await nodes.sql(node, id)).trim());
    }
    const sql = `INSERT INTO node_table (project_id, table_name, node, change_id, kind, is_missed, staging, claimed_until)
      SELECT $1, $2, node, md5($2)::uuid, 'replace', false, staging, now() - interval '1 second' FROM unnest($3::text[], $4::uuid[]) AS each(node, staging)`;
    const { pool } = test.backends.metadata;
    await pool.query(sql, [test.project.id, table, settings.clickhouseNodes?.split(','), stagings]);
  }
  const exchange = (node: 0 | 1, table: string) => {
    const database = `project_${world.test.project.id}`;
    return world.nodes.sql(
      node,
      `EXCHANGE TABLES ${database}._load_${table} AND ${database}.${table}`,
    );
  };

  it('has it undone where no node has the new rows', async () => {
    await load('none');
    const before = await hidden();
    await prepared('none');
    await complete();
    expect(await onNodes('none')).toEqual(all(written));
    expect(await hidden()).toEqual(before);
    expect(await journal()).toEqual([]);
  });

  it.each([0, 1] as const)('has it completed where node %s has them', async (node) => {
    const table = `some_${node}`;
    await load(table);
    await prepared(table);
    await exchange(node, table);
    expect(await load(table, '', csv4.replace('4,', '5,'))).toMatchObject({ status: 200 });
    expect(await onNodes(table)).toEqual(all(written4.replace('4,', '5,')));
    expect(await journal()).toEqual([]);
  });

  it('has it completed by the worker', async () => {
    await load('worker');
    await prepared('worker');
    await exchange(1, 'worker');
    await complete();
    expect(await onNodes('worker')).toEqual(all(written4));
    expect(await journal()).toEqual([]);
  });

  it('has it completed when the nodes come back one after the other', async () => {
    await load('one');
    await prepared('one');
    await exchange(1, 'one');
    await world.nodes.kill(1);
    await complete();
    // Nothing is known of the second node: what the first one has is right from here on.
    expect(await journal()).toEqual([{ table: 'one', kind: 'replace', isMissed: true }]);
    await world.nodes.start(1);
    await expectIds('one', [1, 2, 3]);
    await caughtUp();
    expect(await onNodes('one')).toEqual(all(written));
  });
});

describe('a table of which each node has other rows', () => {
  it('is not replaced', async () => {
    const database = `project_${world.test.project.id}`;
    for (const node of [0, 1] as const) {
      await world.nodes.sql(
        node,
        `CREATE TABLE ${database}.share (id UInt8, name String) ENGINE = MergeTree ORDER BY id`,
      );
      await world.nodes.sql(
        node,
        `CREATE TABLE ${database}.shared AS ${database}.share ENGINE = Distributed(${world.nodes.clusters.shards}, ${database}, share)`,
      );
    }
    for (const table of ['share', 'shared']) {
      const refused = await load(table);
      expect(refused).toMatchObject({ status: 400, code: 'invalid_input', attr: 'table' });
      expect(await onNodes(table)).toEqual(['', '']);
    }
  });
});

describe('rows of a replaced table', () => {
  it('are those of a saved endpoint as soon as the load has answered', async () => {
    await load('saved');
    const body = { name: 'saved', query: 'SELECT id FROM saved ORDER BY id' };
    expect((await world.test.rest('POST', '/endpoints', { body })).status).toBe(201);
    const results = async () =>
      (await world.test.rest('POST', '/endpoints/saved/run', { body: {} })).body.results;
    expect(await results()).toEqual([[1], [2], [3]]);
    await world.nodes.kill(1);
    expect(await load('saved', '', csv4)).toMatchObject({ status: 200 });
    await world.nodes.start(1);
    for (let round = 0; round < 4; round += 1) {
      expect(await results()).toEqual([[4]]);
      const { body: forced } = await world.test.rest('POST', '/endpoints/saved/run', {
        body: { refresh: 'force' },
      });
      expect(forced.results).toEqual([[4]]);
    }
    await caughtUp();
    expect(rows).toHaveLength(3);
  });
});

describe('a change that another process makes', () => {
  it('is known with its data revision: the node that has missed it is not read, although it always answered', async () => {
    const { test, nodes, settings } = world;
    const kept = test.backends.engineConnection.journal;
    const [first = '', second = ''] = settings.clickhouseNodes?.split(',') ?? [];
    await load('told');
    await expectIds('told', [1, 2, 3]);
    const change = {
      id: randomUUID(),
      projectId: test.project.id,
      table: 'told',
      kind: 'replace',
    } as const;
    const both = [first, second].map((node) => ({ node, staging: null }));
    expect(await kept?.begin(change, both)).toEqual([first, second]);
    const table = `project_${test.project.id}.told`;
    await nodes.sql(0, `TRUNCATE TABLE ${table}`);
    await nodes.sql(0, `INSERT INTO ${table} VALUES (4, 'four')`);
    expect(await kept?.finish(change, [first], 'its process')).toBe(true);
    await eventually('it is told', async () => {
      for (let round = 0; round < 8; round += 1)
        if (JSON.stringify(await idsOf('told')) !== '[[4]]') return false;
      return true;
    });
    expect(await onNodes('told')).toEqual([written4, written]);
    for (let round = 0; round < 8; round += 1) expect(await idsOf('told')).toEqual([[4]]);
    const { body } = await test.rest('GET', '/tables/told');
    expect(body).toMatchObject({ rows: 1 });
    await caughtUp();
    expect(await onNodes('told')).toEqual(all(written4));
  });
});
