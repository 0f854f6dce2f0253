/** Tables and columns with a backslash in their names, which texts write twice. */
import { afterAll, beforeAll, it } from 'vitest';
import type { TestApp } from '../support/test-app.ts';
import { expectServed } from './support/checked-queries.ts';
import { openMaterializedApp } from './support/materialized.ts';

let test: TestApp;
beforeAll(async () => {
  test = await openMaterializedApp();
  for (const table of [String.raw`old\\new`, 'plain']) {
    await test.sql(
      String.raw`CREATE TABLE ${'`'}${table}${'`'} (${'`'}c\\d${'`'} String, id UInt32, n UInt8) ENGINE = MergeTree ORDER BY id`,
    );
    await test.sql(
      `INSERT INTO \`${table}\` SELECT toString(number % 7), number, number % 3 FROM numbers(500)`,
    );
  }
});
afterAll(() => test?.close());

const values = [
  { n: 1, text: '1' },
  { n: 7, text: '' },
];

it.each([
  String.raw`SELECT n, count() AS found FROM "old\\new" WHERE n >= {n:UInt8} GROUP BY n ORDER BY n`,
  String.raw`SELECT "c\\d" AS "e\\f", sum(id) AS total FROM plain WHERE n = {n:UInt8} GROUP BY "e\\f" ORDER BY "e\\f"`,
  String.raw`SELECT "old\\new"."c\\d" AS c, p.n FROM "old\\new" JOIN plain AS p ON p.id = "old\\new".id WHERE p.n = {n:UInt8} ORDER BY p.id`,
  // Stored as of one time, from copies of the tables.
  String.raw`SELECT id FROM "old\\new" WHERE "c\\d" = {text:String} AND id IN (SELECT id FROM plain WHERE "c\\d" = {text:String}) ORDER BY id`,
  String.raw`SELECT uniqExact("c\\d") AS u, (SELECT max(id) FROM "old\\new" WHERE n = {n:UInt8}) AS most FROM plain`,
])('are read from stored tables: %s', (query) => expectServed(test, query, values));
