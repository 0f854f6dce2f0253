import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { eventually } from '../../support/eventually.ts';
import type { TestApp } from '../../support/test-app.ts';
import { handPlanner, rightPlan, wrongPlan } from '../support/hand-plans.ts';
import {
  ask,
  expectNoOrphans,
  materialized,
  ofCountry,
  openMaterializedApp,
  patch,
  run,
  save,
  statusOf,
  storedTables,
  sync,
} from '../support/materialized.ts';

const planner = handPlanner();
const right = { kind: 'plan', plan: rightPlan } as const;
let test: TestApp;
let name = '';
let count = 0;

beforeAll(async () => {
  test = await openMaterializedApp({ planMaterialization: planner.plan });
});
afterAll(() => test.close());
beforeEach(async () => {
  planner.set(right);
  await test.backends.metadata.prisma.endpoint.deleteMany();
  await expectNoOrphans(test);
  name = `w${++count}`;
});

const slow = {
  kind: 'plan',
  plan: {
    ...rightPlan,
    storedQuery:
      'SELECT country, day, amount FROM sales UNION ALL SELECT toString(sum(cityHash64(number))), today(), 1 FROM numbers(200000000000)',
  },
} as const;

describe('before the first table of a version is served', () => {
  const query = { query: ofCountry, is_materialized: true, sync_frequency: '1hour' };

  it('a wrong one is refused, with the example in the status', async () => {
    planner.set({ kind: 'plan', plan: wrongPlan });
    await save(test, name, query);
    expect(await sync(test)).toEqual(['failed']);
    const status = await statusOf(test, name);
    expect(status).toMatchObject({
      status: 'Failed',
      can_materialize: false,
      ready: false,
      history: [{ outcome: 'failed' }],
    });
    expect(status.error).toMatch(/does not give the same result.*"country":"de".*inline has/);
    expect(status.reason).toBe(status.error);
    expect(await run(test, name, { variables: { country: 'de' } })).toMatchObject({
      served_from: 'inline',
      inline_reason: 'failed',
      results: [
        ['2026-01-02', 2],
        ['2026-02-03', 3],
      ],
    });
    expect(await storedTables(test)).toEqual([]);
    expect(await sync(test)).toEqual([]);
  });

  it('it is compared for values from the data, and not again while the plan stays', async () => {
    await save(test, name, query);
    expect(await sync(test)).toEqual(['completed']);
    const proved = await provedAt();
    expect(proved).toEqual(test.clock.now());
    test.clock.advance(1000);
    await ask(test, 'sync', { name });
    expect(await sync(test)).toEqual(['completed']);
    expect(await provedAt()).toEqual(proved);
  });

  async function provedAt(): Promise<Date | null> {
    const row = await test.backends.metadata.prisma.materializationStatus.findFirstOrThrow();
    return row.provedAt;
  }

  it('a wrong plan that comes later is found, too, and the good table goes on', async () => {
    await materialized(test, name, query);
    const { storedQuery, ...rest } = wrongPlan;
    planner.set({ kind: 'plan', plan: { storedQuery, ...rest, sortingKey: ['country', 'day'] } });
    test.clock.advance(1000);
    await ask(test, 'sync', { name });
    expect(await sync(test)).toEqual(['failed']);
    expect(await run(test, name, { variables: { country: 'de' } })).toMatchObject({
      served_from: 'materialized',
    });
  });
});

describe('a sync plans again', () => {
  it('so a refusal of today fails it with its reason', async () => {
    await materialized(test, name, { query: ofCountry, sync_frequency: '1hour' });
    planner.set({ kind: 'refusal', reason: 'The table sales is a view now.' });
    test.clock.advance(3_600_000);
    expect(await sync(test)).toEqual(['failed']);
    expect(await statusOf(test, name)).toMatchObject({
      status: 'Failed',
      can_materialize: false,
      reason: 'The table sales is a view now.',
    });
  });

  it('so what it stores moves with the date', async () => {
    const since = (day: string) => ({
      kind: 'plan' as const,
      plan: { ...rightPlan, storedQuery: `${rightPlan.storedQuery} WHERE day >= '${day}'` },
    });
    planner.set(since('2026-01-01'));
    await materialized(test, name, { query: ofCountry });
    planner.set(since('2026-01-05'));
    test.clock.advance(1000);
    await ask(test, 'sync', { name });
    await sync(test);
    expect((await run(test, name, { variables: { country: 'de' } })).results).toHaveLength(1);
  });
});

