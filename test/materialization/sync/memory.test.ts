/** A build that needs more memory than a query may use. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { TestApp } from '../../support/test-app.ts';
import { materialized, openMaterializedApp, run, statusOf } from '../support/materialized.ts';

let test: TestApp;
beforeAll(async () => {
  test = await openMaterializedApp({}, { queryMemoryBytes: 134_217_728 });
});
afterAll(() => test.close());

it('is done again with the tables joined in the order of the text', async () => {
  for (const statement of [
    'CREATE TABLE sellers ENGINE = MergeTree ORDER BY seller AS SELECT number AS seller, number % 5 AS land FROM numbers(1200)',
    'CREATE TABLE buyers ENGINE = MergeTree ORDER BY buyer AS SELECT number AS buyer, number % 5 AS land FROM numbers(8000)',
    "CREATE TABLE sales_of ENGINE = MergeTree ORDER BY sale AS SELECT number AS sale, number % 8000 AS buyer, toDate('2024-01-01') + number % 300 AS day FROM numbers(60000)",
    'CREATE TABLE items ENGINE = MergeTree ORDER BY sale AS SELECT intDiv(number, 4) AS sale, cityHash64(number) % 1200 AS seller, number % 100 AS price FROM numbers(240000)',
  ]) {
    await test.sql(statement);
  }
  const query = `SELECT b.land AS land, sum(i.price) AS revenue FROM buyers AS b, sales_of AS s, items AS i, sellers AS v
    WHERE b.buyer = s.buyer AND s.sale = i.sale AND i.seller = v.seller AND b.land = v.land AND s.day >= {from:Date} AND s.day < {from:Date} + INTERVAL 1 MONTH
    GROUP BY land ORDER BY land`;
  await materialized(test, 'joined', { query });
  const given = { variables: { from: '2024-02-01' } };
  const stored = await run(test, 'joined', { ...given, refresh: 'force' });
  expect(stored.served_from).toBe('materialized');
  expect((stored.results as readonly unknown[]).length).toBe(5);
  expect(await statusOf(test, 'joined')).toMatchObject({ rows: 300 });
});
