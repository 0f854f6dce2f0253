/** Tables that are dropped by a service over two nodes, one of which may be away or lost meanwhile. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type ClusteredApp,
  openClusteredApp,
} from '../../materialization/cluster/support/clustered-app.ts';
import { type EngineRelay, openEngineRelay } from '../../support/engine-relay.ts';
import { eventually } from '../../support/eventually.ts';
import { rows, tableChanges, written } from '../support/table-changes.ts';

let world: ClusteredApp;
/** The way to the second node. */
let relay: EngineRelay;

beforeAll(async () => {
  world = await openClusteredApp(async ({ urls, cluster }) => {
    relay = await openEngineRelay(urls[1]);
    const nodes = [urls[0], relay.clickhouseUrl.replace(/\/$/, '')];
    const settings = { clickhouseNodes: nodes.join(','), clickhouseCluster: cluster };
    return { settings, close: () => relay.close() };
  });
});
afterAll(() => world.close());
const { load, drop, onNodes, query, journal, complete } = tableChanges(() => world);

/** Each comes to another node, where it may. */
async function expectUnknown(table: string): Promise<void> {
  for (let round = 0; round < 4; round += 1)
    expect(await query(`SELECT id, name FROM ${table} ORDER BY id`)).toMatchObject({
      code: 'invalid_query',
    });
}

describe('a table that is dropped', () => {
  it('is gone on every node', async () => {
    await load('both', 'create');
    expect(await onNodes('both')).toEqual([written, written]);
    expect(await drop('both')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('"both"'),
    });
    expect(await onNodes('both')).toEqual(['', '']);
    await expectUnknown('both');
    expect(await journal()).toEqual([]);
    expect(await load('both', 'create')).toMatchObject({ status: 200 });
    expect(await drop('both')).toMatchObject({ code: 0 });
  });

  it('does not come back with a node that was away', async () => {
    await load('gone', 'create');
    await load('kept', 'create');
    await world.nodes.kill(1);
    expect(await drop('gone')).toMatchObject({ code: 0 });
    expect(await journal()).toEqual([{ table: 'gone', kind: 'drop', isMissed: true }]);
    await expectUnknown('gone');
    await world.nodes.start(1);
    expect(await onNodes('gone')).toEqual(['', written]);
    await expectUnknown('gone');
    await complete();
    expect(await journal()).toEqual([]);
    expect(await onNodes('gone')).toEqual(['', '']);
    await expectUnknown('gone');
    expect(await onNodes('kept')).toEqual([written, written]);
    expect(await query('SELECT id, name FROM kept ORDER BY id')).toEqual(rows);
    await world.nodes.kill(0);
    expect(await query('SELECT id, name FROM kept ORDER BY id')).toEqual(rows);
    await world.nodes.start(0);
  });

  it('is not read on a node that was lost in the midst of it, whose answer never came', async () => {
    await load('lost', 'create');
    const { done, isBroken } = await relay.losingAt('DROP TABLE', () => drop('lost'));
    expect(isBroken).toBe(true);
    expect(done).toMatchObject({ code: 0 });
    expect(done.stderr).toContain('a node was lost during a table change');
    expect(await journal()).toEqual([{ table: 'lost', kind: 'drop', isMissed: true }]);
    expect(await onNodes('lost')).toEqual(['', written]);
    await eventually('the node answers', async () => {
      await complete();
      return (await journal()).length === 0;
    });
    expect(await onNodes('lost')).toEqual(['', '']);
  });

  it('is dropped by another process when the one that began has died', async () => {
    await load('begun', 'create');
    const { pool } = world.test.backends.metadata;
    const insert = `INSERT INTO node_table (project_id, table_name, node, change_id, kind, is_missed, claimed_until)
      SELECT $1, 'begun', node, 'e3b0c442-98fc-4c14-9afb-f4c8996fb924', 'drop', false, now() - interval '1 second' FROM unnest($2::text[]) AS node`;
    const nodes = world.settings.clickhouseNodes?.split(',');
    await pool.query(insert, [world.test.project.id, nodes]);
    await complete();
    expect(await onNodes('begun')).toEqual(['', '']);
    expect(await journal()).toEqual([]);
  });

  it('stays when no node answers that has missed nothing', async () => {
    await load('stays', 'create');
    await load('other', 'create');
    await world.nodes.kill(1);
    expect(await drop('other')).toMatchObject({ code: 0 });
    await world.nodes.start(1);
    await world.nodes.kill(0);
    const refused = await drop('stays');
    expect(refused.code).not.toBe(0);
    expect(await query('SELECT id FROM stays')).toMatchObject({ code: 'engine_unavailable' });
    await world.nodes.start(0);
    await complete();
    expect(await onNodes('stays')).toEqual([written, written]);
    expect(await onNodes('other')).toEqual(['', '']);
    expect(await journal()).toEqual([]);
  });
});