describe('failures', () => {
  it('are tried again after a time that grows, and no sooner', async () => {
    planner.set(async () => {
      throw new Error('no planner today');
    });
    await save(test, name, { query: ofCountry });
    planner.set(right);
    await patch(test, name, { is_materialized: true });
    await test.sql('RENAME TABLE sales TO elsewhere');
    const waits: number[] = [];
    for (let turn = 0; turn < 4; turn += 1) {
      expect(await sync(test)).toEqual(['failed']);
      expect(await sync(test)).toEqual([]);
      const { next_sync_at: next } = await statusOf(test, name);
      waits.push(Date.parse(String(next)) - test.clock.now().getTime());
      test.clock.set(String(next));
    }
    await test.sql('RENAME TABLE elsewhere TO sales');
    expect(waits).toEqual([30_000, 60_000, 120_000, 240_000]);
    expect(await sync(test)).toEqual(['completed']);
    expect(await statusOf(test, name)).toMatchObject({ status: 'Completed', error: null });
  });

  it('show nothing internal', async () => {
    planner.set(right);
    await save(test, name, { query: ofCountry, is_materialized: true });
    planner.set(async () => {
      throw new Error('postgres://secret');
    });
    await sync(test);
    const status = await statusOf(test, name);
    expect(status.status).toBe('Failed');
    expect(JSON.stringify(status)).not.toContain('secret');
  });
});

describe('a sync under way', () => {
  /** In an object, so that it is not awaited on its way. */
  async function begin(): Promise<{ readonly result: Promise<readonly string[]> }> {
    planner.set(slow);
    await save(test, name, { query: ofCountry, is_materialized: true, sync_frequency: '1hour' });
    const result = sync(test);
    await eventually('the engine is at work for it', async () => {
      const { progress } = await statusOf(test, name);
      return ((progress as { rows_read: number } | null)?.rows_read ?? 0) > 0;
    });
    return { result };
  }

  it('is Running with its progress, and runs are inline', async () => {
    const done = await begin();
    expect(await statusOf(test, name)).toMatchObject({
      status: 'Running',
      progress: {
        rows_read: expect.any(Number),
        percent: expect.any(Number),
        time_elapsed: expect.any(Number),
      },
    });
    expect(await run(test, name, { variables: { country: 'at' } })).toMatchObject({
      inline_reason: 'not_ready',
    });
    await ask(test, 'cancel', { name });
    expect(await done.result).toEqual(['lost']);
    expect(await statusOf(test, name)).toMatchObject({
      status: 'Cancelled',
      history: [{ outcome: 'cancelled' }],
    });
    expect(await storedTables(test)).toEqual([]);
  });

  it.each([
    ['disabled', () => patch(test, name, { is_materialized: false })],
    ['deactivated', () => patch(test, name, { is_active: false })],
    ['deleted', () => test.rest('DELETE', `/endpoints/${name}`)],
  ])('ends when it is %s, and leaves nothing', async (_how, change) => {
    const done = await begin();
    await change();
    expect(await done.result).toEqual(['lost']);
    expect(await storedTables(test)).toEqual([]);
    expect(await runningBuilds()).toBe(0);
  });

  it('that somebody kills at the engine is Cancelled, and comes again by its cadence', async () => {
    const done = await begin();
    await test.sql(`KILL QUERY WHERE ${isOurBuild()} ASYNC`);
    expect(await done.result).toEqual(['cancelled']);
    expect(await statusOf(test, name)).toMatchObject({ status: 'Cancelled' });
    planner.set(right);
    expect(await sync(test)).toEqual([]);
    test.clock.advance(3_600_000);
    expect(await sync(test)).toEqual(['completed']);
  });

  /** Other files build tables in the same engine. */
  const isOurBuild = () =>
    `user = 'project_${test.project.id}_writer' AND startsWith(query, 'INSERT INTO')`;

  async function runningBuilds(): Promise<number> {
    let left = -1;
    await eventually('no build runs', async () => {
      const text = await test.sql(`SELECT count() FROM system.processes WHERE ${isOurBuild()}`);
      left = Number(text);
      return left === 0;
    });
    return left;
  }
});

describe('syncs and their schedule', () => {
  it('come before the table is stale, so that runs never fall back between two of them', async () => {
    await materialized(test, name, { query: ofCountry, sync_frequency: '5min' });
    for (let turn = 0; turn < 5; turn += 1) {
      const { next_sync_at: next } = await statusOf(test, name);
      test.clock.set(String(next));
      expect(
        await run(test, name, { variables: { country: 'de' }, refresh: 'force' }),
      ).toMatchObject({ served_from: 'materialized' });
      expect(await sync(test)).toEqual(['completed']);
    }
  });

  it('claim by an index: no statement reads all rows', async () => {
    const { pool } = test.backends.metadata;
    await pool.query('SET enable_seqscan = off');
    const plan = await pool.query(
      'EXPLAIN SELECT id FROM materialization_status WHERE next_sync_at <= now() AND (claimed_until IS NULL OR claimed_until <= now()) ORDER BY next_sync_at LIMIT 1 FOR UPDATE SKIP LOCKED',
    );
    expect(JSON.stringify(plan.rows)).toContain('materialization_status_next_sync_at_idx');
  });
});
