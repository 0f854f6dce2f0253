/** Workers whose clocks differ from those of other processes. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { MaterializationStore } from '../../../src/store/materialization-store.ts';
import { openNodeJournal } from '../../../src/store/node-journal.ts';
import type { SyncClaim } from '../../../src/store/sync-records.ts';
import { eventually } from '../../support/eventually.ts';
import type { TestApp } from '../../support/test-app.ts';
import { ask, openMaterializedApp, patch, save, statusOf, sync } from '../support/materialized.ts';

const leaseMs = 60_000;
const month = 30 * 86_400_000;

let test: TestApp;
let store: MaterializationStore;

beforeAll(async () => {
  test = await openMaterializedApp();
  store = test.app.core.materializations;
});
afterAll(() => test.close());
beforeEach(async () => {
  await test.backends.metadata.prisma.endpoint.deleteMany();
});

const later = (ms: number) => new Date(test.clock.now().getTime() + ms);

/** By a worker whose clock is ahead by so much. */
async function claimed(ahead: number): Promise<SyncClaim> {
  const claim = await store.claimDueSync({ now: later(ahead), owner: 'worker', leaseMs });
  if (claim === null) throw new Error('nothing was due');
  return claim;
}

function fail(claim: SyncClaim, ahead: number): Promise<boolean> {
  const nextSyncAt = () => later(month);
  return store.failSync(claim, { now: later(ahead), outcome: 'failed', error: 'x', nextSyncAt });
}

function complete(claim: SyncClaim, ahead: number): Promise<boolean> {
  return store.completeSync(claim, {
    now: later(ahead),
    table: `_materialized_${claim.syncId.replaceAll('-', '')}`,
    plan: { storedQuery: '', readQuery: '', sortingKey: [], predicates: [], aggregates: [] },
    rows: 1,
    bytes: 1,
    durationMs: 1,
    proved: null,
    measured: null,
    dropOldAfter: later(ahead),
    nextSyncAt: () => later(month),
  });
}

/** Registers its table, as every sync does before it can complete. */
async function registered(ahead: number): Promise<SyncClaim> {
  const claim = await claimed(ahead);
  const table = `_materialized_${claim.syncId.replaceAll('-', '')}`;
  expect(await store.registerTable(claim, { table, now: later(ahead), skewMs: 0 })).toBe(true);
  return claim;
}

describe('what makes a sync due during a sync of a worker whose clock is ahead', () => {
  const ahead = 20_000;
  const by = undefined;
  const changed = () => ({ projectId: test.project.id, table: 'sales', by });
  const causes: Readonly<Record<string, (name: string) => Promise<unknown>>> = {
    syncMaterialization: (name) => ask(test, 'sync', { name }),
    'another row limit': (name) => patch(test, name, { max_stored_rows: 1000 }),
    'a load': () =>
      test.app.core.projects.recordDataChange({ ...changed(), action: 'data.loaded' }),
  };

  for (const [cause, happens] of Object.entries(causes)) {
    for (const end of [complete, fail]) {
      it(`is not lost: ${cause}, ${end === fail ? 'of one that fails' : 'of one that completes'}`, async () => {
        await save(test, 'asked', { is_materialized: true, sync_frequency: '30day' });
        test.clock.advance(1000);
        const claim = await registered(ahead);
        test.clock.advance(500);
        await happens('asked');
        const due = test.clock.now().toISOString();
        expect(await end(claim, ahead)).toBe(true);
        expect((await statusOf(test, 'asked')).next_sync_at).toBe(due);
        expect(await sync(test)).toEqual(['completed']);
      });
    }
  }

  it('is not lost: a load that another process finished', async () => {
    await save(test, 'asked', { is_materialized: true, sync_frequency: '30day' });
    test.clock.advance(1000);
    const claim = await claimed(ahead);
    const journal = openNodeJournal({ prisma: test.backends.metadata.prisma });
    const change = {
      id: randomUUID(),
      projectId: test.project.id,
      table: 'sales',
      kind: 'append',
    } as const;
    const began = new Date();
    await journal.begin(change, [{ node: 'first', staging: null }]);
    expect(await journal.finish(change, ['first'], 'another process')).toBe(true);
    expect(await fail(claim, ahead)).toBe(true);
    // The journal's times are the database's.
    const due = Date.parse(String((await statusOf(test, 'asked')).next_sync_at));
    expect(Math.abs(due - began.getTime())).toBeLessThan(60_000);
  });

  it('is by its cadence otherwise', async () => {
    await save(test, 'asked', { is_materialized: true, sync_frequency: '30day' });
    test.clock.advance(1000);
    expect(await fail(await claimed(ahead), ahead)).toBe(true);
    expect((await statusOf(test, 'asked')).next_sync_at).toBe(later(month).toISOString());
    expect(await sync(test)).toEqual([]);
  });
});

describe('two workers whose clocks differ', () => {
  const long = 'SELECT sum(cityHash64(number)) AS s FROM numbers(200000000000)';

  for (const skew of [20_000, 120_000, 2 * 3_600_000])
    it(`by ${skew / 1000} s do not take each other's claims in turns`, async () => {
      await save(test, 'long', { is_materialized: true, query: long });
      // The other one, whose syncs the worker of the service sees; its clock is ahead.
      let claim: SyncClaim | null = await claimed(skew);
      let claims = 1;
      for (let beat = 0; beat < 8; beat += 1) {
        const mine = test.app.materialization.runOnce();
        await eventually('the worker has looked', async () => {
          const { history, progress } = await statusOf(test, 'long');
          return history !== undefined && (progress !== null || (await isIdle(mine)));
        });
        test.clock.advance(3000);
        const lease = { now: later(skew), leaseMs, skewMs: 30_000, table: 'none' };
        if (claim !== null && !(await store.renewClaim(claim, lease))) claim = null;
        if (claim !== null) continue;
        claim = await store.claimDueSync({ now: later(skew), owner: 'worker', leaseMs });
        if (claim !== null) claims += 1;
        test.app.materialization.nudge();
        await mine;
      }
      expect(claim).not.toBeNull();
      expect(claims).toBeLessThanOrEqual(2);
    });
});

async function isIdle(pass: Promise<unknown>): Promise<boolean> {
  const open = Symbol('open');
  return (await Promise.race([pass, Promise.resolve(open)])) !== open;
}
