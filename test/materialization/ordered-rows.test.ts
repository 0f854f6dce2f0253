/**
 * Arrays of rows that a subquery sorts by all that it selects, or of its one row, DISTINCT that is sorted by what follows
 * from it, what INTERPOLATE continues, and states of aggregates, which keep values in the order of their rows.
 */
import { afterAll, beforeAll, it } from 'vitest';
import type { TestApp } from '../support/test-app.ts';
import { expectNeverMaterialized, expectServed } from './support/checked-queries.ts';
import { openMaterializedApp } from './support/materialized.ts';

let test: TestApp;
beforeAll(async () => {
  test = await openMaterializedApp();
  await test.sql(
    "CREATE TABLE steps (id UInt32, user UInt32, at DateTime, page LowCardinality(String), tag Nullable(String), load Float64, place Point) ENGINE = MergeTree ORDER BY cityHash64(user, at) AS SELECT number, number % 7, toDateTime('2026-01-01 00:00:00') + intDiv(number, 3) * 60, ['a', 'B', 'b', ''][number % 4 + 1], if(number % 5 = 0, NULL, toString(number % 11)), number / 4, (number % 2, 1) FROM numbers(400)",
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
  'SELECT user, groupArray(mark) AS marks, groupArray(n) AS counts FROM (SELECT user, arrayJoin([toString(page), tag]) AS mark, count() AS n FROM steps WHERE at >= {from:DateTime} GROUP BY user, mark ORDER BY user, length(mark), mark LIMIT 3 BY user) GROUP BY user ORDER BY user',
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
  'SELECT user, groupArray(mark) AS marks FROM (SELECT user, arrayJoin([max(page), min(tag)]) AS mark FROM steps WHERE at >= {from:DateTime} GROUP BY user ORDER BY user) GROUP BY user',
  'SELECT DISTINCT page FROM steps WHERE user > {u:UInt32} GROUP BY page, tag ORDER BY count() DESC, page',
  'SELECT DISTINCT page FROM steps WHERE user > {u:UInt32} ORDER BY row_number() OVER (ORDER BY user, at), page',
  'SELECT DISTINCT place FROM steps WHERE user > {u:UInt32} OR page = {p:String}',
  'SELECT groupArray(total) AS totals FROM (SELECT user, sum(load) AS total FROM steps WHERE at >= {from:DateTime} GROUP BY user ORDER BY total)',
  'SELECT arraySort(groupArray(total)) AS totals FROM (SELECT user, sum(load) AS total FROM steps WHERE at >= {from:DateTime} GROUP BY user ORDER BY total)',
  'SELECT arraySort(groupUniqArray(total)) AS totals FROM (SELECT user, sum(load) AS total FROM steps WHERE at >= {from:DateTime} GROUP BY user ORDER BY user)',
])('are not materialized where rows with ties differ: %s', (query) =>
  expectNeverMaterialized(test, query, ''),
);

const filled = "WITH FILL FROM toDate('2025-12-30') TO toDate('2026-01-05')";

it.each([
  `SELECT toDate(at) AS day, count() AS n, max(load) AS most FROM steps WHERE user > {u:UInt32} AND at >= {from:DateTime} GROUP BY day ORDER BY day ${filled} INTERPOLATE (n AS n + 1, most)`,
  `WITH {u:UInt32} AS least SELECT day, n FROM (SELECT toDate(at) AS day, count() AS n FROM steps WHERE at >= {from:DateTime} GROUP BY day) WHERE n > least ORDER BY day ${filled} INTERPOLATE (n AS least)`,
  `SELECT max(n) AS n FROM (SELECT toDate(at) AS day, count() AS n FROM steps WHERE at >= {from:DateTime} AND user != {u:UInt32} GROUP BY day ORDER BY day ${filled} INTERPOLATE (n AS n + 10))`,
  'SELECT groupArray(n) AS list, any(n) AS one FROM (SELECT count() AS n FROM steps WHERE at >= {from:DateTime} HAVING n > {u:UInt32})',
  'SELECT groupArray(total) AS totals, groupArray((page, round(mean, 3))) AS means FROM (SELECT toDate(at) AS day, page, sum(load) AS total, avg(load) AS mean FROM steps WHERE at >= {from:DateTime} AND user != {u:UInt32} GROUP BY day, page ORDER BY day, page)',
  'SELECT page, arraySort(arrayDistinct(arrayFlatten(groupArray([toString(user), tag])))) AS marks FROM steps WHERE at >= {from:DateTime} AND user != {u:UInt32} GROUP BY page ORDER BY page',
])('are served where rows have one order alone: %s', (query) => expectServed(test, query, values));

it.each([
  `SELECT toDate(at) AS day, user, count() AS n FROM steps WHERE user > {u:UInt32} GROUP BY day, user ORDER BY day ${filled} INTERPOLATE (n)`,
  `SELECT day, n FROM (SELECT toDate(at) AS day, user, count() AS n FROM steps WHERE user > {u:UInt32} GROUP BY day, user) ORDER BY day ${filled} INTERPOLATE (n)`,
  'SELECT id, page FROM steps WHERE user > {u:UInt32} ORDER BY id WITH FILL INTERPOLATE (page)',
  `SELECT day, n FROM (SELECT toDate(at) AS day, count() AS n FROM steps WHERE user > {u:UInt32} GROUP BY day ORDER BY n WITH FILL FROM 0 TO 9) ORDER BY day ${filled} INTERPOLATE (n)`,
])('are not materialized where INTERPOLATE may continue several rows: %s', (query) =>
  expectNeverMaterialized(test, query, 'group by the columns of ORDER BY'),
);

it.each([
  'SELECT groupArray(n) AS list FROM (SELECT count() AS n, arrayJoin([2, 1]) AS k FROM steps WHERE at >= {from:DateTime})',
  'SELECT groupArray(k) AS list FROM (SELECT user, arrayJoin([2, 1, 4]) AS k FROM steps WHERE at >= {from:DateTime} GROUP BY user ORDER BY user)',
])('are not materialized where arrayJoin makes several rows of one: %s', (query) =>
  expectNeverMaterialized(test, query, 'groupArray depends on the order of the rows'),
);

const u = 'FROM steps WHERE at >= {from:DateTime}';

it.each([
  `SELECT arraySort(bitmapToArray(groupBitmapState(user))) AS users, length(bitmapToArray(groupBitmapState(id))) AS n ${u}`,
  `SELECT user, bitmapAndCardinality(groupBitmapState(id), groupBitmapStateIf(id, page = 'a')) AS n ${u} GROUP BY user ORDER BY user`,
  `SELECT arraySort(finalizeAggregation(groupArrayState(page))) AS pages, finalizeAggregation(uniqState(tag)) AS n ${u}`,
  `SELECT arrayCount((page, user) -> page = 'a' AND user > 2, groupArray(page), groupArray(user)) AS n ${u}`,
])('states and arrays are read without their order: %s', (query) =>
  expectServed(test, query, values),
);

it.each([
  'SELECT t, exponentialMovingAverage(300)(n, toUnixTimestamp(t)) OVER (ORDER BY t ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS average FROM (SELECT toStartOfFiveMinutes(at) AS t, count() AS n FROM steps WHERE user = {u:UInt32} GROUP BY t) ORDER BY t',
  'SELECT at, load, exponentialTimeDecayedAvg(300)(load, at) OVER (ORDER BY at) AS average FROM steps WHERE user = {u:UInt32} ORDER BY at, load LIMIT 50',
])('averages that decay with time are those of the order of a window: %s', (query) =>
  expectServed(test, query, values),
);

it.each([
  [`SELECT bitmapToArray(groupBitmapState(user)) AS x ${u}`, 'use arraySort(bitmapToArray(…))'],
  [`SELECT hex(x) AS x FROM (SELECT groupBitmapState(user) AS x ${u})`, 'What hex returns'],
  [
    `SELECT arraySort(bitmapToArray(subBitmap(groupBitmapState(id), 1, 3))) AS x ${u}`,
    'What subBitmap returns',
  ],
  ['SELECT finalizeAggregation(groupArrayState(page)) AS x FROM steps', 'use arraySort('],
  [`SELECT groupUniqArrayArraySimpleState([page]) AS x ${u}`, 'not fixed'],
  [`SELECT boundingRatio(user, id) AS x ${u}`, 'boundingRatio'],
  [
    `SELECT arraySum(arrayMap((x, i) -> x * i, groupArray(user), range(toUInt32(count())))) AS x ${u}`,
    'not fixed',
  ],
  [`SELECT arrayCount((x, y) -> x > y, groupArray(page), groupArray(tag)) AS x ${u}`, 'not fixed'],
])('states and arrays in the order of rows are not materialized: %s', (query, reason) =>
  expectNeverMaterialized(test, query, reason),
);
