/** Nodes that are lost in the middle of something, by the ways that lead to them. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type EngineRelay, openEngineRelay } from '../../support/engine-relay.ts';
import { eventually } from '../../support/eventually.ts';
import { run, save, servedTables, statusOf, sync } from '../support/materialized.ts';
import { type ClusteredApp, openClusteredApp, tablesOf } from './support/clustered-app.ts';

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

const query = 'SELECT day, sum(cents) AS total FROM orders GROUP BY day ORDER BY day';

/** The rows of each of some runs, and where they came from. */
async function runs(name: string) {
  const found: { readonly results: unknown; readonly from: unknown }[] = [];
  for (let count = 0; count < 6; count += 1) {
    const { results, served_from: from } = await run(world.test, name, {
      refresh: 'force',
      debug: true,
    });
    found.push({ results, from });
  }
  return found;
}

describe('a connection that breaks off while a table is copied', () => {
  it('fails the sync, leaves no part of the table that could be read, and the next sync completes', async () => {
    const { test } = world;
    await save(test, 'cut', { query, is_materialized: true });
    const { results } = await run(test, 'cut', { refresh: 'force' });
    // The sync is built on the first node, or on the second, whose copy is on the first.
    const outcomes: string[] = [];
    for (let tries = 0; tries < 8 && !outcomes.includes('failed'); tries += 1) {
      outcomes.push(...(await relay.cuttingAt('FORMAT%20Native', () => sync(test))).done);
      for (const one of await runs('cut')) expect(one.results).toEqual(results);
      test.clock.advance(86_400_000);
    }
    expect(outcomes).toContain('failed');
    expect(await sync(test)).toEqual(['completed']);
    const expected = { results, from: 'materialized' };
    expect(await runs('cut')).toEqual(Array.from({ length: 6 }, () => expected));
    test.clock.advance(120_000);
    await test.app.materialization.sweep();
    for (const node of [0, 1] as const)
      expect([...(await tablesOf(world, node)).keys()]).toEqual(await servedTables(test));
    // The next syncs are those of one endpoint.
    expect((await test.rest('DELETE', '/endpoints/cut')).status).toBe(204);
  });
});

describe('a node that is lost while a table is copied to it', () => {
  it('is left out of the sync, and not read for the table when it is back', async () => {
    const { test } = world;
    await save(test, 'lost', { query, is_materialized: true });
    const { results } = await run(test, 'lost', { refresh: 'direct' });
    const expected = Array.from({ length: 6 }, () => ({ results, from: 'materialized' }));
    let isLost = false;
    for (let tries = 0; tries < 8 && !isLost; tries += 1) {
      test.clock.advance(86_400_000);
      const { done, isBroken } = await relay.losingAt('FORMAT%20Native', () => sync(test));
      isLost = isBroken && !done.includes('failed');
      expect(await runs('lost')).toEqual(expected);
    }
    expect(isLost).toBe(true);
    const before = await refusalsOf(1);
    await eventually('the node is asked again', async () => {
      expect(await runs('lost')).toEqual(expected);
      return (await refusalsOf(1)) > before;
    });
  });

  /** How often a node was asked for a table that it has not got. */
  async function refusalsOf(node: 0 | 1): Promise<number> {
    const sql = "SELECT sum(value) FROM system.errors WHERE name = 'UNKNOWN_TABLE'";
    return Number(await world.nodes.sql(node, sql));
  }
});

describe('a node that stands still', () => {
  it('delays runs until it is noticed, and they go to the other one', async () => {
    const { test, nodes } = world;
    await save(test, 'still', { query, is_materialized: true });
    expect(await sync(test)).toEqual(['completed']);
    const { results } = await run(test, 'still', { refresh: 'force' });
    nodes.freeze(1);
    try {
      for (const one of await runs('still')) expect(one).toEqual({ results, from: 'materialized' });
    } finally {
      nodes.thaw(1);
    }
    expect(await statusOf(test, 'still')).toMatchObject({ ready: true });
  });
});

describe('a node that comes back with other rows in a stored table', () => {
  it('is not read for it, and is given a copy of it', async () => {
    const { test, nodes } = world;
    await test.app.materialization.completeNodes();
    const before = await servedTables(test);
    await save(test, 'emptied', { query, is_materialized: true });
    expect(await sync(test)).toEqual(['completed']);
    const { results } = await run(test, 'emptied', { refresh: 'direct' });
    const table = (await servedTables(test)).find((name) => !before.includes(name)) ?? '';
    const served = Array.from({ length: 6 }, () => ({ results, from: 'materialized' }));
    await relay.outage(async () => {
      expect(await runs('emptied')).toEqual(served);
      await nodes.sql(1, `TRUNCATE TABLE project_${test.project.id}.${table}`);
    });
    expect(await runs('emptied')).toEqual(served);
    expect(await test.app.materialization.completeNodes()).toMatchObject({ copied: 1 });
    expect(await runs('emptied')).toEqual(served);
    expect((await tablesOf(world, 1)).get(table)).toBe((await tablesOf(world, 0)).get(table));
  });

  it('is not read for it either where their number is the same, after its process was another one', async () => {
    const { test, nodes } = world;
    await test.app.materialization.completeNodes();
    const before = await servedTables(test);
    await save(test, 'other', { query: `${query} LIMIT 80`, is_materialized: true });
    expect(await sync(test)).toEqual(['completed']);
    const { results } = await run(test, 'other', { refresh: 'direct' });
    const table = (await servedTables(test)).find((name) => !before.includes(name)) ?? '';
    const served = Array.from({ length: 6 }, () => ({ results, from: 'materialized' }));
    const name = `project_${test.project.id}.${table}`;
    const all = await nodes.sql(1, `SELECT * EXCEPT day FROM ${name} ORDER BY ALL`);
    await relay.outage(async () => {
      expect(await runs('other')).toEqual(served);
      await nodes.kill(1);
      await nodes.start(1);
      const column = "SELECT name FROM system.columns WHERE database || '.' || table = '";
      const changed = await nodes.sql(1, `${column}${name}' AND startsWith(type, 'Int')`);
      const [sum = ''] = changed.trim().split('\n');
      const update = `ALTER TABLE ${name} UPDATE ${sum} = ${sum} + 1 WHERE 1 SETTINGS mutations_sync = 2`;
      await nodes.sql(1, update);
      expect(await nodes.sql(1, `SELECT * EXCEPT day FROM ${name} ORDER BY ALL`)).not.toBe(all);
    });
    for (let round = 0; round < 3; round += 1) expect(await runs('other')).toEqual(served);
    await eventually('the node has a copy', async () => {
      expect(await runs('other')).toEqual(served);
      await test.app.materialization.completeNodes();
      return (await tablesOf(world, 1)).get(table) === (await tablesOf(world, 0)).get(table);
    });
    expect(await runs('other')).toEqual(served);
  });
});
