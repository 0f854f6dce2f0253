/** When a plan that was compared is compared again. */
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import type { TestApp } from '../../support/test-app.ts';
import {
  ask,
  expectNoOrphans,
  materialized,
  run,
  save,
  statusOf,
  storedTables,
  sync,
} from '../support/materialized.ts';
import { openProving, type Proving, planOf, proved, refused } from '../support/proving.ts';

let proving: Proving;
let test: TestApp;
let name = '';
let count = 0;

beforeAll(async () => {
  proving = await openProving();
  ({ test } = proving);
  await test.sql('CREATE TABLE visits (page String, n UInt32) ENGINE = MergeTree ORDER BY n');
});
afterAll(() => test.close());
beforeEach(async () => {
  await test.backends.metadata.prisma.endpoint.deleteMany();
  await expectNoOrphans(test);
  await test.sql('TRUNCATE TABLE visits');
  name = `a${++count}`;
});

const query = 'SELECT n FROM visits WHERE page = {page:String}';
const written = { stored: 'SELECT page, n FROM visits', predicates: ['page page ='] };
const right = planOf({ ...written, read: 'SELECT n FROM stored WHERE page = {page:String}' });
/** Wrong for numbers from 100 on. */
const wrong = planOf({
  ...written,
  read: 'SELECT least(n, 100)::UInt32 AS n FROM stored WHERE page = {page:String}',
});

const insert = (from: number, rows: number) =>
  test.sql(`INSERT INTO visits SELECT 'home', number FROM numbers(${from}, ${rows})`);

async function syncAgain(): Promise<readonly string[]> {
  test.clock.advance(1000);
  await ask(test, 'sync', { name });
  return sync(test);
}

async function provedAt(): Promise<Date | null> {
  const row = await test.backends.metadata.prisma.materializationStatus.findFirstOrThrow();
  return row.provedAt;
}

it('a table that was empty is compared at its first sync with rows', async () => {
  proving.planner.set({ kind: 'plan', plan: wrong });
  await materialized(test, name, { query });
  expect(await statusOf(test, name)).toMatchObject({ ...proved, rows: 0 });
  expect(await provedAt()).toBeNull();
  expect(await syncAgain()).toEqual(['completed']);
  await insert(100, 2);
  expect(await syncAgain()).toEqual(['failed']);
  expect(await statusOf(test, name)).toMatchObject(
    refused(/for \{"page":"home"\}: inline has one more row \[101\]/),
  );
});

it('and so is one of which an aggregate over no rows was compared', async () => {
  const sum = (more: string, from: string) =>
    `SELECT sum(n)${more} AS s FROM ${from} WHERE page = {page:String}`;
  const plan = planOf({ ...written, read: sum(' + (count() > 0)', 'stored') });
  proving.planner.set({ kind: 'plan', plan });
  await materialized(test, name, { query: sum(' + 0', 'visits') });
  expect(await provedAt()).toBeNull();
  await insert(1, 1);
  expect(await syncAgain()).toEqual(['failed']);
});

it('and so is one of whose rows no values found any', async () => {
  await insert(0, 50);
  const many = `${query} AND n >= 100`;
  proving.planner.set({
    kind: 'plan',
    plan: { ...wrong, readQuery: `${wrong.readQuery} AND n >= 100` },
  });
  await materialized(test, name, { query: many });
  expect(await provedAt()).toBeNull();
  await insert(101, 1);
  expect(await syncAgain()).toEqual(['failed']);
});

it('one that was compared is not compared again, until it has ten times as many rows', async () => {
  await insert(0, 50);
  proving.planner.set({ kind: 'plan', plan: wrong });
  await materialized(test, name, { query });
  const first = await provedAt();
  expect(first).toEqual(test.clock.now());
  await insert(50, 449);
  expect(await syncAgain()).toEqual(['completed']);
  expect(await provedAt()).toEqual(first);
  await insert(499, 1);
  expect(await syncAgain()).toEqual(['failed']);
  expect(await statusOf(test, name)).toMatchObject({ status: 'Failed', can_materialize: false });
});

it('when it is wrong then, the table that was made in the same way is served no more', async () => {
  await insert(0, 50);
  proving.planner.set({ kind: 'plan', plan: wrong });
  await materialized(test, name, { query });
  await insert(50, 450);
  const variables = { page: 'home' };
  expect(await run(test, name, { variables })).toMatchObject({ served_from: 'materialized' });
  expect(await syncAgain()).toEqual(['failed']);
  const response = await run(test, name, { variables, refresh: 'force' });
  expect(response).toMatchObject({ served_from: 'inline', inline_reason: 'failed' });
  expect(response.results).toHaveLength(500);
  await expectNoOrphans(test);
  expect(await storedTables(test)).toEqual([]);
});

it('one that was compared over ranges with an unknown number of rows is compared again', async () => {
  await insert(0, 50);
  proving.planner.set({ kind: 'plan', plan: right });
  await materialized(test, name, { query });
  await test.backends.metadata.prisma.materializationStatus.updateMany({
    data: { provedRows: null },
  });
  expect(await syncAgain()).toEqual(['completed']);
  expect(await provedAt()).toEqual(test.clock.now());
});

it('a bystander goes on while another is refused', async () => {
  await insert(0, 50);
  proving.planner.set({ kind: 'plan', plan: right });
  await materialized(test, 'bystander', { query });
  proving.planner.set({
    kind: 'plan',
    plan: planOf({ ...written, read: `${right.readQuery} AND n != 7` }),
  });
  await save(test, name, { query, is_materialized: true });
  expect(await sync(test)).toEqual(['failed']);
  expect(
    await run(test, 'bystander', { variables: { page: 'home' }, refresh: 'force' }),
  ).toMatchObject({ served_from: 'materialized' });
});
