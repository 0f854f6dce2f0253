/** A copy of a stored table of which one row differs. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { run, save, servedTables, sync } from '../support/materialized.ts';
import { type AlteringWays, openAlteringWays } from './support/altering-way.ts';
import { type ClusteredApp, openClusteredApp, tablesOf, twelve } from './support/clustered-app.ts';

let world: ClusteredApp;
let ways: AlteringWays;
let results: unknown;

beforeAll(async () => {
  world = await openClusteredApp(async (nodes) => {
    ways = await openAlteringWays(nodes);
    const settings = { clickhouseNodes: ways.urls.join(','), clickhouseCluster: nodes.cluster };
    return { settings, close: () => ways.close() };
  });
  await save(world.test, 'by_day', { query: twelve.by_day, is_materialized: true });
  results = (await run(world.test, 'by_day', { refresh: 'force' })).results;
});
afterAll(() => world.close());

async function expectRuns(from: 'inline' | 'materialized'): Promise<void> {
  for (let count = 0; count < 6; count += 1) {
    const found = await run(world.test, 'by_day', { refresh: 'force', debug: true });
    expect(found).toMatchObject({ results, served_from: from });
  }
}

async function expectSameTables(): Promise<void> {
  world.test.clock.advance(120_000);
  await world.test.app.materialization.sweep();
  const served = await servedTables(world.test);
  expect([...(await tablesOf(world, 0)).keys()]).toEqual(served);
  expect(await tablesOf(world, 1)).toEqual(await tablesOf(world, 0));
}

describe('a copy with another row', () => {
  it('is not published by a sync, which fails and leaves nothing', async () => {
    const { test } = world;
    const { done, isAltered } = await ways.altering(() => sync(test));
    expect({ done, isAltered }).toEqual({ done: ['failed'], isAltered: true });
    await expectRuns('inline');
    await expectSameTables();
    test.clock.advance(86_400_000);
    expect(await sync(test)).toEqual(['completed']);
    await expectRuns('materialized');
    await expectSameTables();
  });

  it('is not given to a node that has missed the table', async () => {
    const { test, nodes } = world;
    const [table = ''] = await servedTables(test);
    await nodes.sql(1, `DROP TABLE project_${test.project.id}.${table} SYNC`);
    const { materialization } = test.app;
    const { done, isAltered } = await ways.altering(() => materialization.completeNodes());
    expect({ done, isAltered }).toEqual({ done: { copied: 0, rebuilt: 0 }, isAltered: true });
    await expectRuns('materialized');
    expect([...(await tablesOf(world, 1)).keys()]).toEqual([]);
    expect(await materialization.completeNodes()).toEqual({ copied: 1, rebuilt: 0 });
    await expectRuns('materialized');
    await expectSameTables();
  });
});
