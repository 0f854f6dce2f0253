/** Tables whose alias is also the name of a column. */
import { afterAll, beforeAll, it } from 'vitest';
import type { TestApp } from '../support/test-app.ts';
import { expectServed } from './support/checked-queries.ts';
import { openMaterializedApp } from './support/materialized.ts';

let test: TestApp;
beforeAll(async () => {
  test = await openMaterializedApp();
  await test.sql(
    'CREATE TABLE plays (id UInt32, user String, amount Int32, b Bool, x Tuple(a UInt8)) ENGINE = MergeTree ORDER BY id AS SELECT number, toString(number % 4), number % 9, number % 2 = 0, tuple(number % 5) FROM numbers(40)',
  );
  await test.sql(
    'CREATE TABLE user (user String, c UInt8) ENGINE = MergeTree ORDER BY user AS SELECT toString(number), number % 3 FROM numbers(4)',
  );
});
afterAll(() => test?.close());

it.each([
  'SELECT a.id, b.id FROM plays AS a JOIN plays AS b ON a.user = b.user WHERE a.amount = {n:Int32} AND b.amount > {m:Int32} ORDER BY ALL',
  'SELECT p.id, user.c FROM plays AS p LEFT JOIN user AS user ON p.user = user.user AND user.c = {m:Int32} WHERE p.amount > {n:Int32} ORDER BY ALL',
  'SELECT a.id FROM plays AS a JOIN plays AS id ON a.id = id.id WHERE id.amount = {n:Int32} AND a.x.a > {m:Int32} ORDER BY ALL',
])('are served from stored tables: %s', (query) =>
  expectServed(test, query, [
    { n: 5, m: 1 },
    { n: 0, m: 2 },
    { n: 7, m: 9 },
  ]),
);
