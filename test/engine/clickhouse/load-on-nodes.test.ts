/** Rows that are loaded through a service over two nodes. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openAlteringWays } from '../../materialization/cluster/support/altering-way.ts';
import {
  type ClusteredApp,
  openClusteredApp,
} from '../../materialization/cluster/support/clustered-app.ts';
import { balanced } from '../../materialization/cluster/support/on-cluster-proxy.ts';
import { csv, csv4, rows, tableChanges, written } from '../support/table-changes.ts';

describe('a new table on listed nodes', () => {
  let world: ClusteredApp;
  let alter: Awaited<ReturnType<typeof openAlteringWays>>;
  beforeAll(async () => {
    world = await openClusteredApp(async (nodes) => {
      alter = await openAlteringWays(nodes);
      const settings = { clickhouseNodes: alter.urls.join(','), clickhouseCluster: nodes.cluster };
      return { settings, close: () => alter.close() };
    });
  });
  afterAll(() => world.close());
  const { load, onNodes, query, hidden, journal, complete } = tableChanges(() => world);

  it.each(['', 'create', 'replace'])('is on every node (mode: %s)', async (mode) => {
    const table = `new_${mode}`;
    expect(await load(table, mode)).toMatchObject({ status: 200, rows: 3 });
    expect(await onNodes(table)).toEqual([written, written]);
    for (let round = 0; round < 4; round += 1)
      expect(await query(`SELECT id, name FROM ${table} ORDER BY id`)).toEqual(rows);
    expect(await hidden()).toEqual(['0\n', '0\n']);
  });

  it('is made once: a second one of the name is refused', async () => {
    await load('kept', 'create');
    expect(await load('kept', 'create', csv4)).toMatchObject({ status: 400, code: 'unique' });
    expect(await onNodes('kept')).toEqual([written, written]);
    expect(await hidden()).toEqual(['0\n', '0\n']);
  });

  it('is of one of two loads that come together', async () => {
    const other = csv.replaceAll('e', 'E');
    const both = await Promise.all([load('raced', 'create'), load('raced', 'create', other)]);
    const done = both.filter(({ status }) => status === 200);
    expect(done).toHaveLength(1);
    const [first, second] = await onNodes('raced');
    expect(first).toBe(second);
    expect(first).toBe(both[0]?.status === 200 ? written : written.replaceAll('e', 'E'));
    expect(await hidden()).toEqual(['0\n', '0\n']);
  });

  it('is on none when the nodes have different rows', async () => {
    const { done, isAltered } = await alter.altering(() => load('altered'));
    expect(isAltered).toBe(true);
    expect(done).toMatchObject({ status: 503, code: 'engine_unavailable' });
    expect(await onNodes('altered')).toEqual(['', '']);
    expect(await hidden()).toEqual(['0\n', '0\n']);
  });

  it('is on none when a row is refused, which is named', async () => {
    const refused = await load('refused', 'create', 'id,when\n1,2026-01-01\n2,2026-01-02,9\n');
    expect(refused).toMatchObject({ status: 400, detail: expect.stringContaining('line 3') });
    expect(await onNodes('refused')).toEqual(['', '']);
  });

  it('is on the others while a node is away, which has it before it is read again', async () => {
    await world.nodes.kill(1);
    expect(await load('away')).toMatchObject({ status: 200, rows: 3 });
    await world.nodes.start(1);
    expect(await onNodes('away')).toEqual([written, '']);
    for (let round = 0; round < 4; round += 1)
      expect(await query('SELECT id, name FROM away ORDER BY id')).toEqual(rows);
    await complete();
    expect(await onNodes('away')).toEqual([written, written]);
    expect(await journal()).toEqual([]);
  });
});

describe('a cluster of one address', () => {
  let world: ClusteredApp;
  beforeAll(async () => {
    world = await openClusteredApp(balanced);
  });
  afterAll(() => world.close());
  const { load, onNodes } = tableChanges(() => world);

  it('has no rows loaded by the service, which says so', async () => {
    expect(await load('new')).toMatchObject({
      status: 400,
      detail: expect.stringContaining('load rows directly in the engine'),
    });
    expect(await onNodes('new')).toEqual(['', '']);
  });
});
