/** Columns that the engine computes when they are read: their values are stored, but not if they change with the time. */
import { afterAll, beforeAll, it } from 'vitest';
import type { TestApp } from '../support/test-app.ts';
import { expectNeverMaterialized, expectServed } from './support/checked-queries.ts';
import { openMaterializedApp } from './support/materialized.ts';

let test: TestApp;
beforeAll(async () => {
  test = await openMaterializedApp();
  await test.sql(
    "CREATE TABLE orders (id UInt32, user String, at DateTime, amount Int32, age Int64 ALIAS dateDiff('second', at, now()), isOld Bool ALIAS at < now() - INTERVAL 1 HOUR, twice Int32 ALIAS amount * 2, day Date MATERIALIZED toDate(at)) ENGINE = MergeTree ORDER BY id",
  );
  await test.sql(
    "INSERT INTO orders (id, user, at, amount) SELECT number, concat('u', toString(number % 3)), now() - number * 60, number % 7 FROM numbers(200)",
  );
});
afterAll(() => test?.close());

const values = [
  { user: 'u1', n: 5 },
  { user: '', n: -3 },
];

it.each([
  'SELECT id, twice, day FROM orders WHERE user = {user:String} AND twice > {n:Int32} ORDER BY id',
  'SELECT twice, count() AS n FROM orders WHERE twice != {n:Int32} GROUP BY twice ORDER BY twice',
  // As its own condition, the time is that of the sync.
  'SELECT count() AS n FROM orders WHERE user = {user:String} AND age > -5',
  "SELECT id FROM orders WHERE user = {user:String} OR dateDiff('day', at, now()) > {n:Int32} ORDER BY id",
])('are read from stored tables: %s', (query) => expectServed(test, query, values));

it.each([
  'SELECT count() AS n FROM orders WHERE age < {n:Int64}',
  'SELECT id FROM orders WHERE isOld OR user = {user:String}',
  'SELECT user, countIf(isOld) AS n FROM orders WHERE amount > {n:Int32} GROUP BY user',
  'SELECT id, age FROM orders WHERE user = {user:String}',
  'SELECT count() AS n FROM orders AS a JOIN orders AS b ON a.id = b.id AND a.age > {n:Int64}',
  'SELECT max(age) AS m FROM orders',
])('are not stored where they change with the time: %s', (query) =>
  expectNeverMaterialized(
    test,
    query,
    'A column or a function of the query is computed by now, whose value would stand still between syncs; write its expression into the query, so that runs compute it.',
  ),
);
