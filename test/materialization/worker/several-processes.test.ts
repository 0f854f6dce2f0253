import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type App, openApp } from '../../../src/app.ts';
import { openLog } from '../../../src/config/open-log.ts';
import { workerTimes } from '../../../src/materialization/worker/worker.ts';
import { openMaterializationStore } from '../../../src/store/materialization-store.ts';
import { eventually } from '../../support/eventually.ts';
import { steadyMs, type TestApp } from '../../support/test-app.ts';
import { plansByText } from '../support/hand-plans.ts';
import {
  ask,
  byCountry,
  evenly,
  expectNoOrphans,
  materialized,
  openMaterializedApp,
  patch,
  run,
  save,
  statusOf,
  storedTables,
  sync,
} from '../support/materialized.ts';

let test: TestApp;
let second: App;

beforeAll(async () => {
  test = await openMaterializedApp({ planMaterialization: plansByText });
  second = await openApp({
    config: test.app.core.config,
    log: openLog('silent'),
    backends: test.backends,
    clock: test.clock,
    planMaterialization: plansByText,
    measuredMs: steadyMs,
    workerTimes: evenly,
  });
});
afterAll(async () => {
  await second.stop();
  await test.close();
});
beforeEach(async () => {
  await test.backends.metadata.prisma.endpoint.deleteMany();
  await expectNoOrphans(test);
});

const both = () => [test.app, second] as const;

async function secondRuns(name: string): Promise<Record<string, unknown>> {
  const url = `http://querydock.test/api/projects/${test.project.id}/endpoints/${name}/run?refresh=force`;
  const headers = { authorization: `Bearer ${test.project.readKey}` };
  const response = await second.fetch(new Request(url, { headers }));
  return (await response.json()) as Record<string, unknown>;
}

describe('two processes on the same metadata database', () => {
  it('do each sync once, however often both look', async () => {
    const names = Array.from({ length: 12 }, (_none, at) => `m${at}`);
    for (const name of names) await save(test, name, { is_materialized: true });
    const turns = [...both(), ...both(), ...both()].map((app) => app.materialization.runOnce());
    const outcomes = (await Promise.all(turns)).flatMap(({ syncs }) => syncs);
    expect(outcomes).toEqual(names.map(() => 'completed'));
    for (const name of names) {
      expect((await statusOf(test, name)).history).toHaveLength(1);
    }
    expect(await storedTables(test)).toHaveLength(names.length);
  });

  it('both read the table that one of them made', async () => {
    await save(test, 'shared', { is_materialized: true });
    expect(await secondRuns('shared')).toMatchObject({ inline_reason: 'not_ready' });
    await sync(test);
    await eventually('the other one hears of it', async () => {
      return (await secondRuns('shared')).served_from === 'materialized';
    });
  });

  it('a dead one’s claim lapses, another finishes, and what the dead one made is dropped', async () => {
    await save(test, 'left', { is_materialized: true });
    const store = openMaterializationStore({ prisma: test.backends.metadata.prisma });
    const now = test.clock.now();
    const claim = await store.claimDueSync({ now, owner: 'dead', leaseMs: 60_000 });
    if (claim === null) throw new Error('nothing was due');
    const table = '_materialized_dead1';
    expect(await store.registerTable(claim, { table, now, skewMs: 30_000 })).toBe(true);
    await test.sql(`CREATE TABLE ${table} ENGINE = MergeTree ORDER BY tuple() AS SELECT 1`);
    expect(await statusOf(test, 'left')).toMatchObject({ status: 'Running' });
    test.clock.advance(59_999);
    expect(await second.materialization.runOnce()).toEqual({ syncs: [], dropped: 0 });
    test.clock.advance(1);
    expect(await second.materialization.runOnce()).toMatchObject({ syncs: ['completed'] });
    expect(await statusOf(test, 'left')).toMatchObject({ status: 'Completed', ready: true });
    await expectNoOrphans(test);
    const late = test.clock.now();
    expect(await store.renewClaim(claim, { now: late, leaseMs: 60_000, skewMs: 0, table })).toBe(
      false,
    );
    expect(await store.releaseClaim(claim)).toBe(false);
  });

  it('a dead one’s sync is taken over within 15 seconds, and one whose claim is renewed is not', async () => {
    const { heartbeatMs, silentMs, pollMs, leaseMs } = workerTimes;
    expect(silentMs + 2 * pollMs).toBeLessThanOrEqual(15_000);
    expect(heartbeatMs * 3).toBeLessThan(silentMs);
    const store = openMaterializationStore({ prisma: test.backends.metadata.prisma });
    await save(test, 'taken', { is_materialized: true });
    const claim = await store.claimDueSync({ now: test.clock.now(), owner: 'dying', leaseMs });
    if (claim === null) throw new Error('nothing was due');
    const idle = { syncs: [], dropped: 0 };
    for (let renewed = 0; renewed < 8; renewed += 1) {
      expect(await second.materialization.runOnce()).toEqual(idle);
      test.clock.advance(heartbeatMs);
      const lease = { now: test.clock.now(), leaseMs, skewMs: 0, table: '_materialized_none' };
      expect(await store.renewClaim(claim, lease)).toBe(true);
    }
    expect(await second.materialization.runOnce()).toEqual(idle);
    test.clock.advance(silentMs - 1);
    expect(await second.materialization.runOnce()).toEqual(idle);
    test.clock.advance(1);
    expect(await second.materialization.runOnce()).toMatchObject({ syncs: ['completed'] });
    expect(await store.releaseClaim(claim)).toBe(false);
  });

  it('the one that wakes up late publishes nothing', async () => {
    await save(test, 'late', { is_materialized: true });
    const store = openMaterializationStore({ prisma: test.backends.metadata.prisma });
    const now = test.clock.now();
    const claim = await store.claimDueSync({ now, owner: 'slow', leaseMs: 60_000 });
    if (claim === null) throw new Error('nothing was due');
    test.clock.advance(60_000);
    const late = {
      now: test.clock.now(),
      table: '_materialized_late1',
      plan: {
        storedQuery: '',
        readQuery: '',
        sortingKey: [],
        predicates: [],
        aggregates: [],
      },
      rows: 1,
      bytes: 1,
      durationMs: 1,
      proved: null,
      measured: null,
      dropOldAfter: now,
      nextSyncAt: () => now,
    };
    expect(await store.completeSync(claim, late)).toBe(false);
    expect(await store.registerTable(claim, { ...late, skewMs: 0 })).toBe(false);
    expect(await sync(test)).toEqual(['completed']);
    expect(await store.completeSync(claim, late)).toBe(false);
    const failed = {
      now: late.now,
      outcome: 'failed',
      error: 'x',
      nextSyncAt: () => now,
    } as const;
    expect(await store.failSync(claim, failed)).toBe(false);
    expect(await statusOf(test, 'late')).toMatchObject({ status: 'Completed', error: null });
  });

  it('one that stops gives its sync back', async () => {
    const third = await openApp({
      config: test.app.core.config,
      log: openLog('silent'),
      backends: test.backends,
      clock: test.clock,
      planMaterialization: plansByText,
      measuredMs: steadyMs,
    });
    await save(test, 'long', {
      is_materialized: true,
      query: 'SELECT sum(cityHash64(number)) AS s FROM numbers(200000000000)',
    });
    const done = third.materialization.runOnce();
    await eventually('it is at work', async () => {
      return (await statusOf(test, 'long')).progress !== null;
    });
    await third.stop();
    expect((await done).syncs).toEqual(['released']);
    expect(await statusOf(test, 'long')).toMatchObject({ status: 'Modified', history: [] });
    await test.rest('DELETE', '/endpoints/long');
  });
});

