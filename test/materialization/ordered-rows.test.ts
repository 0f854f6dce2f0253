/** Arrays of rows that a subquery sorts by all that it selects, and DISTINCT that is sorted by what follows from it. */
import { afterAll, beforeAll, it } from 'vitest';
import type { TestApp } from '../support/test-app.ts';
import { expectNeverMaterialized, expectServed } from './support/checked-queries.ts';
import { openMaterializedApp } from './support/materialized.ts';

let test: TestApp;
beforeAll(async () => {
  test = await openMaterializedApp();
  await test.sql(
    "CREATE TABLE steps (user UInt32, at DateTime, page LowCardinality(String), tag Nullable(String), load Float64, place Point) ENGINE = MergeTree ORDER BY cityHash64(user, at) AS SELECT number % 7, toDateTime('2026-01-01 00:00:00') + intDiv(number, 3) * 60, ['a', 'B', 'b', ''][number % 4 + 1], if(number % 5 = 0, NULL, toString(number % 11)), number / 4, (number % 2, 1) FROM numbers(400)",
  );
});
afterAll(() => test?.close());

const values = [
  { u: 3, from: '2026-01-01 00:30:00' },
  { u: 9, from: '2026-01-01 00:00:00' },
  { u: 0, from: '2026-01-02 00:00:00' },
];

it.each([
  'SELECT user, groupArray(page) AS pages FROM (SELECT DISTINCT user, page FROM steps WHERE at >= {from:DateTime} ORDER BY user, page) GROUP BY user ORDER BY user',
  'SELECT groupArray((tag, user)) AS t FROM (SELECT user, tag FROM steps WHERE user != {u:UInt32} AND at >= {from:DateTime} ORDER BY tag DESC NULLS FIRST, user LIMIT 40)',
  'SELECT DISTINCT page, user FROM steps WHERE at >= {from:DateTime} ORDER BY lower(page), user % 3, page, user',
  'SELECT DISTINCT upper(tag) AS t FROM (SELECT * FROM steps WHERE user = {u:UInt32}) WHERE page != {p:String} ORDER BY length(t) DESC, t',
])('are served from stored tables: %s', (query) =>
  expectServed(
    test,
    query,
    values.map((given) => ({ ...given, p: 'a' })),
  ),
);

it.each([
  'SELECT user, groupArray(page) AS pages FROM (SELECT user, page FROM steps WHERE at >= {from:DateTime} ORDER BY user, at) GROUP BY user',
  "SELECT groupArray(page) AS pages FROM (SELECT page FROM steps WHERE at >= {from:DateTime} ORDER BY page COLLATE 'en-u-ks-level2')",
  'SELECT groupArray(place) AS places FROM (SELECT place FROM steps WHERE user > {u:UInt32} ORDER BY place)',
  'SELECT DISTINCT page FROM steps WHERE user > {u:UInt32} GROUP BY page, tag ORDER BY count() DESC, page',
  'SELECT DISTINCT page FROM steps WHERE user > {u:UInt32} ORDER BY row_number() OVER (ORDER BY user, at), page',
  'SELECT DISTINCT place FROM steps WHERE user > {u:UInt32} OR page = {p:String}',
])('are not materialized where rows with ties differ: %s', (query) =>
  expectNeverMaterialized(test, query, ''),
);
