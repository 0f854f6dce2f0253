/** What a service over two nodes does, however it reaches them. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TwoNodes } from '../../../support/two-nodes.ts';
import { run, servedTables, statusOf, sync } from '../../support/materialized.ts';
import {
  type ClusteredApp,
  materializeAll,
  openClusteredApp,
  tablesOf,
  twelve,
  variablesOf,
  type Way,
} from './clustered-app.ts';

const names = Object.keys(twelve);

interface Load {
  wrong: number;
  failed: number;
  runs: number;
}

export function clusterContract(openWay: (nodes: TwoNodes) => Way | Promise<Way>): void {
  let world: ClusteredApp;
  let expected: ReadonlyMap<string, unknown>;

  beforeAll(async () => {
    world = await openClusteredApp(openWay);
    expect(await materializeAll(world.test)).toEqual(names.map(() => 'completed'));
    const rows = new Map<string, unknown>();
    for (const name of names) rows.set(name, (await runOf(name, 'direct')).results);
    expected = rows;
  });
  afterAll(() => world.close());

  const runOf = (name: string, refresh: string) =>
    run(world.test, name, { variables: variablesOf(name), refresh, debug: true });

  async function expectNoLeaks(): Promise<void> {
    world.test.clock.advance(120_000);
    await world.test.app.materialization.sweep();
    const served = await servedTables(world.test);
    for (const node of [0, 1] as const) {
      const there = [...(await tablesOf(world, node)).keys()];
      expect(there.filter((name) => !served.some((one) => name.startsWith(one)))).toEqual([]);
    }
  }

  describe('twelve endpoints over two nodes', () => {
    it('are all materialized, with the same rows on both nodes', async () => {
      expect(await servedTables(world.test)).toHaveLength(12);
      const [first, second] = [await tablesOf(world, 0), await tablesOf(world, 1)];
      expect(first.size).toBeGreaterThanOrEqual(12);
      expect(second).toEqual(first);
      for (const name of names)
        expect(await statusOf(world.test, name)).toMatchObject({
          status: 'Completed',
          ready: true,
        });
    });

    it('serve 72 of 72 runs from tables, with the rows of the inline run', async () => {
      for (let round = 0; round < 6; round += 1) {
        for (const name of names) {
          const { results, served_from } = await runOf(name, 'force');
          expect({ name, results, served_from }).toEqual({
            name,
            results: expected.get(name),
            served_from: 'materialized',
          });
        }
      }
    });

    it('leave nothing behind on either node when they are built again', async () => {
      world.test.clock.advance(86_400_000);
      expect(await sync(world.test)).toEqual(names.map(() => 'completed'));
      await expectNoLeaks();
      expect(await tablesOf(world, 1)).toEqual(await tablesOf(world, 0));
    });
  });

  /** Runs until `work` is done, eight at a time. */
  async function underLoad(work: () => Promise<void>): Promise<Load> {
    const load: Load = { wrong: 0, failed: 0, runs: 0 };
    let isDone = false;
    const caller = async (start: number): Promise<void> => {
      for (let at = start; !isDone; at += 1) {
        const name = names[at % names.length] ?? '';
        const { status, body } = await world.test.rest('POST', `/endpoints/${name}/run`, {
          body: { variables: variablesOf(name), refresh: 'force' },
        });
        load.runs += 1;
        if (status !== 200) load.failed += 1;
        else if (JSON.stringify(body.results) !== JSON.stringify(expected.get(name)))
          load.wrong += 1;
      }
    };
    const callers = Array.from({ length: 8 }, (_none, at) => caller(at));
    try {
      await work();
    } finally {
      isDone = true;
      await Promise.all(callers);
    }
    return load;
  }

  describe('a node that is killed under load', () => {
    it('costs no wrong row and at most one run in 200, and is used again when it is back', async () => {
      const load = await underLoad(async () => {
        for (let round = 0; round < 2; round += 1) {
          await afterRuns();
          await world.nodes.kill(1);
          await afterRuns();
          await world.nodes.start(1);
          await afterRuns();
        }
      });
      expect(load.wrong).toBe(0);
      expect(load.failed).toBeLessThanOrEqual(load.runs / 200);
    });

    /** Some of the load: as many runs one after the other. */
    async function afterRuns(): Promise<void> {
      for (let count = 0; count < 30; count += 1)
        await run(world.test, 'by_day', { refresh: 'force' });
    }
  });

  describe('a node that is away', () => {
    it('gets no table from a sync, is not read for it, and keeps none that was dropped meanwhile', async () => {
      await world.nodes.kill(1);
      try {
        world.test.clock.advance(86_400_000);
        expect(await sync(world.test)).toEqual(names.map(() => 'completed'));
      } finally {
        await world.nodes.start(1);
      }
      for (let round = 0; round < 4; round += 1) {
        for (const name of names) {
          const { results, served_from } = await runOf(name, 'force');
          expect({ name, results, served_from }).toEqual({
            name,
            results: expected.get(name),
            served_from: 'materialized',
          });
        }
      }
      await expectNoLeaks();
      world.test.clock.advance(86_400_000);
      expect(await sync(world.test)).toEqual(names.map(() => 'completed'));
      expect([...(await tablesOf(world, 1)).keys()]).toEqual(
        expect.arrayContaining([...(await servedTables(world.test))]),
      );
    });
  });
}
