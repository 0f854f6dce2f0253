/** CTEs, sides of joins and branches of UNION that group the rows that variables select, through the service. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { TestApp } from '../support/test-app.ts';
import { expectRefusedBySync, expectServed } from './support/checked-queries.ts';
import { materialized, openMaterializedApp, statusOf } from './support/materialized.ts';

let test: TestApp;
beforeAll(async () => {
  test = await openMaterializedApp();
  await test.sql(
    "CREATE TABLE revenue (id UInt32, day Date, at DateTime, country LowCardinality(String), product String, amount Decimal(18, 2), weight Float64, zero Float64) ENGINE = MergeTree ORDER BY id AS SELECT number, toDate('2025-12-01') + number % 60, toDateTime('2025-12-01 00:00:00') + number * 977, ['de', 'fr', 'us'][number % 3 + 1], concat('p', toString(number % 7)), number % 91 / 4, number / 8, if(number % 2 = 0, 0., -0.) FROM numbers(5000)",
  );
});
afterAll(() => test?.close());

const values = [
  { from: '2025-12-20', to: '2026-01-05', c: 'de', x: 20 },
  { from: '2026-01-01', to: '2026-01-01', c: 'us', x: 0 },
  { from: '2027-01-01', to: '2027-02-01', c: 'none', x: 9000 },
];
const within = 'day >= {from:Date} AND day < {to:Date}';
const before = 'day >= {from:Date} - 30 AND day < {from:Date}';

it.each([
  `WITH cur AS (SELECT product, sum(amount) AS v, avg(weight) AS w FROM revenue WHERE ${within} GROUP BY product), prev AS (SELECT product, sum(amount) AS v, avg(weight) AS w FROM revenue WHERE ${before} GROUP BY product) SELECT cur.product, cur.v, prev.v, cur.w FROM cur LEFT JOIN prev ON cur.product = prev.product ORDER BY cur.product`,
  `SELECT day, sum(n) OVER (ORDER BY day) AS total FROM (SELECT day, uniqExact(product) AS n FROM revenue WHERE country = {c:String} GROUP BY day) WHERE day < {to:Date} ORDER BY day`,
  `SELECT * FROM (SELECT 'now' AS period, count() AS n, sum(amount) AS v FROM revenue WHERE ${within} UNION ALL SELECT 'before' AS period, count() AS n, sum(amount) AS v FROM revenue WHERE ${before}) ORDER BY period`,
  `SELECT country, count() AS n, round(100 * n / (SELECT count() FROM revenue WHERE ${within}), 2) AS share FROM revenue WHERE ${within} GROUP BY country ORDER BY country`,
  'SELECT max(n) AS most FROM (SELECT product, countIf(country = {c:String}) AS n FROM revenue WHERE amount > {x:UInt32} GROUP BY product)',
])('are served from partial results: %s', async (query) => {
  await expectServed(test, query, values);
});

it('store fewer rows than the source has', async () => {
  const query = `WITH per AS (SELECT product, sum(amount) AS v FROM revenue WHERE ${within} GROUP BY product) SELECT quantileExact(0.5)(v) AS median FROM per`;
  await materialized(test, 'medians', { query });
  // Of each product and day.
  expect(await statusOf(test, 'medians')).toMatchObject({ rows: 420 });
});

it('are not served while a minimum may be 0 or -0', () =>
  expectRefusedBySync(
    test,
    'SELECT max(m) AS m FROM (SELECT product, min(zero) AS m FROM revenue WHERE country = {c:String} GROUP BY product)',
    expect.stringContaining('-0'),
  ));
