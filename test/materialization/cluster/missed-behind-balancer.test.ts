/** A node behind a balancer that lacks what the others have: its machine was replaced. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { haproxy } from '../../support/haproxy.ts';
import { isThere } from '../../support/needs.ts';
import { run, save, servedTables, sync } from '../support/materialized.ts';
import { type ClusteredApp, openClusteredApp, tablesOf, twelve } from './support/clustered-app.ts';
import { balanced, behindHaproxy } from './support/on-cluster-proxy.ts';

/** One chooses a node for each request, the other for each connection. */
const ways = [
  { which: 'that speaks HTTP', openWay: balanced, isPossible: true },
  {
    which: 'that passes connections on',
    openWay: behindHaproxy,
    isPossible: isThere('haproxy', haproxy !== null),
  },
];

describe.each(ways.filter(({ isPossible }) => isPossible))('a balancer $which', ({ openWay }) => {
  let world: ClusteredApp;
  let results: unknown;

  beforeAll(async () => {
    world = await openClusteredApp(openWay);
    await save(world.test, 'by_day', { query: twelve.by_day, is_materialized: true });
    expect(await sync(world.test)).toEqual(['completed']);
    results = (await run(world.test, 'by_day', { refresh: 'direct' })).results;
  });
  afterAll(() => world.close());

  async function expectRuns(refresh: 'force' | 'direct', from: string): Promise<void> {
    for (let count = 0; count < 12; count += 1) {
      const found = await run(world.test, 'by_day', { refresh, debug: true });
      expect(found).toMatchObject({ results, served_from: from });
    }
  }

  async function expectBuiltAgain(): Promise<void> {
    const { test } = world;
    const { materialization } = test.app;
    test.clock.advance(700_000);
    // The first time it may be a node that is about to make what it has missed.
    expect(await materialization.completeNodes()).toEqual({ copied: 0, rebuilt: 0 });
    expect(await materialization.completeNodes()).toEqual({ copied: 0, rebuilt: 1 });
  }

  async function expectSynced(): Promise<void> {
    const { test } = world;
    const [before] = await servedTables(test);
    expect(await sync(test)).toEqual(['completed']);
    expect(await servedTables(test)).not.toEqual([before]);
    await expectRuns('force', 'materialized');
    test.clock.advance(120_000);
    await test.app.materialization.sweep();
    expect([...(await tablesOf(world, 1)).keys()]).toEqual(await servedTables(test));
    expect(await tablesOf(world, 0)).toEqual(await tablesOf(world, 1));
  }

  describe('a node without a stored table', () => {
    it('is not read for it, and gets the next one, which is built at once', async () => {
      const [table = ''] = await servedTables(world.test);
      await world.nodes.sql(1, `DROP TABLE project_${world.test.project.id}.${table} SYNC`);
      await expectRuns('force', 'materialized');
      await expectBuiltAgain();
      await expectSynced();
      expect(await world.test.app.materialization.completeNodes()).toEqual({
        copied: 0,
        rebuilt: 0,
      });
    });
  });

  describe('a node without the database of a project', () => {
    it('is read for nothing, and gets the database with the next stored table', async () => {
      const { nodes, test } = world;
      const database = `project_${test.project.id}`;
      await nodes.sql(1, `DROP DATABASE ${database} SYNC`);
      await expectRuns('force', 'materialized');
      await expectRuns('direct', 'inline');
      await expectBuiltAgain();
      expect(await nodes.sql(1, `EXISTS DATABASE ${database}`)).toBe('1\n');
      await expectRuns('force', 'materialized');
      await expectRuns('direct', 'inline');
    });
  });
});
