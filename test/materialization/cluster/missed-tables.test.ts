/** A node that comes back without stored tables that the others have: what runs get meanwhile, and how it gets them. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../../support/eventually.ts';
import { run, save, servedTables, sync } from '../support/materialized.ts';
import { type ClusteredApp, openClusteredApp, tablesOf, twelve } from './support/clustered-app.ts';

const names = ['by_day', 'exact_customers', 'since'] as const;
const variables = { since: { since: '2026-02-01' } } as Readonly<Record<string, object>>;
/** More than a copy of an endpoint is old when the next is due. */
const DAY_MS = 86_400_000;

let world: ClusteredApp;
let expected: Readonly<Record<string, unknown>>;

beforeAll(async () => {
  world = await openClusteredApp();
  for (const name of names)
    await save(world.test, name, { query: twelve[name], is_materialized: true });
  expect(await sync(world.test)).toEqual(names.map(() => 'completed'));
  const rows: Record<string, unknown> = {};
  for (const name of names) rows[name] = (await runOf(name, 'direct')).results;
  expected = rows;
});
afterAll(() => world.close());

const runOf = (name: string, refresh: string) =>
  run(world.test, name, { refresh, debug: true, variables: variables[name] ?? {} });

/** Each comes to each node several times. */
async function expectRight(refresh: 'force' | 'direct' = 'force'): Promise<void> {
  const from = refresh === 'force' ? 'materialized' : 'inline';
  for (let round = 0; round < 4; round += 1) {
    for (const name of names) {
      const { results, served_from } = await runOf(name, refresh);
      expect({ name, results, served_from }).toEqual({
        name,
        results: expected[name],
        served_from: from,
      });
    }
  }
}

/** Until the second node has been asked for something that it lacks. */
async function expectRightThere(refresh: 'force' | 'direct' = 'force'): Promise<void> {
  const before = await refusals();
  await eventually('the node is asked', async () => {
    await expectRight(refresh);
    return (await refusals()) > before;
  });
}

async function refusals(): Promise<number> {
  const sql =
    "SELECT sum(value) FROM system.errors WHERE name IN ('UNKNOWN_TABLE', 'UNKNOWN_DATABASE')";
  return Number(await world.nodes.sql(1, sql));
}

async function syncAgain(): Promise<void> {
  world.test.clock.advance(DAY_MS);
  expect(await sync(world.test)).toEqual(names.map(() => 'completed'));
}

async function expectWhole(): Promise<void> {
  world.test.clock.advance(120_000);
  await world.test.app.materialization.sweep();
  const served = await servedTables(world.test);
  expect([...(await tablesOf(world, 0)).keys()]).toEqual(served);
  expect(await tablesOf(world, 1)).toEqual(await tablesOf(world, 0));
}

describe('a node that was away during a sync', () => {
  it('is not read for the new tables, is given them, and is read then', async () => {
    const { test, nodes } = world;
    await nodes.kill(1);
    await syncAgain();
    await expectRight();
    await nodes.start(1);
    await expectRightThere();
    expect(await test.app.materialization.completeNodes()).toEqual({ copied: 3, rebuilt: 0 });
    await expectWhole();
    expect(await test.app.materialization.completeNodes()).toEqual({ copied: 0, rebuilt: 0 });
    await nodes.kill(0);
    try {
      await expectRight();
    } finally {
      await nodes.start(0);
    }
  });

  it('is given them by each of two processes at the same time, once', async () => {
    const { test, nodes } = world;
    await nodes.kill(1);
    await syncAgain();
    await nodes.start(1);
    const { materialization } = test.app;
    const both = await Promise.all([
      materialization.completeNodes(),
      materialization.completeNodes(),
    ]);
    expect(both[0].copied + both[1].copied).toBe(3);
    await expectWhole();
    await expectRight();
  });

  it('keeps no table of an endpoint that was deleted meanwhile', async () => {
    const { test, nodes } = world;
    await save(test, 'gone', { query: twelve.total, is_materialized: true });
    expect(await sync(test)).toEqual(['completed']);
    await nodes.kill(1);
    expect((await test.rest('DELETE', '/endpoints/gone')).status).toBe(204);
    test.clock.advance(120_000);
    await test.app.materialization.sweep();
    await nodes.start(1);
    await test.app.materialization.completeNodes();
    await expectWhole();
  });
});

describe('a machine that was replaced', () => {
  it('is read for nothing that it lacks, and is given the database and the stored tables', async () => {
    const { test, nodes } = world;
    await nodes.replace(1);
    await expectRightThere();
    await expectRightThere('direct');
    const database = `project_${test.project.id}`;
    const { copied } = await test.app.materialization.completeNodes();
    expect(copied).toBe(3);
    expect(await nodes.sql(1, `EXISTS DATABASE ${database}`)).toBe('1\n');
    await expectWhole();
  });

  it('is in no sync the node that reads the source, which only its operator can bring back', async () => {
    const { test } = world;
    // Each begins with the next node.
    for (let round = 0; round < 3; round += 1) await syncAgain();
    await expectRight();
    await expectRight('direct');
    await expectWhole();
    for (let round = 0; round < 4; round += 1) {
      const { body } = await test.rest('GET', '/tables');
      expect(body.results).toMatchObject([{ name: 'orders', rows: 40_000 }]);
    }
  });
});

describe('a machine that is replaced right before a sync', () => {
  it('is left out of it, whether that was noticed or not', async () => {
    const { test, nodes } = world;
    const unnoticed = `DROP DATABASE project_${test.project.id} SYNC`;
    for (const lose of [() => nodes.sql(1, unnoticed), () => nodes.replace(1)]) {
      await lose();
      await syncAgain();
      await expectRight();
    }
    await test.app.materialization.completeNodes();
    await expectWhole();
  });
});

describe('two nodes that were never there together', () => {
  it('are given a new table by the next sync, which comes at once', async () => {
    const { test, nodes } = world;
    const database = `project_${test.project.id}`;
    const [table = ''] = await servedTables(test);
    for (const node of [0, 1] as const)
      await nodes.sql(node, `DROP TABLE ${database}.${table} SYNC`);
    const { materialization } = test.app;
    test.clock.advance(700_000);
    expect(await materialization.completeNodes()).toEqual({ copied: 0, rebuilt: 0 });
    expect(await materialization.completeNodes()).toEqual({ copied: 0, rebuilt: 1 });
    expect(await sync(test)).toEqual(['completed']);
    await expectRight();
    await expectWhole();
  });
});