describe('reads while tables are swapped', () => {
  /** Every row of one generation holds its number; a mix would hold two. */
  const query = 'SELECT generation, number FROM generations ORDER BY generation, number';
  const rows = 500;

  it('are whole: 16 readers, 50 swaps, no error and no mixed result', async () => {
    await test.sql(
      'CREATE TABLE generations (generation UInt32, number UInt32) ENGINE = MergeTree ORDER BY number',
    );
    const fill = async (generation: number) => {
      await test.sql('TRUNCATE TABLE generations');
      await test.sql(`INSERT INTO generations SELECT ${generation}, number FROM numbers(${rows})`);
    };
    await fill(0);
    await materialized(test, 'gen', { query });
    let isSwapping = true;
    const seen = new Set<number>();
    const reads = Array.from({ length: 16 }, () => 0);
    const reader = async (_reads: number, at: number): Promise<void> => {
      let newest = 0;
      while (isSwapping) {
        const body = await run(test, 'gen', { refresh: 'force' });
        const results = body.results as readonly (readonly [number, number])[];
        const generations = new Set(results.map(([generation]) => generation));
        expect(body.served_from).toBe('materialized');
        expect(results).toHaveLength(rows);
        expect(generations.size).toBe(1);
        const [generation = -1] = generations;
        expect(generation).toBeGreaterThanOrEqual(newest);
        newest = generation;
        seen.add(generation);
        reads[at] = (reads[at] ?? 0) + 1;
        await delay(0);
      }
    };
    const readers = Promise.all(reads.map(reader));
    let before = [...reads];
    for (let swap = 1; swap <= 50; swap += 1) {
      const atStart = [...reads];
      await fill(swap);
      // A replaced table stays for 15 s of this clock: no reader may be on one that was replaced four swaps ago.
      test.clock.advance(4000);
      await ask(test, 'sync', { name: 'gen' });
      expect(await sync(test)).toEqual(['completed']);
      const since = before;
      const isDone = () => reads.every((count, at) => count > (since[at] ?? 0));
      await Promise.race([
        eventually('every reader has read since the last swap', isDone),
        readers,
      ]);
      before = atStart;
    }
    isSwapping = false;
    await readers;
    expect(seen.size).toBeGreaterThan(25);
    expect((await storedTables(test)).length).toBeLessThanOrEqual(5);
  });
});

it('turned off in one process while the other syncs, it stays off', async () => {
  for (let turn = 0; turn < 10; turn += 1) {
    const name = `race${turn}`;
    await save(test, name, { is_materialized: true, query: byCountry });
    await Promise.all([
      second.materialization.runOnce(),
      patch(test, name, { is_materialized: false }),
      sync(test),
    ]);
    expect(await statusOf(test, name)).not.toHaveProperty('status');
  }
  await expectNoOrphans(test);
});
