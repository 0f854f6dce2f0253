/** Rows that a service over two nodes adds to tables, where one of the nodes may be away or lost meanwhile. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openAlteringWays } from '../../materialization/cluster/support/altering-way.ts';
import {
  type ClusteredApp,
  openClusteredApp,
} from '../../materialization/cluster/support/clustered-app.ts';
import { type EngineRelay, openEngineRelay } from '../../support/engine-relay.ts';
import { eventually } from '../../support/eventually.ts';
import { csv4, tableChanges, written, written4 } from '../support/table-changes.ts';

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
const { load, onNodes, query, hidden, journal, complete } = tableChanges(() => world);

const all = (text: string) => [text, text];
const added = `${written}${written4}`;
const append = (table: string, body = csv4) => load(table, 'append', body);
const database = () => `project_${world.test.project.id}`;

async function expectIds(table: string, ids: readonly number[]): Promise<void> {
  for (let round = 0; round < 4; round += 1)
    expect(await query(`SELECT id FROM ${table} ORDER BY id`)).toEqual(ids.map((id) => [id]));
}

async function onBoth(...statements: readonly string[]): Promise<void> {
  for (const node of [0, 1] as const)
    for (const statement of statements) await world.nodes.sql(node, statement);
}

async function caughtUp(): Promise<void> {
  await eventually('the node is up to date', async () => {
    await complete();
    return (await journal()).length === 0;
  });
}

describe('rows that are added to a table', () => {
  it('are on every node, and those of a table that is made by it', async () => {
    expect(await append('made')).toMatchObject({ status: 200, rows: 1 });
    expect(await onNodes('made')).toEqual(all(written4));
    await load('both');
    expect(await append('both')).toMatchObject({ status: 200, mode: 'append', rows: 1 });
    expect(await onNodes('both')).toEqual(all(added));
    await expectIds('both', [1, 2, 3, 4]);
    expect(await journal()).toEqual([]);
    expect(await hidden()).toEqual(all('0\n'));
  });

  it('are those of both of two loads that come together', async () => {
    await load('raced');
    const both = await Promise.all([append('raced'), append('raced', csv4.replace('4,', '5,'))]);
    expect(both.map(({ status }) => status)).toEqual([200, 200]);
    const [first, second] = await onNodes('raced');
    expect(first).toBe(second);
    await expectIds('raced', [1, 2, 3, 4, 5]);
  });

  it('are those of both of two loads that make the table together', async () => {
    const both = await Promise.all([
      append('made_twice'),
      append('made_twice', csv4.replace('4,', '5,')),
    ]);
    expect(both.map(({ status }) => status)).toEqual([200, 200]);
    const [first, second] = await onNodes('made_twice');
    expect(first).toBe(second);
    await expectIds('made_twice', [4, 5]);
    expect(await hidden()).toEqual(all('0\n'));
  });

  it('are in all partitions of a table that has several', async () => {
    await onBoth(
      `CREATE TABLE ${database()}.parts (id Int64, name String) ENGINE = MergeTree PARTITION BY id % 3 ORDER BY id`,
      `INSERT INTO ${database()}.parts VALUES (1, 'one'), (2, 'two'), (3, 'three')`,
    );
    const more = 'id,name\n4,four\n5,five\n6,six\n';
    expect(await append('parts', more)).toMatchObject({ status: 200, rows: 3 });
    await expectIds('parts', [1, 2, 3, 4, 5, 6]);
    const [first, second] = await onNodes('parts');
    expect(first).toBe(second);
  });

  it('are on none when the nodes have different rows of the load, or a row is refused', async () => {
    await load('altered');
    const { done, isAltered } = await alter.altering(() => append('altered'));
    expect(isAltered).toBe(true);
    expect(done).toMatchObject({ status: 503, code: 'engine_unavailable' });
    const refused = await append('altered', 'id,name\n7,seven\n8,eight,more\n');
    expect(refused).toMatchObject({ status: 400, detail: expect.stringContaining('line 3') });
    expect(await append('altered', 'id,what\n7,seven\n')).toMatchObject({ status: 400 });
    expect(await onNodes('altered')).toEqual(all(written));
    expect(await journal()).toEqual([]);
    expect(await hidden()).toEqual(all('0\n'));
  });

  it('are on no node that was away, until it has the whole table', async () => {
    await load('away');
    await world.nodes.kill(1);
    expect(await append('away')).toMatchObject({ status: 200, rows: 1 });
    expect(await append('away', csv4.replace('4,', '5,'))).toMatchObject({ status: 200 });
    await world.nodes.start(1);
    expect((await onNodes('away'))[1]).toBe(written);
    await expectIds('away', [1, 2, 3, 4, 5]);
    await caughtUp();
    const [first, second] = await onNodes('away');
    expect(second).toBe(first);
    await expectIds('away', [1, 2, 3, 4, 5]);
    expect(await append('away', csv4.replace('4,', '6,'))).toMatchObject({ status: 200 });
    await expectIds('away', [1, 2, 3, 4, 5, 6]);
  });

  it('are on both when one was lost while it got them, and are nowhere twice', async () => {
    await load('lost');
    const { done, isBroken } = await relay.losingAt('MOVE PARTITION', () => append('lost'));
    expect(isBroken).toBe(true);
    expect(done).toMatchObject({ status: 200, rows: 1 });
    await expectIds('lost', [1, 2, 3, 4]);
    await caughtUp();
    expect(await onNodes('lost')).toEqual(all(added));
    await expectIds('lost', [1, 2, 3, 4]);
  });
});

it('a node that has not got all rows, whatever it answered, is given the table of another one', async () => {
  await load('fewer');
  const { done, isAltered } = await alter.losingRows(() => append('fewer'));
  expect(isAltered).toBe(true);
  expect(done).toMatchObject({ status: 200, rows: 1 });
  await expectIds('fewer', [1, 2, 3, 4]);
  await caughtUp();
  expect(await onNodes('fewer')).toEqual(all(added));
});

describe('a table that takes no rows', () => {
  it('has other rows on one node than on another', async () => {
    await load('differs');
    await world.nodes.sql(1, `INSERT INTO ${database()}.differs VALUES (9, 'nine')`);
    expect(await append('differs')).toMatchObject({
      status: 400,
      attr: 'table',
      detail: expect.stringContaining('different rows of differs'),
    });
    expect(await onNodes('differs')).toEqual([written, `${written}9,"nine"\n`]);
    expect(await journal()).toEqual([]);
  });

  it('is one whose rows are merged by a key', async () => {
    await onBoth(
      `CREATE TABLE ${database()}.merged (id Int64, name String) ENGINE = ReplacingMergeTree ORDER BY id`,
    );
    expect(await append('merged')).toMatchObject({ status: 400, attr: 'table' });
    expect(await load('merged', 'replace', csv4)).toMatchObject({ status: 200 });
    expect(await onNodes('merged')).toEqual(all(written4));
  });
});

describe('a process that dies while it adds rows', () => {
  /** As far as a process has come that has prepared the rows on both nodes. */
  async function prepared(table: string): Promise<void> {
    const { test, nodes, settings } = world;
    const name = `_load_${table}`;
    const stagings: string[] = [];
    for (const node of [0, 1] as const) {
      await nodes.sql(node, `CREATE TABLE ${database()}.${name} AS ${database()}.${table}`);
      await nodes.sql(node, `INSERT INTO ${database()}.${name} VALUES (4, 'four')`);
      const id = `SELECT uuid FROM system.tables WHERE database = '${database()}' AND name = '${name}'`;
      stagings.push((await nodes.sql(node, id)).trim());
    }
    const sql = `INSERT INTO node_table (project_id, table_name, node, change_id, kind, is_missed, staging, claimed_until)
      SELECT $1, $2, node, md5($2)::uuid, 'append', false, staging, now() - interval '1 second' FROM unnest($3::text[], $4::uuid[]) AS each(node, staging)`;
    const { pool } = test.backends.metadata;
    await pool.query(sql, [test.project.id, table, settings.clickhouseNodes?.split(','), stagings]);
  }
  const begin = (node: 0 | 1, table: string) =>
    world.nodes.sql(
      node,
      `RENAME TABLE ${database()}._load_${table} TO ${database()}._load_${table}_begun`,
    );
  const move = (node: 0 | 1, table: string) =>
    world.nodes.sql(
      node,
      `ALTER TABLE ${database()}._load_${table}_begun MOVE PARTITION ID 'all' TO TABLE ${database()}.${table}`,
    );
  const leftOf = (table: string) =>
    Promise.all(
      ([0, 1] as const).map((node) =>
        world.nodes.sql(
          node,
          `SELECT count() FROM system.tables WHERE name LIKE '\\_load\\_${table}%'`,
        ),
      ),
    );

  it('has it undone where no node has got any', async () => {
    await load('none');
    await prepared('none');
    await complete();
    expect(await onNodes('none')).toEqual(all(written));
    expect(await leftOf('none')).toEqual(all('0\n'));
    expect(await journal()).toEqual([]);
    expect(await append('none')).toMatchObject({ status: 200 });
    expect(await onNodes('none')).toEqual(all(added));
  });

  it.each([0, 1] as const)('has it completed where node %s has begun', async (node) => {
    const table = `begun_${node}`;
    await load(table);
    await prepared(table);
    await begin(node, table);
    await complete();
    expect(await onNodes(table)).toEqual(all(added));
    expect(await journal()).toEqual([]);
  });

  it.each([0, 1] as const)('has it completed where node %s has them', async (node) => {
    const table = `moved_${node}`;
    await load(table);
    await prepared(table);
    await begin(node, table);
    await move(node, table);
    expect(await append(table, csv4.replace('4,', '5,'))).toMatchObject({ status: 200 });
    await expectIds(table, [1, 2, 3, 4, 5]);
    const [first, second] = await onNodes(table);
    expect(first).toBe(second);
    expect(await journal()).toEqual([]);
  });

  it('has nothing done twice where both have them', async () => {
    await load('whole');
    await prepared('whole');
    for (const node of [0, 1] as const) {
      await begin(node, 'whole');
      await move(node, 'whole');
    }
    await complete();
    expect(await onNodes('whole')).toEqual(all(added));
    expect(await journal()).toEqual([]);
  });

  it('has the whole table copied to the node that has rows twice', async () => {
    await load('twice');
    await prepared('twice');
    await begin(0, 'twice');
    await move(0, 'twice');
    await world.nodes.sql(1, `INSERT INTO ${database()}.twice VALUES (4, 'four')`);
    await begin(1, 'twice');
    await complete();
    await caughtUp();
    expect(await onNodes('twice')).toEqual(all(added));
  });
});
