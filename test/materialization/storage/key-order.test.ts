/** By the data a sync decides in which order columns that are compared as ranges, or looked up, are in a sorting key. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { orderedByCounts } from '../../../src/materialization/storage/order-keys.ts';
import type { TestApp } from '../../support/test-app.ts';
import {
  type Body,
  expectNoOrphans,
  materialized,
  measured,
  openMaterializedApp,
  rowsRead,
  run,
  sync,
} from '../support/materialized.ts';

let test: TestApp;
const rows = 400_000;
const discounts = 10;
const hosts = 8;

beforeAll(async () => {
  test = await openMaterializedApp();
  await test.sql(
    'CREATE TABLE lines (day Date, quantity UInt8, discount Decimal(9, 2), price Int64) ENGINE = MergeTree ORDER BY tuple()',
  );
  await test.sql(
    `INSERT INTO lines SELECT toDate('2018-01-01') + cityHash64(number) % 2400, cityHash64(number, 1) % 200, toDecimal32(cityHash64(number, 2) % ${discounts} / 100, 2), number % 10000 FROM numbers(${rows})`,
  );
  await test.sql(
    'CREATE TABLE cpu (at DateTime, host UInt32, busy UInt8) ENGINE = MergeTree ORDER BY tuple()',
  );
  await test.sql(
    `INSERT INTO cpu SELECT toDateTime('2025-01-01 00:00:00') + intDiv(number, ${hosts}) * 10, number % ${hosts}, cityHash64(number) % 100 FROM numbers(${rows})`,
  );
  await test.sql('CREATE TABLE hosts (id UInt64, name String) ENGINE = MergeTree ORDER BY id');
  await test.sql(
    `INSERT INTO hosts SELECT number, concat('host_', toString(number)) FROM numbers(${hosts})`,
  );
});
afterAll(async () => {
  await expectNoOrphans(test);
  await test.close();
});

async function expectFewRows(name: string, variables: Body, most: number): Promise<void> {
  const read = await run(test, name, { variables, refresh: 'force', debug: true });
  const inline = await run(test, name, { variables, refresh: 'direct' });
  expect(read).toMatchObject({ results: inline.results, served_from: 'materialized' });
  expect(rowsRead(read)).toBeLessThan(most);
}

const keyOf = async (name: string) =>
  (await test.rest('POST', `/endpoints/${name}/materialization_preview`)).body.sorting_key;

it('puts a column with few values in front, and a run reads the range of another within each of its own', async () => {
  const query =
    'SELECT sum(price * quantity) AS revenue, count() AS n FROM lines WHERE day >= {from:Date} AND day < {to:Date} AND quantity < {quantity:UInt8} AND discount BETWEEN {least:Decimal(9, 2)} AND {most:Decimal(9, 2)}';
  await materialized(test, 'revenue', { query });
  await measured(test, 'revenue');
  expect(await keyOf('revenue')).toEqual(['__v2', '__v0', '__v1']);
  const year = { from: '2019-01-01', to: '2020-01-01', quantity: 24 };
  await expectFewRows('revenue', { ...year, least: 0.05, most: 0.07 }, rows / 10);
  await expectFewRows('revenue', { ...year, least: 0, most: 1 }, rows / 4);
  await expectFewRows('revenue', { ...year, least: 1, most: 0 }, rows / 50);
});

it('puts looked-up values in front of a range where each has many rows', async () => {
  const query =
    'SELECT toStartOfHour(at) AS hour, max(busy) AS most FROM cpu WHERE host IN (SELECT id FROM hosts WHERE name IN {names:Array(String)}) AND at >= {from:DateTime} AND at < {to:DateTime} GROUP BY hour ORDER BY hour';
  await materialized(test, 'busy', { query, sync_frequency: '1hour' });
  await measured(test, 'busy');
  expect(await keyOf('busy')).toEqual(['host', 'at']);
  const day = { from: '2025-01-02 10:00:00', to: '2025-01-03 10:00:00' };
  await expectFewRows('busy', { ...day, names: ['host_1', 'host_6'] }, rows / 10);
  await expectFewRows('busy', { ...day, names: [] }, rows / 10);
  await expectFewRows('busy', { ...day, names: ['nobody'] }, rows / 10);
});

it('keeps the order at the next sync, without another proof', async () => {
  const record = () =>
    test.backends.metadata.prisma.materializationStatus.findFirstOrThrow({
      where: { version: { endpoint: { name: 'busy' } } },
      select: { plan: true, provedAt: true },
    });
  const before = await record();
  await test.sql('TRUNCATE TABLE cpu');
  test.clock.advance(3_600_000);
  expect(await sync(test)).toContain('completed');
  expect(await record()).toEqual(before);
});

it('leaves the order of the query where rows with one value are few', async () => {
  const query =
    'SELECT sum(price) AS total FROM lines WHERE day >= {from:Date} AND day < {to:Date} AND quantity < {quantity:UInt8}';
  await materialized(test, 'total', { query });
  expect(await keyOf('total')).toEqual(['__v0', '__v1']);
});

it('puts looked-up values behind a range where each has few rows', async () => {
  const query =
    'SELECT id, price FROM (SELECT quantity * 10000 + price AS id, day, price FROM lines) AS l WHERE id IN (SELECT id FROM hosts WHERE name IN {names:Array(String)}) AND day >= {from:Date} ORDER BY id';
  await materialized(test, 'ids', { query });
  expect(await keyOf('ids')).toEqual(['day', 'id']);
});

it.each<readonly [ranges: Body, lookups: Body, order: string]>([
  [{ a: 1000, b: 10 }, {}, 'b a'],
  [{ a: 1000, b: 100 }, {}, 'a b'],
  [{ a: 1000, b: 6, c: 3 }, {}, 'c b a'],
  [{ a: 1000, b: 60, c: 3 }, {}, 'c a b'],
  [{ a: 1000 }, { b: 400 }, 'b a'],
  [{ a: 1000 }, { b: 600 }, 'a b'],
  [{ a: 1000, b: 40 }, { c: 10 }, 'c a b'],
])('of a million rows, with %j values of ranges and %j of lookups', (ranges, lookups, order) => {
  const counted = (columns: Body, by: 'range' | 'lookup') =>
    Object.entries(columns).map(([name, distinct]) => ({ name, by, distinct: Number(distinct) }));
  const columns = [...counted(ranges, 'range'), ...counted(lookups, 'lookup')];
  expect(orderedByCounts(columns, 1_000_000).join(' ')).toBe(order);
});
