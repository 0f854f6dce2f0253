import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestApp } from '../../support/test-app.ts';
import { plansByText } from '../support/hand-plans.ts';
import {
  ask,
  materialized,
  openMaterializedApp,
  run,
  servedTables,
  storedTables,
  sync,
} from '../support/materialized.ts';

let test: TestApp;
const hour = 3_600_000;
const day = 24 * hour;

beforeAll(async () => {
  test = await openMaterializedApp({ planMaterialization: plansByText });
  await materialized(test, 'kept', { sync_frequency: '30day' });
});
afterAll(() => test.close());

const records = () => test.backends.metadata.prisma.storedTable;
const names = async () => (await records().findMany()).map(({ name }) => name).sort();
const makeTable = (name: string) =>
  test.sql(`CREATE TABLE ${name} ENGINE = MergeTree ORDER BY tuple() AS SELECT 1 AS n`);

describe('the sweep', () => {
  it('drops tables that nobody needs according to the metadata database, and leaves what is served', async () => {
    await makeTable('_materialized_old1');
    const now = test.clock.now();
    const row = { projectId: test.project.id, createdAt: now };
    await records().create({ data: { ...row, name: '_materialized_old1', dropAfter: now } });
    expect(await test.app.materialization.sweep()).toBe(1);
    expect(await storedTables(test)).toEqual(await servedTables(test));
    expect(await run(test, 'kept')).toMatchObject({ served_from: 'materialized' });
  });

  it('drops what is registered and served by nothing, whoever deleted its endpoint', async () => {
    await materialized(test, 'gone');
    await test.backends.metadata.prisma.endpoint.deleteMany({ where: { name: 'gone' } });
    expect(await storedTables(test)).toHaveLength(2);
    expect(await test.app.materialization.sweep()).toBe(1);
    expect(await storedTables(test)).toEqual(await servedTables(test));
  });

  it('keeps a replaced table as long as another process may look its name up, and no longer', async () => {
    await materialized(test, 'replaced');
    test.clock.advance(1000);
    await ask(test, 'sync', { name: 'replaced' });
    expect(await test.app.materialization.runOnce()).toEqual({ syncs: ['completed'], dropped: 0 });
    test.clock.advance(14_999);
    expect(await test.app.materialization.runOnce()).toEqual({ syncs: [], dropped: 0 });
    expect((await storedTables(test)).length).toBe((await servedTables(test)).length + 1);
    test.clock.advance(1);
    expect(await test.app.materialization.runOnce()).toEqual({ syncs: [], dropped: 1 });
    expect(await storedTables(test)).toEqual(await servedTables(test));
    await test.rest('DELETE', '/endpoints/replaced');
    await test.app.materialization.runOnce();
  });

  it('never changes a table that this service did not make, whatever its name', async () => {
    const foreign = ['_materialized_foreign', '_materialized_0190', 'materialized_sales'];
    for (const name of foreign) await makeTable(name);
    test.clock.advance(day);
    await test.app.materialization.sweep();
    const there = await test.sql('SHOW TABLES');
    for (const name of foreign) expect(there.split('\n')).toContain(name);
    for (const name of foreign) await test.sql(`DROP TABLE ${name} SYNC`);
  });

  it('drops once more what a dying process made after it had been dropped', async () => {
    await materialized(test, 'twice');
    const [table = ''] = (await servedTables(test)).filter((name) => name !== '');
    await test.rest('DELETE', '/endpoints/twice');
    await sync(test);
    const [dropped] = await records().findMany({ where: { droppedAt: { not: null } }, take: 1 });
    const name = dropped?.name ?? table;
    await makeTable(name);
    await test.app.materialization.sweep();
    expect(await storedTables(test)).toEqual(await servedTables(test));
  });

  it('forgets the names after a day', async () => {
    expect((await names()).length).toBeGreaterThan(1);
    test.clock.advance(2 * day);
    await test.app.materialization.sweep();
    expect(await names()).toEqual(await servedTables(test));
  });

  it('keeps a replaced table for runs that looked its name up before, not longer', async () => {
    test.clock.advance(1000);
    await ask(test, 'sync', { name: 'kept' });
    await sync(test);
    expect(await storedTables(test)).toHaveLength(2);
    test.clock.advance(14_999);
    expect(await test.app.materialization.runOnce()).toEqual({ syncs: [], dropped: 0 });
    test.clock.advance(1);
    expect(await test.app.materialization.runOnce()).toEqual({ syncs: [], dropped: 1 });
    expect(await storedTables(test)).toEqual(await servedTables(test));
  });

  it('goes on when a table cannot be dropped, and tries again', async () => {
    const now = test.clock.now();
    const row = { createdAt: now, dropAfter: now };
    await records().create({ data: { ...row, name: 'not a stored table', projectId: 1 } });
    await makeTable('_materialized_next1');
    const own = { projectId: test.project.id, name: '_materialized_next1' };
    await records().create({ data: { ...row, ...own } });
    expect(await test.app.materialization.sweep()).toBe(1);
    expect(await names()).toContain('not a stored table');
    await records().deleteMany({ where: { name: 'not a stored table' } });
  });

  it('of a project that is gone has nothing to do', async () => {
    const now = test.clock.now();
    const data = { name: '_materialized_lost1', projectId: test.project.id + 2, createdAt: now };
    await records().create({ data: { ...data, dropAfter: now } });
    await test.app.core.engine.provision(data.projectId);
    await test.sql(`DROP DATABASE project_${data.projectId} SYNC`);
    expect(await test.app.materialization.sweep()).toBe(1);
    await test.app.core.engine.deprovision(data.projectId);
  });
});

describe('the metadata database itself refuses', () => {
  const update = (sql: string) =>
    test.backends.metadata.pool
      .query(`UPDATE materialization_status SET ${sql}`)
      .then(() => null)
      .catch((error: { readonly constraint?: string }) => error.constraint);

  it.each([
    ['off and due', 'enabled = false', 'materialization_status_due_check'],
    ['on and never due', 'next_sync_at = NULL', 'materialization_status_due_check'],
    ['off and served', 'enabled = false, next_sync_at = NULL', 'materialization_status_off_check'],
    ['served without a plan', 'plan = NULL', 'materialization_status_served_check'],
  ])('one that is %s', async (_what, sql, constraint) => {
    expect(await update(sql)).toBe(constraint);
  });
});
