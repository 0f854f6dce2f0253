/** The least and the greatest of floating point numbers from CTEs and subqueries, which 0 and -0 would make ambiguous. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { TestApp } from '../support/test-app.ts';
import {
  expectNeverMaterialized,
  expectRefusedBySync,
  expectServed,
} from './support/checked-queries.ts';
import { openMaterializedApp } from './support/materialized.ts';

let test: TestApp;
beforeAll(async () => {
  test = await openMaterializedApp();
  const columns = `number % 3 + 1, toDateTime('2026-01-01 00:00:00') + number, ['a', 'b', 'c', ''][number % 4 + 1]`;
  await test.sql(
    `CREATE TABLE loads (monitor UInt32, at DateTime, plan String, load Float64, delta Int32, maybe Nullable(Float32), big Int64) ENGINE = MergeTree ORDER BY (monitor, at) AS
SELECT ${columns}, cityHash64(number) % 50 / 8, number % 5, if(number % 7 = 0, NULL, number % 11 / 4), 5000000000000000000 FROM numbers(600)`,
  );
  await test.sql(
    'CREATE TABLE added (at DateTime, delta Int32) ENGINE = SummingMergeTree ORDER BY at',
  );
  await test.sql(
    `CREATE TABLE below (monitor UInt32, at DateTime, plan String, load Float64, delta Int32, maybe Nullable(Float32)) ENGINE = MergeTree ORDER BY (monitor, at) AS
SELECT ${columns}, if(number = 5, -0., number % 9 - 4), number % 5 - 2, if(number = 7, -0., number) FROM numbers(600)`,
  );
  await test.sql(
    `CREATE TABLE plans (plan String, price Float64) ENGINE = MergeTree ORDER BY plan AS SELECT ['a', 'b', 'c', ''][number % 4 + 1], number / 2 FROM numbers(4)`,
  );
});
afterAll(() => test.close());

const values = [
  { m: 1, from: '2026-01-01 00:00:00' },
  { m: 3, from: '2026-01-01 00:05:10' },
  { m: 9, from: '2026-01-01 00:00:00' },
];
const base = 'base AS (SELECT * FROM loads WHERE monitor = {m:UInt32} AND at >= {from:DateTime})';

it.each([
  `WITH ${base}, a AS (SELECT plan, max(load) AS m FROM base GROUP BY plan), b AS (SELECT plan, count() AS n FROM base GROUP BY plan) SELECT a.plan AS p, m, n FROM a JOIN b ON a.plan = b.plan ORDER BY p`,
  `WITH ${base} SELECT base.plan AS p, max(load) AS m, min(price) AS least FROM base JOIN plans ON plans.plan = base.plan GROUP BY p ORDER BY p`,
  `WITH ${base} SELECT plan, max(l) AS m, min(l) AS n FROM (SELECT plan, delta, sum(load) AS l FROM base GROUP BY plan, delta) GROUP BY plan ORDER BY plan`,
  'WITH m AS (SELECT max(load) AS x FROM loads) SELECT plan, count() AS n FROM loads WHERE load * {m:UInt32} >= (SELECT x FROM m) GROUP BY plan ORDER BY plan',
  'WITH m AS (SELECT plan, max(load) AS x FROM loads WHERE at >= {from:DateTime} GROUP BY plan) SELECT max(x) AS y, min(x) AS z FROM m',
  'WITH m AS (SELECT plan, avg(load) AS x, round(sum(delta) / count(), 2) AS r FROM loads WHERE at >= {from:DateTime} GROUP BY plan) SELECT max(x) AS y, min(x) AS z, max(r) AS v, min(r) AS w FROM m',
  'WITH m AS (SELECT plan, avg(big) AS a, avg(maybe) AS f, sum(big) / count() AS r FROM loads WHERE at >= {from:DateTime} GROUP BY plan) SELECT max(a) AS w, min(f) AS x, max(r) AS y, min(r) AS z FROM m',
  'WITH m AS (SELECT plan, avg(delta) AS a, avgIf(toDecimal64(load, 3), delta > {m:UInt32}) AS d, sum(delta) / count() AS r FROM below WHERE at >= {from:DateTime} GROUP BY plan) SELECT max(a) AS w, min(d) AS x, max(r) AS y, quantileExact(0.5)(r) AS z FROM m',
  "WITH m AS (SELECT plan, dateDiff('second', max(at), min(at)) / 60. AS x, 2.5 * (sum(delta) - 3) AS f FROM below WHERE at >= {from:DateTime} GROUP BY plan) SELECT max(x) AS y, min(f) AS z FROM m",
  'WITH m AS (SELECT plan, toFloat64(sum(delta)) / 2.5 AS x, toFloat64(max(at)) AS f FROM below WHERE at >= {from:DateTime} GROUP BY plan) SELECT max(x) AS y, quantileExact(0.5)(f) AS z FROM m',
  'WITH m AS (SELECT plan, 100. * countIf(delta > 3) / count() AS x FROM loads WHERE at >= {from:DateTime} GROUP BY plan) SELECT max(x) AS y, min(x) AS z FROM m',
  'SELECT max(x) AS y FROM (SELECT load AS x, at, monitor FROM loads UNION ALL SELECT maybe AS x, at, monitor FROM loads) WHERE monitor IN (SELECT monitor FROM loads WHERE at < {from:DateTime})',
  'SELECT plan, max(if(delta > {m:UInt32}, load, maybe)) AS x, min(delta - load) AS d, max(load * 2 + delta) AS s FROM loads WHERE at >= {from:DateTime} OR monitor = {m:UInt32} GROUP BY plan ORDER BY plan',
  'SELECT plan, max(price) AS m FROM (SELECT l.plan AS plan, p.price AS price FROM loads AS l LEFT JOIN plans AS p ON l.plan = p.plan WHERE l.at >= {from:DateTime}) GROUP BY plan ORDER BY plan',
])('are served from stored tables: %s', (query) => expectServed(test, query, values));

it.each([
  [
    'WITH base AS (SELECT * FROM below WHERE at >= {from:DateTime}) SELECT max(load) AS m, (SELECT count() FROM base) AS n FROM base',
    'The result of max(load) meets -0 in the data',
  ],
  [
    'WITH m AS (SELECT min(maybe) AS x FROM below) SELECT count() AS n FROM below WHERE load * {m:UInt32} >= (SELECT x FROM m)',
    'The result of min(maybe) meets -0 in the data',
  ],
  [
    'WITH m AS (SELECT plan, round(avg(delta), 1) AS x FROM below WHERE at >= {from:DateTime} GROUP BY plan) SELECT max(x) AS y FROM m',
    'The result of max(x) may be 0 or -0 depending on the order of the rows, since it is computed of delta, which has numbers below 0; write max(x + 0).',
  ],
  [
    'SELECT max(x) AS y FROM (SELECT load AS x, monitor FROM loads UNION ALL SELECT load AS x, monitor FROM below) WHERE monitor IN (SELECT monitor FROM loads WHERE at < {from:DateTime})',
    'The result of max(x) meets -0 in the data',
  ],
  ...[
    ['SELECT finalizeAggregation(maxState(load)) AS m', 'maxState(load)'],
    ['SELECT toString(minSimpleState(load)) AS m', 'minSimpleState(load)'],
    ['SELECT maxResample(0, 2, 1)(load, monitor) AS m', 'maxResample(0, 2, 1)(load)'],
  ].map(([select, call]) => [
    `${select} FROM below WHERE at >= {from:DateTime}`,
    `The result of ${call} meets -0 in the data`,
  ]),
])('are refused by the sync where columns hold such numbers: %s', (query, reason) =>
  expectRefusedBySync(test, query, expect.stringContaining(reason)),
);

it.each([
  'WITH m AS (SELECT plan, round((big * 3) / 1e20, 0) AS r FROM loads WHERE at >= {from:DateTime}) SELECT plan, max(r) AS a, (SELECT count() FROM m) AS c FROM m GROUP BY plan',
  'WITH m AS (SELECT plan, round(sum(big) / 1e20, 0) AS r FROM loads WHERE at >= {from:DateTime} GROUP BY plan) SELECT max(r) AS a FROM m',
  'WITH m AS (SELECT plan, round(avg(big)) AS r FROM loads WHERE at >= {from:DateTime} GROUP BY plan) SELECT max(r) AS a FROM m',
  'WITH m AS (SELECT plan, sum(big) / -3 AS r FROM loads WHERE at >= {from:DateTime} GROUP BY plan) SELECT max(r) AS a FROM m',
  'SELECT max(w) AS a FROM (SELECT round(delta / 3) AS w, at FROM added FINAL) WHERE at >= {from:DateTime} OR w IN (SELECT price FROM plans WHERE price > {m:UInt32})',
  'WITH m AS (SELECT plan, sum(delta) * 0. AS r FROM below WHERE at >= {from:DateTime} GROUP BY plan) SELECT max(r) AS a FROM m',
  'WITH m AS (SELECT plan, sum(delta) / -2.5 AS r FROM loads WHERE at >= {from:DateTime} GROUP BY plan) SELECT max(r) AS a FROM m',
  'WITH m AS (SELECT plan, toFloat64(toString(load)) / 2.5 AS r FROM loads WHERE at >= {from:DateTime}) SELECT max(r) AS a, (SELECT count() FROM m) AS c FROM m',
  'WITH m AS (SELECT plan, -sum(load) AS x FROM loads WHERE at >= {from:DateTime} GROUP BY plan) SELECT max(x) AS y FROM m',
  'WITH m AS (SELECT plan, sum(load) * -1 AS x FROM loads WHERE at >= {from:DateTime} GROUP BY plan) SELECT max(x) AS y FROM m',
])('are not materialized where they are computed otherwise: %s', (query) =>
  expectNeverMaterialized(test, query, 'over floating point numbers may be 0 or -0'),
);
